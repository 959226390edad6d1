"""The actor sits or lies."""


def resting(scene):
    return scene.attribute("character", "resting")
