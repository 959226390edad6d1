"""The hand, or what is in it, touched a last."""


def touched(scene, a):
    return scene.observes(a, "touched") and scene.attribute(a, "touched")
