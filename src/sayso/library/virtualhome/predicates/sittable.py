"""a can be sat on."""


def sittable(scene, a):
    return scene.attribute(a, "sittable")
