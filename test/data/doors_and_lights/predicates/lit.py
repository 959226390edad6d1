"""The light is on."""


def lit(scene, a):
    return scene.switched_on(a)
