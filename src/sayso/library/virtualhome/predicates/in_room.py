"""The room that a is in, be it inside something, is b."""


def in_room(scene, a, b):
    return b in scene.attribute(a, "in_room").split()
