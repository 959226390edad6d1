"""The building works it as a door."""


def door(scene, a):
    return scene.observes(a, "open_share")
