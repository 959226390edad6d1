"""True only while the actor is switching on, and so in no scene that stands still."""


def switching_on(_scene):
    return False
