"""A door, or the door of a container."""


def closed(scene, a):
    return scene.observes(a, "open") and not scene.attribute(a, "open")
