"""There is room on top of a: nothing rests on it, or it is a surface that is mostly free."""

FREE_SHARE = 0.5


def clear(scene, a):
    loads = [b for b in scene.around(a) if scene.holds("on", b, a)]
    if scene.holds("surface", a):
        size = scene.size(a)
        used = sum(scene.size(b)[0] * scene.size(b)[1] for b in loads)
        return used < FREE_SHARE * size[0] * size[1]
    return not loads
