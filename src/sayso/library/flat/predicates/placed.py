"""a rests on, in or right beside b, and the robot does not hold it.

Beside: the gap between the two boxes, seen from above, is at most BESIDE_M.
"""

BESIDE_M = 0.3


def placed_many(scene, a, b):
    things = scene.things
    resting = scene.known("on", a, b) | scene.known("in", a, b)
    beside = (things.gaps[a, b] <= BESIDE_M) & (things.low[a, 2] <= things.high[b, 2])
    held = scene.known("holding", a) | scene.known("holding", b)
    return ~held & (resting | beside)
