"""a rests on b: a's centre is over b, its underside at b's top or at a seat or shelf below that.

The box of a sofa or a bookshelf reaches up to its back or its top, so what lies on the seat or on
a shelf is inside that box; the lowest part of a box holds nothing that rests on it.
"""

GAP = 0.05
LOWEST_SHARE = 0.15


def on_many(scene, a, b):
    things = scene.things
    over = (abs(things.offset(a, b)) <= things.size[b] / 2)[:, :2].all(axis=1)
    height = things.size[b, 2]
    rise = things.low[a, 2] - things.low[b, 2]
    on_top = abs(rise - height) <= GAP
    on_shelf = ~scene.of_type("enclosing")[b] & (LOWEST_SHARE * height < rise) & (rise < height)
    held = scene.known("holding", a) | scene.known("holding", b)
    return over & (on_top | on_shelf) & ~held
