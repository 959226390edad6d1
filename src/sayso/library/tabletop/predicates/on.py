"""a rests on top of b: a's underside is at b's top and a's centre is over b."""

GAP = 0.018


def on(scene, a, b):
    if scene.category(b) not in ("block", "plate", "coaster") or scene.holds("holding", a):
        return False
    if abs(scene.bottom(a) - scene.top(b)) > GAP or scene.top(a) <= scene.top(b):
        return False
    x, y, _ = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
