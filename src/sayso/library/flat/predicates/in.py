"""a is inside b, a kind of thing that encloses others: a's centre is within b's box."""

KINDS = (
    "bin",
    "can",
    "sink",
    "basket",
    "bag",
    "box",
    "bowl",
    "cabinet",
    "chest",
    "closet",
    "cupboard",
    "dishwasher",
    "drawer",
    "dresser",
    "freezer",
    "fridge",
    "microwave",
    "oven",
    "pantry",
    "refrigerator",
    "storage",
    "toolbox",
    "trunk",
    "wardrobe",
    "washer",
)


def in_many(scene, a, b):
    things = scene.things
    encloses = things.each(lambda thing: thing.category.split()[-1] in KINDS)
    within = (abs(things.offset(a, b)) < things.size[b] / 2).all(axis=1)
    return encloses[b] & within & ~scene.known("holding", a)
