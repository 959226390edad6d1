"""The actor is close to a, or to what a is on or close to."""


def near(scene, a):
    return scene.attribute(a, "near")
