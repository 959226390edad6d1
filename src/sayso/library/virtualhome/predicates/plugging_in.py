"""True only while the actor is plugging in, and so in no scene that stands still."""


def plugging_in(_scene):
    return False
