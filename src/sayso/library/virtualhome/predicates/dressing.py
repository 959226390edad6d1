"""True only while the actor is dressing, and so in no scene that stands still."""


def dressing(_scene):
    return False
