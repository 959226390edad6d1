"""True only while the actor is opening, and so in no scene that stands still."""


def opening(_scene):
    return False
