"""True only while the actor is unplugging, and so in no scene that stands still."""


def unplugging(_scene):
    return False
