"""a rests on b: a's centre is over b, its underside at b's top or at a seat or shelf below that.

The box of a sofa or a bookshelf reaches up to its back or its top, so what lies on the seat or on
a shelf is inside that box; the lowest part of a box holds nothing that rests on it.
"""

GAP = 0.05
LOWEST_SHARE = 0.15
ENCLOSING = ("bin", "can", "sink", "basket", "bag", "fridge", "cabinet", "drawer", "box", "bowl")


def on(scene, a, b):
    if scene.holds("holding", a) or scene.holds("holding", b):
        return False
    x, y, _ = scene.offset(a, b)
    length, width, height = scene.size(b)
    if abs(x) > length / 2 or abs(y) > width / 2:
        return False
    rise = scene.bottom(a) - scene.bottom(b)
    if abs(rise - height) <= GAP:
        return True
    enclosing = scene.category(b).split()[-1] in ENCLOSING
    return not enclosing and LOWEST_SHARE * height < rise < height
