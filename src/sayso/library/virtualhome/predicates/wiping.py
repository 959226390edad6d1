"""True only while the actor is wiping, and so in no scene that stands still."""


def wiping(_scene):
    return False
