"""Nothing stands on a."""


def clear(scene, a):
    return not any(scene.holds("on", o, a) for o in scene.objects() if o != a)
