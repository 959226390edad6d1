"""True only while the actor is standing up, and so in no scene that stands still."""


def standing_up(_scene):
    return False
