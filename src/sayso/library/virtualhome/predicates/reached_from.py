"""Whoever walks to b is near a; read where a plan is repaired, among what that is about."""


def reached_from(scene, a, b):
    return b in scene.attribute(a, "reached_from").split()
