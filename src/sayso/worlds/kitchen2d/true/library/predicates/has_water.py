"""There is more water in a than a few drops."""

LEAST = 0.05


def has_water(scene, a):
    return scene.water(a) >= LEAST
