"""Clothes."""


def fabric(scene, a):
    return scene.observes(a, "ironed")
