"""A hand holds a."""


def holding(scene, a):
    return scene.attribute(a, "holding")
