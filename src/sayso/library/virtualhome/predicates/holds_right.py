"""The right hand holds a."""


def holds_right(scene, a):
    return scene.attribute(a, "holds_right")
