"""There is room on top of a: nothing rests on it, or it is a surface that is mostly free."""

FREE_SHARE = 0.5


def clear_many(scene, a):
    loads = scene.known("on")
    area = scene.things.size[:, 0] * scene.things.size[:, 1]
    used = area @ loads
    surface = scene.known("surface")
    free = ~loads.any(axis=0) & ~surface | (used < FREE_SHARE * area) & surface
    return free[a]
