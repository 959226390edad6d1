"""Something between rooms that opens."""


def door(scene, a):
    return scene.category(a) == "door"
