"""True only while the actor is releasing, and so in no scene that stands still."""


def releasing(_scene):
    return False
