"""The door is shut."""

SHUT = 0.02


def closed(scene, a):
    return scene.attribute(a, "open_share") < SHUT
