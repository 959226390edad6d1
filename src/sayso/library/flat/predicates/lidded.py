"""The building works a lid of it."""


def lidded(scene, a):
    return scene.observes(a, "lid_share")
