"""a is inside b: a's centre is between b's sides and a's underside is below b's rim."""

RIM = 0.005


def in_(scene, a, b):
    if not scene.holds("container", b) or scene.category(a) in ("drawer", "cabinet"):
        return False
    if scene.holds("holding", a) or scene.bottom(a) > scene.top(b) - RIM:
        return False
    x, y, _ = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
