"""Something that holds a drink."""


def vessel(scene, a):
    return scene.observes(a, "full")
