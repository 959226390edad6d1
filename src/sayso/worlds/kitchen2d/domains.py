"""What is asked for in the three domains, and with which things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sayso.core.symbols import in_words
from sayso.worlds.kitchen2d.layout import Layout

_OBSTACLE = 0.3
"""How often something stands in the way of a task."""


@dataclass(frozen=True)
class Goal:
    """What is wanted: in words, and as ground atoms of the true domain."""

    words: str
    atoms: tuple[str, ...]


@dataclass
class Draft:
    """A task in the making.

    Attributes:
        novel: whether kinds that training does not show are drawn too.
    """

    random: np.random.Generator
    novel: bool
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        self.layout = Layout(self.random)

    def chance(self, probability: float = _OBSTACLE) -> bool:
        return bool(self.random.random() < probability)

    def count(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def one(self, known: Sequence[str], new: Sequence[str] = ()) -> str:
        """A kind: half of the time a new one, where new ones are drawn."""
        source = new if self.novel and new and self.chance(0.5) else known
        return str(self.random.choice(list(source)))

    def add(self, known: Sequence[str], new: Sequence[str] = (), on: str = "") -> str:
        """One more thing of such a kind; its name."""
        return self.layout.add(self.one(known, new), on)


@dataclass(frozen=True)
class Family:
    """A domain's tasks: each function furnishes a draft and says what is wanted."""

    simple: tuple[Callable[[Draft], Goal], ...]
    complex: tuple[Callable[[Draft], Goal], ...]


_LARGE, _NEW_LARGE = ("shelf", "coaster"), ("tray",)
_SMALL, _NEW_SMALL = ("block", "can", "box", "tin"), ("jar", "carton", "sponge")
_MATS, _NEW_MATS = ("mat",), ("napkin",)
_MEAL, _NEW_MEAL = ("bread", "butter", "jar", "can"), ("honey", "cheese", "cereal")
_FOOD, _NEW_FOOD = ("sausage", "potato", "carrot", "tomato"), ("mushroom", "egg")


def _put(a: str, b: str, preposition: str = "on") -> Goal:
    words = f"Put {in_words(a)} {preposition} {in_words(b)}."
    return Goal(words, (f"{preposition}({a}, {b})",))


def _onto_table(a: str) -> Goal:
    return Goal(f"Put {in_words(a)} on the table.", (f"on_table({a})",))


def _tower(first: str, things: Sequence[str]) -> tuple[str, ...]:
    pairs = zip(things, (first, *things), strict=False)
    return tuple(f"on({a}, {b})" for a, b in pairs)


def _smalls(draft: Draft, count: int) -> list[str]:
    """Small things, some of them on another."""
    names: list[str] = []
    bare: list[str] = []
    for _ in range(count + (2 if draft.novel else 0)):
        on = bare.pop() if bare and draft.chance() else ""
        names.append(draft.add(_SMALL, _NEW_SMALL, on))
        bare.append(names[-1])
    return names


def _store_on_large(draft: Draft) -> Goal:
    large = draft.add(_LARGE, _NEW_LARGE)
    if draft.chance():
        draft.add(_SMALL, _NEW_SMALL, on=large)
    return _put(str(draft.random.choice(_smalls(draft, 3))), large)


def _store_on_small(draft: Draft) -> Goal:
    large = draft.add(_LARGE, _NEW_LARGE)
    b = draft.add(_SMALL, _NEW_SMALL, on=large if draft.chance() else "")
    a = draft.add(_SMALL, _NEW_SMALL)
    _smalls(draft, 2)
    return _put(a, b)


def _store_on_table(draft: Draft) -> Goal:
    large = draft.add(_LARGE, _NEW_LARGE)
    a = draft.add(_SMALL, _NEW_SMALL, on=large)
    if draft.chance():
        draft.add(_SMALL, _NEW_SMALL, on=a)
    _smalls(draft, 2)
    return _onto_table(a)


def _store_in_order(draft: Draft) -> Goal:
    large = draft.add(_LARGE, _NEW_LARGE)
    if draft.chance():
        draft.add(_SMALL, _NEW_SMALL, on=large)
    names = _smalls(draft, draft.count(3, 4))
    height = draft.count(2, 3) + (1 if draft.novel else 0)
    chosen = [str(n) for n in draft.random.permutation(names)[:height]]
    listed = ", then ".join(map(in_words, chosen))
    words = f"Store these in a stack on {in_words(large)}, from the bottom up: {listed}."
    return Goal(words, _tower(large, chosen))


def _table(draft: Draft) -> tuple[str, str]:
    """A mat and a plate, sometimes also a board, which is too thick to push a plate onto."""
    mat = draft.add(_MATS, _NEW_MATS)
    plate = draft.add(("plate",))
    if draft.chance():
        draft.add(("board",))
    return mat, plate


def _meal(draft: Draft, count: int) -> list[str]:
    total = count + (1 if draft.novel else 0)
    return [draft.add(_MEAL, _NEW_MEAL) for _ in range(total)]


def _table_small(draft: Draft) -> Goal:
    mat, plate = _table(draft)
    target = mat if draft.chance(0.5) else plate
    if draft.chance():
        draft.add(_MEAL, _NEW_MEAL, on=target)
    return _put(str(draft.random.choice(_meal(draft, 2))), target)


def _table_plate(draft: Draft) -> Goal:
    mat, plate = _table(draft)
    if draft.chance(0.5):
        draft.add(_MEAL, _NEW_MEAL, on=plate if draft.chance(0.5) else mat)
    _meal(draft, 2)
    return _put(plate, mat)


def _table_free(draft: Draft) -> Goal:
    mat, plate = _table(draft)
    a = draft.add(_MEAL, _NEW_MEAL, on=mat if draft.chance(0.5) else plate)
    if draft.chance():
        draft.add(_MEAL, _NEW_MEAL, on=a)
    _meal(draft, 1)
    return _onto_table(a)


def _breakfast(draft: Draft) -> Goal:
    mat, plate = _table(draft)
    if draft.chance():
        draft.add(_MEAL, _NEW_MEAL, on=mat if draft.chance(0.5) else plate)
    names = _meal(draft, 3)
    chosen = [plate, *map(str, draft.random.permutation(names)[: draft.count(1, 2)])]
    if draft.novel:
        chosen = [plate, *map(str, draft.random.permutation(names)[: draft.count(2, 3)])]
    atoms = _tower(mat, chosen)
    under = zip(chosen, (mat, *chosen), strict=False)
    listed = ", ".join(f"{in_words(a)} on {in_words(b)}" for a, b in under)
    return Goal(f"Set the breakfast table: {listed}.", atoms)


def _kitchen(draft: Draft, foods: int, cups: int) -> tuple[str, list[str], list[str]]:
    """A pot, a faucet, sometimes a basket, and food and cups."""
    pot = draft.add(("pot",))
    draft.add(("faucet",))
    if draft.chance():
        draft.add(("basket",))
    more = 1 if draft.novel else 0
    names = [draft.add(_FOOD, _NEW_FOOD) for _ in range(foods + more)]
    return pot, names, [draft.add(("cup",)) for _ in range(cups + more)]


def _fill_cup(draft: Draft) -> Goal:
    _, _, cups = _kitchen(draft, 2, draft.count(1, 2))
    words = f"Fill {in_words(cups[0])} with water and put it on the table."
    return Goal(words, (f"has_water({cups[0]})", f"on_table({cups[0]})"))


def _fill_pot(draft: Draft) -> Goal:
    pot, _, _ = _kitchen(draft, 2, draft.count(1, 2))
    return Goal(f"Pour water into {in_words(pot)}.", (f"has_water({pot})",))


def _food_in_pot(draft: Draft) -> Goal:
    pot, foods, _ = _kitchen(draft, 2, 1)
    return _put(foods[0], pot, "in")


def _meal_in_pot(draft: Draft) -> Goal:
    pot, foods, cups = _kitchen(draft, 3, 2)
    chosen = foods[: draft.count(1, 2) + (1 if draft.novel else 0)]
    listed = " and ".join(map(in_words, chosen))
    words = (
        f"Cook a meal: pour water into {in_words(pot)} and put {listed} in it. "
        f"Then fill {in_words(cups[0])} with water and put it on the table."
    )
    inside = tuple(f"in({f}, {pot})" for f in chosen)
    drink = (f"has_water({cups[0]})", f"on_table({cups[0]})")
    return Goal(words, (f"has_water({pot})", *inside, *drink))


DOMAINS: Mapping[str, Family] = {
    "store": Family((_store_on_large, _store_on_small, _store_on_table), (_store_in_order,)),
    "table": Family((_table_small, _table_plate, _table_free), (_breakfast,)),
    "cook": Family((_fill_cup, _fill_pot, _food_in_pot), (_meal_in_pot,)),
}
"""`store` is StoreObjects, `table` SetTable, `cook` CookMeal."""
