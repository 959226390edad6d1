"""True only while the actor is rinsing, and so in no scene that stands still."""


def rinsing(_scene):
    return False
