"""The hand can reach into the container: it has no front to open, or that stands open wide enough.

A drawer that is ajar is neither open nor closed, and nothing goes in or out.
"""


def accessible(scene, a):
    drawer = scene.category(a) == "drawer"
    return scene.holds("container", a) and (not drawer or scene.holds("open", a))
