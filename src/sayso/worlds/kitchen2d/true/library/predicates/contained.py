"""a is in a container."""


def contained(scene, a):
    return any(scene.holds("in", a, o) for o in scene.objects() if o != a)
