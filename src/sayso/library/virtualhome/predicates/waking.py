"""True only while the actor is waking, and so in no scene that stands still."""


def waking(_scene):
    return False
