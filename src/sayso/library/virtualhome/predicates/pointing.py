"""True only while the actor is pointing, and so in no scene that stands still."""


def pointing(_scene):
    return False
