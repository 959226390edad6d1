"""a has a switch."""


def has_switch(scene, a):
    return scene.attribute(a, "has_switch")
