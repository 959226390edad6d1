"""a was on b when it was grabbed."""


def was_on(scene, a, b):
    return b in scene.attribute(a, "was_on").split()
