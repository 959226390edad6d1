"""a is inside b, a kind of thing that encloses others: a's centre is within b's box."""

KINDS = ("bin", "can", "sink", "basket", "bag", "fridge", "cabinet", "drawer", "box", "bowl")


def in_(scene, a, b):
    if scene.category(b).split()[-1] not in KINDS or scene.holds("holding", a):
        return False
    x, y, z = scene.offset(a, b)
    length, width, height = scene.size(b)
    return abs(x) < length / 2 and abs(y) < width / 2 and abs(z) < height / 2
