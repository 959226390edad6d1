"""The light is on."""


def lit(scene, a):
    return scene.attribute(a, "lit")
