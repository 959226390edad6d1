"""Tasks of the three domains: ten simple ones to learn from, and four test sets of ten.

| set | things | goals |
|---|---|---|
| training, canonical | known kinds | one step: put one thing somewhere, fill one vessel |
| more_objects | also kinds never met in training, and more of them | one step |
| novel_goals | known kinds | many steps: stack in order, set the table, cook |
| combined | also new kinds | many steps |

Every task is data and depends on its domain, set, seed and number alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.worlds.domains.domain import SETS
from sayso.worlds.kitchen2d.domains import DOMAINS, Draft, Goal
from sayso.worlds.kitchen2d.scene import KitchenScene

COUNT = 10


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        words: what the person wants, in plain English.
        goal: the ground atoms of the true domain that must hold; for evaluation and the
            simulated person only.
        seed: for `Kitchen2D`.
    """

    name: str
    domain: str
    test_set: str
    words: str
    scene: KitchenScene
    seed: int
    goal: tuple[str, ...]


def tasks(domain: str, test_set: str, seed: int = 0, count: int = COUNT) -> tuple[Task, ...]:
    """A set of tasks. Raises INVALID for an unknown domain or set."""
    for what, name, known in (("domain", domain, DOMAINS), ("set", test_set, SETS)):
        if name not in known:
            raise SaySoError(Code.INVALID, f"there is no {what} '{name}'.", choices=known)
    return tuple(_task(domain, test_set, seed, i) for i in range(count))


def _task(domain: str, test_set: str, seed: int, number: int) -> Task:
    family = DOMAINS[domain]
    key = zlib.crc32(f"{domain}/{test_set}".encode())
    draft = Draft(
        np.random.default_rng((key, seed, number)), test_set in ("more_objects", "combined")
    )
    makers: tuple[Callable[[Draft], Goal], ...]
    makers = family.complex if test_set in ("novel_goals", "combined") else family.simple
    goal = makers[number % len(makers)](draft)
    return Task(
        name=f"{domain}_{test_set}_{seed}_{number}",
        domain=domain,
        test_set=test_set,
        words=goal.words,
        scene=draft.layout.scene(),
        seed=int(draft.layout.random.integers(2**31)),
        goal=goal.atoms,
    )
