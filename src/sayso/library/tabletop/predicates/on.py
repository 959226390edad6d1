"""a rests on top of b: a's underside is at b's top and a's centre is over b."""

GAP = 0.018
CARRYING = ("block", "plate", "coaster")


def on_many(scene, a, b):
    things = scene.things
    carries = things.each(lambda thing: thing.category in CARRYING)
    low, high, centre = things.low, things.high, things.position
    rests = abs(low[a, 2] - high[b, 2]) <= GAP
    higher = high[a, 2] > high[b, 2]
    over = (low[b, :2] < centre[a, :2]) & (centre[a, :2] < high[b, :2])
    return carries[b] & rests & higher & over.all(axis=1) & ~scene.known("holding", a)
