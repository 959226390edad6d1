"""True only while the actor is typing, and so in no scene that stands still."""


def typing(_scene):
    return False
