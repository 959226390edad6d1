"""a stands on b: its underside is at b's top, or within a plate's rim, and its middle over b."""

GAP = 0.014


def on(scene, a, b):
    if scene.carried(a) or abs(scene.bottom(a) - scene.top(b)) > GAP:
        return False
    if scene.top(a) <= scene.top(b):
        return False
    return scene.low(b)[0] < scene.position(a)[0] < scene.high(b)[0]
