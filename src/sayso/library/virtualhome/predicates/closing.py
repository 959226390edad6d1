"""True only while the actor is closing, and so in no scene that stands still."""


def closing(_scene):
    return False
