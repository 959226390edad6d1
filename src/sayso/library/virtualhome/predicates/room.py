"""a is a room."""


def room(scene, a):
    return scene.attribute(a, "room")
