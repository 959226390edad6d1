"""The graph says that a is open."""


def open(scene, a):
    return scene.attribute(a, "open")
