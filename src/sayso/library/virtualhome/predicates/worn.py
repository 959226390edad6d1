"""a is on the actor."""


def worn(scene, a):
    return scene.attribute(a, "worn")
