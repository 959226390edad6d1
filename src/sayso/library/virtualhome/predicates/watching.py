"""True only while the actor is watching, and so in no scene that stands still."""


def watching(_scene):
    return False
