"""True only while the actor is moving, and so in no scene that stands still."""


def moving(_scene):
    return False
