"""True only while the actor is putting in, and so in no scene that stands still."""


def putting_in(_scene):
    return False
