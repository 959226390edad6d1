"""The hand can reach into a: it has no lid or door, or that stands open wide enough.

Unknown of what opens and of which nobody told how far it does.
"""


def accessible(scene, a):
    if scene.observes(a, "lid_share") or scene.observes(a, "open_share"):
        return scene.holds("open", a)
    closed = scene.holds("closed", a)
    return None if closed is None else not closed
