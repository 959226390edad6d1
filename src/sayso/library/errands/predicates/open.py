"""A door, or the door of a container."""


def open(scene, a):
    return scene.observes(a, "open") and scene.attribute(a, "open")
