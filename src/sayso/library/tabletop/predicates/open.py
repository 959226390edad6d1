"""The drawer stands open wide enough to reach in."""

WIDE_ENOUGH = 0.08


def open(scene, a):
    return scene.opens(a) and scene.opening(a) >= WIDE_ENOUGH
