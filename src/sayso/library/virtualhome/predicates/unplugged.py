"""The graph says that a is unplugged."""


def unplugged(scene, a):
    return scene.attribute(a, "unplugged")
