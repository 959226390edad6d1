"""The door stands open wide enough for the robot to pass."""

WIDE_ENOUGH = 0.9


def open(scene, a):
    return scene.opens(a) and scene.opening(a) >= WIDE_ENOUGH
