"""True only while the actor is returning, and so in no scene that stands still."""


def returning(_scene):
    return False
