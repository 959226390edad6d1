"""a can be worn."""


def clothes(scene, a):
    return scene.attribute(a, "clothes")
