"""The graph says that a is inside b; of rooms see in_room."""


def in_(scene, a, b):
    return b in scene.attribute(a, "in").split()
