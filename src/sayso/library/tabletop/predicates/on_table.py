"""a rests on the table itself, not on or in another thing; unknown of what was let go unseen."""

import numpy as np

GAP = 0.015


def on_table_many(scene, a):
    things = scene.things
    fixed = things.each(lambda thing: thing.category in ("cabinet", "drawer"))
    low = things.low[:, 2] - scene.table_height <= GAP
    elsewhere = (scene.known("in") | scene.known("on")).any(axis=1)
    rests = ~fixed & low & ~elsewhere & ~scene.known("holding")
    unseen = things.each(lambda thing: thing.let_go)
    return np.where(unseen & ~fixed, None, rests)[a]
