"""The lamp is on."""


def lit(scene, a):
    return scene.category(a) == "lamp" and scene.attribute(a, "lit")
