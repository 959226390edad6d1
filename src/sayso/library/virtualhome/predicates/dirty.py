"""The graph says that a is dirty."""


def dirty(scene, a):
    return scene.attribute(a, "dirty")
