"""a can be lain on."""


def lieable(scene, a):
    return scene.attribute(a, "lieable")
