"""a is inside b: a's centre is within b's box, and the hand does not hold a."""


def in_many(scene, a, b):
    things = scene.things
    within = (abs(things.offset(a, b)) < things.size[b] / 2).all(axis=1)
    inside = scene.known("movable", a) & scene.known("container", b) & within
    return inside & ~scene.known("holding", a)
