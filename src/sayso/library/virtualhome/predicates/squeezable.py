"""a can be squeezed."""


def squeezable(scene, a):
    return scene.attribute(a, "squeezable")
