"""The actor sits."""


def sitting(scene):
    return scene.attribute("character", "sitting")
