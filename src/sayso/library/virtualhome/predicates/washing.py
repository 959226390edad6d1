"""True only while the actor is washing, and so in no scene that stands still."""


def washing(_scene):
    return False
