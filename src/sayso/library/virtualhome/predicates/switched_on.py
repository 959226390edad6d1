"""The graph says that a is switched on."""


def switched_on(scene, a):
    return scene.attribute(a, "switched_on")
