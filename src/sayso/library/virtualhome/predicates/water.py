"""a is water, which leaves the hand when it is poured."""


def water(scene, a):
    return scene.attribute(a, "water")
