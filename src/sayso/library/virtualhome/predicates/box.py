"""a can be opened, and nothing can be put into it while it is closed."""


def box(scene, a):
    return scene.attribute(a, "box")
