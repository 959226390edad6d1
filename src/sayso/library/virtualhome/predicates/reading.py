"""True only while the actor is reading, and so in no scene that stands still."""


def reading(_scene):
    return False
