"""The thing has a flat top that carries one other thing."""


def stackable(scene, a):
    return scene.category(a) == "block"
