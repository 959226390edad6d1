"""a can be typed on."""


def typeable(scene, a):
    return scene.attribute(a, "typeable")
