"""Simulated: a change of state when it was wiped."""


def clean(scene, a):
    return scene.observes(a, "dirty") and not scene.attribute(a, "dirty")
