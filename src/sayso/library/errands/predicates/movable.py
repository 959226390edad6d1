"""Something that the hand can take."""


def movable(scene, a):
    return scene.observes(a, "grabbed")
