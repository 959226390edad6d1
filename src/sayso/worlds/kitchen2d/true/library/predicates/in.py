"""a is inside b: its middle is within b's box."""


def in_(scene, a, b):
    if scene.carried(a) or not scene.holds("container", b):
        return False
    x, _, z = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[2] < z < high[2]
