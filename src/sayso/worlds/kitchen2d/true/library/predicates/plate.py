"""a is a plate."""


def plate(scene, a):
    return scene.category(a) == "plate"
