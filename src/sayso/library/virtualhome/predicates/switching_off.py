"""True only while the actor is switching off, and so in no scene that stands still."""


def switching_off(_scene):
    return False
