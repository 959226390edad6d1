"""a is inside something that is no room."""


def contained(scene, a):
    return scene.attribute(a, "contained")
