"""True only while the actor is sitting down, and so in no scene that stands still."""


def sitting_down(_scene):
    return False
