"""a can be cut."""


def cuttable(scene, a):
    return scene.attribute(a, "cuttable")
