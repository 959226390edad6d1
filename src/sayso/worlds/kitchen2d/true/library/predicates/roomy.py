"""Food fits into a."""

LEAST = 0.1


def roomy(scene, a):
    return scene.size(a)[0] >= LEAST
