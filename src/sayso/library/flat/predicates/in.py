"""a is inside b, a thing that encloses others: a's centre is within b's box."""


def in_many(scene, a, b):
    things = scene.things
    within = (abs(things.offset(a, b)) < things.size[b] / 2).all(axis=1)
    return scene.of_type("enclosing")[b] & within & ~scene.known("holding", a)
