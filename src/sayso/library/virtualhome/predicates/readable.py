"""a can be read."""


def readable(scene, a):
    return scene.attribute(a, "readable")
