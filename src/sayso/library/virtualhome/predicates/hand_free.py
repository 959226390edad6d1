"""At least one hand holds nothing."""


def hand_free(scene):
    return scene.attribute("character", "hand_free")
