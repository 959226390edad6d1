"""Furniture that things are put on."""


def surface(scene, a):
    return scene.observes(a, "surface") and scene.attribute(a, "surface")
