"""The thing is a drawer."""


def drawer(scene, a):
    return scene.category(a) == "drawer"
