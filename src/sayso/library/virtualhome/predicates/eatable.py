"""a can be eaten."""


def eatable(scene, a):
    return scene.attribute(a, "eatable")
