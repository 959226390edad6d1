"""a has a plug."""


def has_plug(scene, a):
    return scene.attribute(a, "has_plug")
