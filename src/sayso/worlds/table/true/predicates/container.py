"""a is made to hold something, so nothing stands well on it."""


def container(scene, a):
    return scene.category(a) in ("bowl", "mug")
