"""The drawer stands open so far that a hand gets in."""

WIDE_ENOUGH = 0.8


def open(scene, a):
    return scene.category(a) == "drawer" and scene.attribute(a, "open_share") >= WIDE_ENOUGH
