"""True only while the actor is scrubbing, and so in no scene that stands still."""


def scrubbing(_scene):
    return False
