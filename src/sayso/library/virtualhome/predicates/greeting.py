"""True only while the actor is greeting, and so in no scene that stands still."""


def greeting(_scene):
    return False
