"""a can be grabbed."""


def graspable(scene, a):
    return scene.attribute(a, "graspable")
