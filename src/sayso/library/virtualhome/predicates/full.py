"""As many things are on a as people could sit there."""


def full(scene, a):
    return scene.attribute(a, "full")
