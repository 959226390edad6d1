"""The actor lies."""


def lying(scene):
    return scene.attribute("character", "lying")
