"""a rests on top of b: a's underside is at b's top and a's centre is over b.

What lies in a tray rests on it, too: its underside is between the tray's floor and its rim. A block
whose upper part is hidden by what stands on it is as high as it is wide.
"""

import numpy as np

GAP = 0.018
CARRYING = ("block", "plate", "coaster", "tray")


def on_many(scene, a, b):
    things = scene.things
    carries = things.each(lambda thing: thing.category in CARRYING)
    walled = things.each(lambda thing: thing.category == "tray")
    low, high = things.low, things.high
    block = things.each(lambda thing: thing.category == "block")
    whole = low[:, 2] + np.where(block, things.size[:, :2].min(axis=1), things.size[:, 2])
    rests = np.minimum(abs(low[a, 2] - high[b, 2]), abs(low[a, 2] - whole[b])) <= GAP
    lies = walled[b] & (low[b, 2] - GAP <= low[a, 2]) & (low[a, 2] < high[b, 2])
    higher = high[a, 2] > high[b, 2]
    over = abs(things.offset(a, b)[:, :2]) < things.size[b, :2] / 2
    loose = ~scene.known("holding", a)
    return carries[b] & (rests & higher | lies) & over.all(axis=1) & loose
