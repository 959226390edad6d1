"""True only while the actor is pushing, and so in no scene that stands still."""


def pushing(_scene):
    return False
