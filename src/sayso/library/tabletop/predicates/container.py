"""The thing is made for putting other things in."""


def container(scene, a):
    return scene.category(a) in ("bowl", "drawer", "tray")
