"""True only while the actor is putting, and so in no scene that stands still."""


def putting(_scene):
    return False
