"""The left hand holds a."""


def holds_left(scene, a):
    return scene.attribute(a, "holds_left")
