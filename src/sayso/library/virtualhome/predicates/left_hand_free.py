"""The left hand holds nothing."""


def left_hand_free(scene):
    return scene.attribute("character", "left_hand_free")
