"""As many things are on a as people could lie there."""


def covered(scene, a):
    return scene.attribute(a, "covered")
