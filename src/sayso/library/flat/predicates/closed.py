"""The door or the lid is shut: unknown of what opens where neither is told; else it is not."""

SHUT = 0.02
OPENS = (
    "door",
    "doorway",
    "elevator",
    "lift",
    "machine",
    "window",
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


def closed(scene, a):
    if scene.observes(a, "lid_share"):
        return scene.attribute(a, "lid_share") < SHUT
    if scene.observes(a, "open_share") or scene.category(a).split(" ")[-1] in OPENS:
        return scene.attribute(a, "open_share") < SHUT
    return False
