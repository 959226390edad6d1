"""True only while the actor is drinking, and so in no scene that stands still."""


def drinking(_scene):
    return False
