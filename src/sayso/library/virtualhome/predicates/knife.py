"""a is a knife."""


def knife(scene, a):
    return scene.attribute(a, "knife")
