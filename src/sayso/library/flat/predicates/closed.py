"""The door or the lid is shut. What is no door, and of which no lid is told, is not."""

SHUT = 0.02


def closed(scene, a):
    if scene.observes(a, "lid_share"):
        return scene.attribute(a, "lid_share") < SHUT
    if scene.category(a).split()[-1:] in (["door"], ["doorway"]):
        return scene.attribute(a, "open_share") < SHUT
    return False
