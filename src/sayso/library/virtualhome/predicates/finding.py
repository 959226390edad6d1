"""True only while the actor is finding, and so in no scene that stands still."""


def finding(_scene):
    return False
