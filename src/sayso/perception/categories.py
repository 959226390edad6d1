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
    word: kind
    for kind, words in {
        "block": "cube, brick",
        "plate": "dish, saucer",
        "mug": "cup",
        "bowl": "basin",
        "coaster": "mat",
        "cabinet": "cupboard",
        "sofa": "couch, settee",
        "armchair": "sofa chair",
        "television": "tv, telly, television set",
        "fridge": "refrigerator",
        "trash bin": "bin, trash can, trash, dustbin, garbage bin, garbage can, waste bin",
        "staircase": "stairs",
        "elevator": "lift",
        "bookshelf": "bookcase, bookrack, book shelf",
        "shelf": "shelves",
        "counter": "countertop, worktop",
        "coffee maker": "coffee machine",
        "nightstand": "bedside table, night stand",
        "dishwasher": "dish washer",
        "microwave": "microwave oven",
        "curtain": "curtains",
        "wardrobe": "closet",
        "door": "doorway",
        "whiteboard": "white board",
        "plant": "houseplant, plant pot",
        "plush toy": "plushie, plush, stuffed toy, stuffed animal, soft toy, teddy, teddy bear",
        "handbag": "purse",
        "cat": "kitty",
        "lamp": "light",
        "bulb": "light bulb, lightbulb",
        "animal": "pet",
        "furniture": "piece of furniture",
    }.items()
    for word in words.split(", ")
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
