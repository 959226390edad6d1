"""The thing is made for putting other things on."""


def surface(scene, a):
    return scene.category(a) in ("plate", "coaster", "tray")
