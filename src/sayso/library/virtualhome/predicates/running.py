"""True only while the actor is running, and so in no scene that stands still."""


def running(_scene):
    return False
