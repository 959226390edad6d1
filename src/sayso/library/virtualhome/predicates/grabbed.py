"""a was grabbed and not put down since."""


def grabbed(scene, a):
    return scene.attribute(a, "grabbed")
