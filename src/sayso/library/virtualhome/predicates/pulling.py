"""True only while the actor is pulling, and so in no scene that stands still."""


def pulling(_scene):
    return False
