"""The actor is in the room a."""


def at(scene, a):
    return scene.attribute(a, "at")
