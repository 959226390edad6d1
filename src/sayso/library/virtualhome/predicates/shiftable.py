"""a can be pulled and moved."""


def shiftable(scene, a):
    return scene.attribute(a, "shiftable")
