"""Simulated: a change of state when something was poured into it."""


def filled(scene, a):
    return scene.observes(a, "full") and scene.attribute(a, "full")
