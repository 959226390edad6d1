"""Simulated: a change of state when a hot iron touched it on an ironing board."""


def ironed(scene, a):
    return scene.observes(a, "ironed") and scene.attribute(a, "ironed")
