"""True only while the actor is dropping, and so in no scene that stands still."""


def dropping(_scene):
    return False
