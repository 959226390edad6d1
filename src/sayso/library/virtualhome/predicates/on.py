"""The graph says that a is on b."""


def on(scene, a, b):
    return b in scene.attribute(a, "on").split()
