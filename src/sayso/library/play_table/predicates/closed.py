"""The drawer is shut."""

SHUT = 0.15


def closed(scene, a):
    return scene.category(a) == "drawer" and scene.attribute(a, "open_share") < SHUT
