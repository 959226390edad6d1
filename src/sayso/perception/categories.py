"""Words for kinds of things: which category a noun names, whoever said it.

People, detectors and simulators call the same thing different names. Both sides of every
comparison go through here, so a couch that was asked for is found as the sofa that was seen.
What is a special case of something ("coffee table") is known by its last word; words for several
kinds ("container") stand for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

SYNONYMS: Mapping[str, str] = {
    "cube": "block",
    "brick": "block",
    "dish": "plate",
    "saucer": "plate",
    "cup": "mug",
    "basin": "bowl",
    "mat": "coaster",
    "cupboard": "cabinet",
    "couch": "sofa",
    "settee": "sofa",
    "sofa chair": "armchair",
    "tv": "television",
    "telly": "television",
    "television set": "television",
    "refrigerator": "fridge",
    "bin": "trash bin",
    "trash can": "trash bin",
    "trash": "trash bin",
    "dustbin": "trash bin",
    "garbage bin": "trash bin",
    "garbage can": "trash bin",
    "waste bin": "trash bin",
    "stairs": "staircase",
    "lift": "elevator",
    "bookcase": "bookshelf",
    "bookrack": "bookshelf",
    "book shelf": "bookshelf",
    "shelves": "shelf",
    "countertop": "counter",
    "worktop": "counter",
    "coffee machine": "coffee maker",
    "bedside table": "nightstand",
    "night stand": "nightstand",
    "dish washer": "dishwasher",
    "microwave oven": "microwave",
    "curtains": "curtain",
    "closet": "wardrobe",
    "doorway": "door",
    "white board": "whiteboard",
    "houseplant": "plant",
    "plant pot": "plant",
    "plushie": "plush toy",
    "plush": "plush toy",
    "stuffed toy": "plush toy",
    "stuffed animal": "plush toy",
    "soft toy": "plush toy",
    "teddy": "plush toy",
    "teddy bear": "plush toy",
    "purse": "handbag",
    "kitty": "cat",
    "light": "lamp",
    "light bulb": "bulb",
    "lightbulb": "bulb",
    "pet": "animal",
    "piece of furniture": "furniture",
}
"""Another word for a category -> the word that stands for all of them."""

_CHESTS = "freezer, pantry, storage, toolbox, trunk"
_VESSELS = "bottle, bowl, bucket, glass, jar, jug, kettle, mug, pan, pot, vase"
KINDS: Mapping[str, frozenset[str]] = {
    kind: frozenset(names.split(", "))
    for kind, names in {
        "animal": "bird, cat, dog, hamster, rabbit",
        "appliance": "coffee maker, dishwasher, freezer, fridge, heater, kettle, microwave, oven, "
        "stove, television, toaster, washer, washing machine",
        "chest": _CHESTS,
        "container": f"{_CHESTS}, {_VESSELS}, backpack, bag, basket, box, cabinet, can, case, "
        "chest, drawer, fridge, suitcase, trash bin, wardrobe",
        "fruit": "apple, banana, lemon, pear",
        "furniture": f"{_CHESTS}, armchair, bed, bench, bookshelf, cabinet, chair, chest, counter, "
        "desk, dresser, nightstand, shelf, sofa, stool, table, wardrobe, workbench",
        "vessel": _VESSELS,
    }.items()
}
"""What a word for several kinds stands for besides what is called so."""

_TAIL = re.compile(r"\s(?:of|with|without|from|that|for)\s.*$")


def category_of(noun: str) -> str:
    """The category that a noun or a detector's label names: lower case, words apart."""
    words = " ".join(re.sub(r"[_-]", " ", noun.lower()).split())
    return SYNONYMS.get(words, words)


def is_a(category: str, noun: str) -> bool:
    """Whether a thing of a category is what the noun asks for.

    A "coffee table" is a table, a "bag of chips" is a bag and a fridge is an appliance, but not
    the other way round.
    """
    wanted, seen = category_of(noun), category_of(category)
    head = category_of(_TAIL.sub("", seen))
    names = {seen, head, *_endings(head)}
    return wanted in names or not names.isdisjoint(KINDS.get(wanted, ()))


def _endings(noun: str) -> tuple[str, ...]:
    words = noun.split()
    return tuple(category_of(" ".join(words[i:])) for i in range(1, len(words)))
