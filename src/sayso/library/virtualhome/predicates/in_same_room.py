"""The room of a is that of the actor."""


def in_same_room(scene, a):
    return scene.attribute(a, "in_same_room")
