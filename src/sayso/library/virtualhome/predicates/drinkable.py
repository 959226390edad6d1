"""a can be drunk, or drunk from."""


def drinkable(scene, a):
    return scene.attribute(a, "drinkable")
