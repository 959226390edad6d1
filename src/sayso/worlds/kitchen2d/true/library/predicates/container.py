"""a is made to hold something."""


def container(scene, a):
    return scene.category(a) in ("cup", "pot", "basket")
