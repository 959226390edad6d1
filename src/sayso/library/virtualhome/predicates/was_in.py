"""a was inside b when it was grabbed."""


def was_in(scene, a, b):
    return b in scene.attribute(a, "was_in").split()
