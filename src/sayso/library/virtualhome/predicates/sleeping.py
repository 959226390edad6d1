"""True only while the actor is sleeping, and so in no scene that stands still."""


def sleeping(_scene):
    return False
