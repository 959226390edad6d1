"""The graph says that a is clean."""


def clean(scene, a):
    return scene.attribute(a, "clean")
