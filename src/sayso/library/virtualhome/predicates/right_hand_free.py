"""The right hand holds nothing."""


def right_hand_free(scene):
    return scene.attribute("character", "right_hand_free")
