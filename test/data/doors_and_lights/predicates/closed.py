"""The door is shut."""

SHUT = 0.02


def closed(scene, a):
    return scene.opens(a) and scene.opening(a) < SHUT
