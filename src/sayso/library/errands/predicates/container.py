"""Furniture that things are put in."""


def container(scene, a):
    return scene.observes(a, "container") and scene.attribute(a, "container")
