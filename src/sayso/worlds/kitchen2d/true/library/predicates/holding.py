"""The hand holds a."""


def holding(scene, a):
    return scene.carried(a)
