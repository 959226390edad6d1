"""True only while the actor is looking, and so in no scene that stands still."""


def looking(_scene):
    return False
