"""a is inside b: a's centre is between b's sides, a's underside below b's rim and not below b.

A drawer's box shows only what stands out of its cabinet; its tray reaches further in.
"""

RIM = 0.005
FLOOR = 0.015
TRAY_DEPTH = 0.2


def in_many(scene, a, b):
    things = scene.things
    fixed = things.each(lambda thing: thing.category in ("drawer", "cabinet"))
    drawer = things.each(lambda thing: "opening_m" in thing.attributes)
    below = things.low[a, 2] <= things.high[b, 2] - RIM
    higher = things.high[a, 2] > things.low[b, 2] + RIM
    above = drawer[b] | ((things.low[a, 2] >= things.low[b, 2] - FLOOR) & higher)
    x, y, _ = things.offset(a, b).T
    length, width, _ = things.size[b].T
    back = length / 2 + drawer[b] * (TRAY_DEPTH - length)
    between = (-length / 2 < x) & (x < back) & (abs(y) < width / 2)
    loose = ~fixed[a] & ~scene.known("holding", a)
    return scene.known("container", b) & loose & below & above & between
