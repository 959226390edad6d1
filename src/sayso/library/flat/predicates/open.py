"""The door stands open wide enough for the robot to pass."""

WIDE_ENOUGH = 0.7


def open(scene, a):
    return scene.attribute(a, "open_share") >= WIDE_ENOUGH
