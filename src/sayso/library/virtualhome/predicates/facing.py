"""The graph says that the actor faces a."""


def facing(scene, a):
    return scene.attribute(a, "facing")
