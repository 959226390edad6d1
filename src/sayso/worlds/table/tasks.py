"""StoreObjects and SetTable on the simulated table: tasks as data, with seeds.

| set | things | goals |
|---|---|---|
| training, canonical | the blocks and what training stands them on | one step |
| more_objects | everything there is, a new kind among it as the goal | one step |
| novel_goals | as in training | many steps: stacks in order, a whole table |
| combined | everything there is | many steps |

In `store` things are put on the coaster and on each other; plate, bowl and mug are never seen in
training. In `table` plate and coaster are laid; mug and bowl are new. A task says which of the
world's things are there, where the layout of its seed puts them, and what stands on what.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import in_words

DOMAINS = ("store", "table")
SETS = ("training", "canonical", "more_objects", "novel_goals", "combined")
TEST_SETS = SETS[1:]
TRAINING, TESTING = 10, 5
"""Tasks to learn from, and in each test set, as in the paper's real-robot study."""

BLOCKS = ("red_block", "green_block", "blue_block")
NEW_DISHES = ("mug", "bowl")
_OBSTACLE = 0.4


@dataclass(frozen=True)
class TableTask:
    """One task.

    Attributes:
        words: what the person wants.
        goal: ground atoms of the true library; for the simulated person and scoring only.
        seed: of the world's layout and noise.
        absent: things of the world that are taken away before.
        stacked: (upper, lower) pairs that are put so before, from the bottom up.
    """

    name: str
    domain: str
    test_set: str
    words: str
    goal: tuple[str, ...]
    seed: int
    absent: tuple[str, ...]
    stacked: tuple[tuple[str, str], ...]


def table_tasks(domain: str, test_set: str, seed: int = 0, count: int = 0) -> tuple[TableTask, ...]:
    """A set of tasks; 0 gives as many as in the paper's study. Raises INVALID."""
    for what, name, known in (("domain", domain, DOMAINS), ("set", test_set, SETS)):
        if name not in known:
            raise SaySoError(Code.INVALID, f"there is no {what} '{name}'.", choices=known)
    usual = TRAINING if test_set == "training" else TESTING
    return tuple(_task(domain, test_set, seed, i) for i in range(count or usual))


@dataclass
class _Draft:
    """A task in the making."""

    random: np.random.Generator
    domain: str
    novel: bool
    stacked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def supports(self) -> tuple[str, ...]:
        """What things are put on: known ones, or a new one where new ones are there."""
        if self.domain == "table":
            return ("plate", "coaster")
        return ("plate",) if self.novel else ("coaster",)

    def blocks(self) -> list[str]:
        """All blocks in random order."""
        return [str(b) for b in self.random.permutation(BLOCKS)]

    def chance(self) -> bool:
        return bool(self.random.random() < _OBSTACLE)

    def stack(self, upper: str, lower: str) -> None:
        self.stacked.append((upper, lower))


_Goal = tuple[str, tuple[str, ...]]


def _put(a: str, b: str) -> _Goal:
    return f"Put {in_words(a)} on {in_words(b)}.", (f"on({a}, {b})",)


def _on_support(draft: _Draft) -> _Goal:
    """One thing on a support, with another in the way now and then."""
    support = str(draft.random.choice(draft.supports))
    a, b, c = draft.blocks()
    if draft.chance():
        draft.stack(b, support)
    elif draft.chance():
        draft.stack(c, a)
    return _put(a, support)


def _on_block(draft: _Draft) -> _Goal:
    a, b, c = draft.blocks()
    if draft.chance():
        draft.stack(b, str(draft.random.choice(draft.supports)))
    if draft.chance():
        draft.stack(c, a)
    return _put(a, b)


def _on_table(draft: _Draft) -> _Goal:
    support = str(draft.random.choice(draft.supports))
    a, b, _ = draft.blocks()
    draft.stack(a, support)
    if draft.chance():
        draft.stack(b, a)
    return f"Put {in_words(a)} on the table.", (f"on_table({a})",)


def _in_order(draft: _Draft) -> _Goal:
    """A stack of two or three on a support, from the bottom up."""
    support = draft.supports[0]
    blocks = draft.blocks()
    if draft.chance():
        draft.stack(blocks[-1], support)
    elif draft.chance():
        draft.stack(blocks[1], blocks[0])
    chosen = blocks[: 3 if draft.novel or draft.chance() else 2]
    listed = ", then ".join(map(in_words, chosen))
    words = f"Store these in a stack on {in_words(support)}, from the bottom up: {listed}."
    return words, _tower(support, chosen)


def _whole_table(draft: _Draft) -> _Goal:
    """Something on the plate and something on the coaster, at times with more on top."""
    a, b, c = draft.blocks()
    if draft.chance():
        draft.stack(c, "plate")
    pairs = [(a, "plate"), (b, "coaster")]
    if draft.novel or draft.chance():
        pairs.append((c, a))
    listed = ", ".join(f"{in_words(x)} on {in_words(y)}" for x, y in pairs)
    return f"Set the breakfast table: {listed}.", tuple(f"on({x}, {y})" for x, y in pairs)


def _tower(first: str, things: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"on({a}, {b})" for a, b in zip(things, (first, *things), strict=False))


_SIMPLE: tuple[Callable[[_Draft], _Goal], ...] = (_on_support, _on_block, _on_table)
_COMPLEX: Mapping[str, tuple[Callable[[_Draft], _Goal], ...]] = {
    "store": (_in_order,),
    "table": (_whole_table,),
}


def _task(domain: str, test_set: str, seed: int, number: int) -> TableTask:
    key = zlib.crc32(f"{domain}/{test_set}".encode())
    random = np.random.default_rng((key, seed, number))
    novel = test_set in ("more_objects", "combined")
    draft = _Draft(random, domain, novel)
    makers = _COMPLEX[domain] if test_set in ("novel_goals", "combined") else _SIMPLE
    words, goal = makers[number % len(makers)](draft)
    absent = () if novel else (*NEW_DISHES, *(("plate",) if domain == "store" else ()))
    return TableTask(
        f"{domain}_{test_set}_{seed}_{number}", domain, test_set, words, goal,
        int(random.integers(2**31)), absent, tuple(draft.stacked),
    )  # fmt: skip
