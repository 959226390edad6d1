"""True only while the actor is cutting, and so in no scene that stands still."""


def cutting(_scene):
    return False
