"""a rests on the table itself, not on or in another thing."""

GAP = 0.015


def on_table_many(scene, a):
    low = abs(scene.things.low[:, 2] - scene.table_height) <= GAP
    elsewhere = (scene.known("in") | scene.known("on")).any(axis=1)
    return (scene.known("movable") & low & ~elsewhere & ~scene.known("holding"))[a]
