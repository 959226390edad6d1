"""a rests on top of b: a's underside is at b's top and a's centre is over b."""

GAP = 0.012


def on_many(scene, a, b):
    things = scene.things
    block = things.each(lambda thing: thing.category == "block")
    rests = abs(things.low[a, 2] - things.high[b, 2]) <= GAP
    centre = things.position[a, :2]
    over = (things.low[b, :2] < centre) & (centre < things.high[b, :2])
    return block[a] & block[b] & rests & over.all(axis=1) & ~scene.known("holding", a)
