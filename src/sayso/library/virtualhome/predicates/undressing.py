"""True only while the actor is undressing, and so in no scene that stands still."""


def undressing(_scene):
    return False
