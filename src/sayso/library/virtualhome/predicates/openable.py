"""a can be opened."""


def openable(scene, a):
    return scene.attribute(a, "openable")
