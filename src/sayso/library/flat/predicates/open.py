"""The door stands open wide enough for the robot to pass, the lid for its hand."""

WIDE_ENOUGH = 0.7


def open(scene, a):
    lid = scene.observes(a, "lid_share")
    return scene.attribute(a, "lid_share" if lid else "open_share") >= WIDE_ENOUGH
