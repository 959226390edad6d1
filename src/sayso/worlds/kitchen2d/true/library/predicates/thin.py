"""A plate can be pushed up onto a."""

LIMIT = 0.016


def thin(scene, a):
    return scene.size(a)[2] <= LIMIT
