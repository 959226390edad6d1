"""a stands on b: its underside is at b's top, or within a plate's rim, and its middle over b."""

GAP = 0.014


def on(scene, a, b):
    if scene.carried(a) or abs(scene.bottom(a) - scene.top(b)) > GAP:
        return False
    if scene.top(a) <= scene.top(b):
        return False
    x, y, _ = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
