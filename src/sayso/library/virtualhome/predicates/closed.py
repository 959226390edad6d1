"""The graph says that a is closed."""


def closed(scene, a):
    return scene.attribute(a, "closed")
