"""True only while the actor is walking, and so in no scene that stands still."""


def walking(_scene):
    return False
