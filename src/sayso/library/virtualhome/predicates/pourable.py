"""a can be poured."""


def pourable(scene, a):
    return scene.attribute(a, "pourable")
