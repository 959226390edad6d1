"""True only while the actor is pouring, and so in no scene that stands still."""


def pouring(_scene):
    return False
