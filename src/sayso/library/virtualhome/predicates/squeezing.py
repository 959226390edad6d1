"""True only while the actor is squeezing, and so in no scene that stands still."""


def squeezing(_scene):
    return False
