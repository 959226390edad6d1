"""True only while the actor is eating, and so in no scene that stands still."""


def eating(_scene):
    return False
