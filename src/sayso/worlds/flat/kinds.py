"""The kinds of things that a flat can hold: their sizes, looks and where they stand."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.worlds.flat import appliances as a
from sayso.worlds.flat import furniture as f
from sayso.worlds.flat import small_things as t
from sayso.worlds.flat.colors import PALETTE
from sayso.worlds.flat.parts import Part
from sayso.worlds.things import Rgba

Stand = Literal["wall", "free", "on", "hung"]
Builder = Callable[[Vector3, Rgba], list[Part]]


@dataclass(frozen=True)
class Kind:
    """One kind of thing.

    Attributes:
        name: unique.
        size: default depth, width and height [m].
        color: default colour.
        build: gives the parts for a size and a colour.
        stand: where it is put: back to a wall, free on the floor, on furniture, hung on a wall.
        mass_kg: of a thing that can be carried; 0 for what stays where it is.
        tops: heights [m] over its foot on which things can stand; the last is preferred.
        open_top: True for what things are dropped into.
        switched: what changes when it is turned on and off, such as `lit`; "" without a switch.
        lidded: whether a drive rolls a lid over its opening.
    """

    name: str
    size: Vector3
    color: str
    build: Builder
    stand: Stand = "wall"
    mass_kg: float = 0.0
    tops: tuple[float, ...] = ()
    open_top: bool = False
    switched: str = ""
    lidded: bool = False

    @property
    def movable(self) -> bool:
        return self.mass_kg > 0


def _top(name: str, size: Vector3, color: str, build: Builder, stand: Stand = "wall") -> Kind:
    return Kind(name, size, color, build, stand, tops=(size[2],))


def _small(name: str, size: Vector3, color: str, build: Builder, mass_kg: float) -> Kind:
    return Kind(name, size, color, build, "on", mass_kg)


_FURNITURE: tuple[Kind, ...] = (
    Kind("sofa", (0.90, 1.80, 0.80), "blue", f.sofa, tops=(0.44,)),
    Kind("armchair", (0.85, 0.90, 0.80), "grey", f.sofa, tops=(0.44,)),
    Kind("chair", (0.45, 0.45, 0.88), "wooden", f.chair, "free", tops=(0.45,)),
    _top("table", (0.80, 1.20, 0.72), "wooden", f.table, "free"),
    _top("small_table", (0.50, 0.50, 0.50), "wooden", f.table, "free"),
    _top("desk", (0.70, 1.40, 0.74), "brown", f.desk),
    _top("nightstand", (0.45, 0.45, 0.55), "wooden", f.cabinet),
    _top("counter", (0.62, 1.60, 0.88), "white", f.counter),
    _top("cabinet", (0.45, 0.90, 0.95), "brown", f.cabinet),
    Kind("wardrobe", (0.60, 1.20, 1.90), "white", f.cabinet),
    Kind("bookshelf", (0.35, 1.00, 1.80), "brown", f.bookshelf),
    Kind("shelf", (0.40, 0.90, 0.80), "wooden", f.shelves, tops=(0.80,)),
    Kind("rack", (0.35, 0.80, 0.50), "white", f.shelves, tops=(0.50,)),
    Kind("fridge", (0.68, 0.70, 1.75), "white", a.fridge),
    _top("mini_fridge", (0.50, 0.50, 0.85), "grey", a.fridge),
    _top("stove", (0.62, 0.60, 0.88), "white", a.stove),
    Kind("sink", (0.62, 0.80, 0.88), "white", f.sink, tops=(0.725,), open_top=True),
    _top("washing_machine", (0.60, 0.60, 0.85), "white", a.washer),
    _top("dishwasher", (0.60, 0.60, 0.85), "white", a.dishwasher),
    Kind("microwave", (0.36, 0.48, 0.28), "black", a.oven, "on"),
    Kind("coffee_maker", (0.28, 0.20, 0.36), "black", a.coffee_maker, "on"),
    Kind("television", (0.40, 1.30, 1.25), "black", a.television, switched="running"),
    Kind("computer", (0.40, 0.52, 0.46), "black", a.computer, "on"),
    Kind("laptop", (0.24, 0.34, 0.23), "grey", a.laptop, "on"),
    Kind("bed", (2.00, 1.50, 0.90), "blue", f.bed, tops=(0.47,)),
    Kind("plant", (0.40, 0.40, 0.80), "brown", f.plant, "free"),
    Kind("tree", (0.60, 0.60, 1.70), "white", f.tree, "free"),
    Kind("trash_bin", (0.35, 0.35, 0.45), "grey", f.bin_, "free", tops=(0.02,), open_top=True),
    Kind("box", (0.40, 0.50, 0.32), "brown", f.bin_, "free", tops=(0.02,), open_top=True),
    Kind("chest", f.CHEST_M, "white", f.chest, tops=(f.CHEST_FLOOR_M,), open_top=True, lidded=True),
    Kind("basket", (0.40, 0.40, 0.30), "wooden", f.bin_, "free", tops=(0.02,), open_top=True),
    Kind("whiteboard", (0.45, 1.40, 1.75), "white", f.board),
    Kind("pillar", (0.40, 0.40, 2.20), "yellow", f.pillar, "free"),
    Kind("painting", (0.03, 0.80, 0.60), "blue", f.picture, "hung"),
    Kind("room_sign", (0.02, 0.45, 0.20), "blue", f.picture, "hung"),
    Kind("poster", (0.02, 0.50, 0.70), "red", f.picture, "hung"),
    Kind("curtain", (0.12, 1.40, 2.00), "green", f.curtain),
    Kind("staircase", (1.80, 1.00, 1.40), "grey", f.staircase),
    Kind("elevator", (0.30, 1.30, 2.20), "metal", f.elevator),
    Kind("robot", (0.50, 0.55, 1.10), "yellow", f.robot, "free"),
    Kind("lamp", (0.36, 0.36, 1.40), "white", a.lamp, "free", switched="lit"),
    Kind("lantern", (0.22, 0.22, 0.40), "orange", a.lamp, "free", switched="lit"),
    Kind("guitar", (0.30, 0.38, 1.05), "wooden", f.guitar, "free"),
    Kind("water_filter", (0.34, 0.34, 1.25), "white", a.water_filter),
    Kind("vacuum_cleaner", (0.28, 0.26, 1.15), "purple", a.vacuum, "free"),
    Kind("floor_sign", (0.30, 0.28, 0.60), "yellow", f.floor_sign, "free"),
    Kind("machine", (0.50, 0.50, 1.00), "grey", f.cabinet, tops=(1.00,)),
)

_SMALL: tuple[Kind, ...] = (
    _small("mug", (0.070, 0.070, 0.095), "white", t.mug, 0.20),
    _small("can", (0.064, 0.064, 0.120), "red", t.can, 0.25),
    _small("bottle", (0.064, 0.064, 0.200), "green", t.bottle, 0.30),
    _small("book", (0.150, 0.040, 0.200), "blue", t.book, 0.30),
    _small("bag", (0.120, 0.060, 0.170), "brown", t.packet, 0.15),
    _small("handbag", (0.220, 0.070, 0.220), "yellow", t.handbag, 0.30),
    _small("plush_toy", (0.120, 0.100, 0.170), "green", t.plush, 0.12),
    _small("apple", (0.070, 0.070, 0.072), "red", t.fruit, 0.15),
    _small("lemon", (0.060, 0.060, 0.065), "yellow", t.fruit, 0.10),
    _small("fruit", (0.068, 0.068, 0.070), "orange", t.fruit, 0.15),
    _small("banana", (0.045, 0.170, 0.040), "yellow", t.banana, 0.12),
    _small("cloth", (0.060, 0.120, 0.045), "grey", t.cloth, 0.08),
    _small("packet", (0.060, 0.110, 0.090), "white", t.packet, 0.15),
)

_WALKING: tuple[Kind, ...] = (
    Kind("person", (0.36, 0.52, 1.72), "blue", f.person, "free"),
    Kind("cat", (0.50, 0.20, 0.32), "orange", f.cat, "free"),
)

KINDS: dict[str, Kind] = {k.name: k for k in (*_FURNITURE, *_SMALL, *_WALKING)}
WALKING: tuple[str, ...] = tuple(k.name for k in _WALKING)

_ALSO: dict[str, tuple[str, ...]] = {
    "sofa": ("couch", "settee"),
    "armchair": ("sofa_chair",),
    "small_table": ("coffee_table",),
    "counter": ("countertop", "kitchen_counter", "surface", "worktop"),
    "cabinet": ("cupboard", "drawer"),
    "bookshelf": ("bookrack", "bookcase", "book_shelf"),
    "shelf": ("shelves",),
    "rack": ("shoe_rack",),
    "television": ("tv",),
    "computer": ("monitor", "screen"),
    "laptop": ("macbook",),
    "plant": ("plant_pot", "succulent", "flower"),
    "trash_bin": ("trash_can", "dustbin", "bin", "trash"),
    "box": ("container", "crate"),
    "coffee_maker": ("coffee_machine",),
    "staircase": ("stairs",),
    "fridge": ("refrigerator",),
    "dishwasher": ("dish_washer",),
    "curtain": ("curtains",),
    "floor_sign": ("sign",),
    "water_filter": ("water_dispenser",),
    "mug": ("cup", "tea_pot", "jar"),
    "can": ("soda", "coke", "pepsi", "7up", "redbull", "tea", "soup", "drink"),
    "bottle": ("juice", "oil", "shampoo", "spray", "aerosol", "salt", "milk", "medicine"),
    "bag": ("chips", "takis", "snack", "takeaway"),
    "handbag": ("purse", "backpack", "red_bag", "yellow_bag"),
    "plush_toy": ("toy", "teddy"),
    "fruit": ("orange", "peach", "pear"),
    "cloth": ("towel", "towels", "rag", "napkin", "sponge", "gloves", "slippers", "mask", "masks"),
    "packet": (
        "gum", "butter", "blueberries", "almonds", "pickles", "cucumber", "wallet", "eyeglass_case",
        "adapter", "energy_bar", "meds", "object",
    ),
    "table": ("kitchen_table",),
    "room_sign": ("office", "classroom", "kitchen", "bathroom", "bedroom"),
    "desk": ("front_desk", "office_desk"),
}  # fmt: skip

NOUNS: dict[str, str] = {
    **{word: kind for kind, words in _ALSO.items() for word in words},
    **{kind: kind for kind in KINDS},
}
"""The kind that each noun of the catalogue names."""


_AFTER_NOUNS = ("with", "about", "of", "that", "from")


def kind(name: str) -> Kind:
    """The kind of that name. Raises INVALID, with near names, for an unknown one."""
    if name not in KINDS:
        near = difflib.get_close_matches(name, KINDS, 5, 0.4)
        raise SaySoError(
            Code.INVALID,
            f"the flat has no kind '{name}'.",
            choices=near or sorted(KINDS),
        )
    return KINDS[name]


@dataclass(frozen=True)
class Naming:
    """What a name such as `small_yellow_cabinet` asks for: a kind, a colour and a noun."""

    kind: str
    color: str
    category: str


def understand(name: str) -> Naming:
    """Read colour words and the noun out of a snake_case name.

    The category is what remains without the colour; the kind is that of its longest ending
    in the catalogue, before any number or `with ...` and the like. Raises INVALID when no
    ending is known.
    """
    words = name.lower().split("_")
    if name in NOUNS:
        return Naming(NOUNS[name], "", name)
    color = next((w for w in words if w in PALETTE and len(words) > 1), "")
    rest = [w for w in words if w != color] or words
    category = "_".join(rest)
    head = _head(rest)
    for start in range(len(head)):
        noun = "_".join(head[start:])
        for candidate in (noun, noun.removesuffix("s")):
            if candidate in NOUNS:
                return Naming(NOUNS[candidate], color, category)
    raise SaySoError(
        Code.INVALID,
        f"the flat has nothing that could be a '{name}'.",
        choices=difflib.get_close_matches(head[-1], NOUNS, 5, 0.4) or sorted(KINDS),
    )


def _head(words: list[str]) -> list[str]:
    """The words up to the noun: without `_with_holes`, `_about_to_rot`, `_2`."""
    end = next((i for i, w in enumerate(words) if i and w in _AFTER_NOUNS), len(words))
    return words[: end - 1] if end > 1 and words[end - 1].isdigit() else words[:end]
