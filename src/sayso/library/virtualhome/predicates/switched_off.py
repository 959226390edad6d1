"""The graph says that a is switched off."""


def switched_off(scene, a):
    return scene.attribute(a, "switched_off")
