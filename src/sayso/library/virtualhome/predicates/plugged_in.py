"""The graph says that a is plugged in."""


def plugged_in(scene, a):
    return scene.attribute(a, "plugged_in")
