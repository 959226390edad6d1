"""True only while the actor is turning, and so in no scene that stands still."""


def turning(_scene):
    return False
