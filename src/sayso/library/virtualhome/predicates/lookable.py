"""a can be watched."""


def lookable(scene, a):
    return scene.attribute(a, "lookable")
