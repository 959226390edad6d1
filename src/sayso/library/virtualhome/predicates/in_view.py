"""The actor faces a, or what faces a."""


def in_view(scene, a):
    return scene.attribute(a, "in_view")
