"""Programs drawn from the synthesiser's grammar, and labelled examples of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sayso.core.scene import Scene
from sayso.learning.synthesis.columns import Tables
from sayso.learning.synthesis.labels import Label
from sayso.learning.synthesis.measures import MEASURES
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Either,
    Exists,
    Kind,
    Not,
    Program,
    quantity,
    truth,
)
from sayso.learning.synthesis.proposals import arrangements
from sayso.learning.synthesis.tables import SceneTable
from support.learning_scenes import random_scene

PARAMETERS = ("a", "b")


def drawn_program(random: np.random.Generator, arity: int, parts: int) -> Program:
    """A program of up to `parts` atomic parts whose limits lie among values that occur."""
    program = _atom(random, PARAMETERS[:arity])
    for _ in range(parts - 1):
        kind = All if random.random() < 0.6 else Either
        program = kind((program, _atom(random, PARAMETERS[:arity])))
    return program


def _atom(random: np.random.Generator, parameters: tuple[str, ...]) -> Program:
    if parameters and random.random() < 0.2:
        return Kind(str(random.choice(parameters)), (str(random.choice(["cup", "egg", "plate"])),))
    fitting = [m for m in MEASURES.values() if list(arrangements(parameters, m.arity))]
    measure = fitting[int(random.integers(len(fitting)))]
    choices = list(arrangements(parameters, measure.arity))
    args = choices[int(random.integers(len(choices)))]
    below = bool(measure.below and (not measure.above or random.random() < 0.5))
    part = Compare(measure.name, args, below, _limit(random, measure.name, args, below))
    program: Program = Exists(part) if OTHER in args else part
    return Not(program) if random.random() < 0.3 else program


def _limit(random: np.random.Generator, name: str, args: tuple[str, ...], below: bool) -> float:
    """In the middle of a wide gap between values that occur."""
    values = []
    for seed in range(8):
        table = SceneTable(random_scene(seed), {})
        variables = tuple(sorted(set(args)))
        values.append(quantity(name, args, below, table, variables).ravel())
    found = np.unique(np.concatenate(values))
    found = found[np.isfinite(found)]
    if len(found) < 2:
        return float(found[0]) + 0.01 if len(found) else 0.01
    gaps = np.diff(found)
    wide = np.argsort(-gaps)[: max(1, len(gaps) // 8)]
    chosen = int(random.choice(wide))
    return float((found[chosen] + found[chosen + 1]) / 2)


def labelled(
    program: Program, arity: int, scenes: Sequence[Scene], random: np.random.Generator, count: int
) -> list[Label]:
    """Examples, half of them where the program holds if there are so many."""
    tables = Tables({})
    pools: dict[bool, list[Label]] = {True: [], False: []}
    for scene in scenes:
        table = tables.of(scene)
        held = np.broadcast_to(truth(program, table, PARAMETERS[:arity]), (table.count,) * arity)
        for places in np.ndindex(held.shape):
            if len(set(places)) == arity:
                args = tuple(table.names[p] for p in places)
                pools[bool(held[places])].append(Label(scene, args, bool(held[places])))
    chosen: list[Label] = []
    for pool in pools.values():
        order = random.permutation(len(pool))[: count // 2]
        chosen += [pool[int(i)] for i in order]
    return [chosen[int(i)] for i in random.permutation(len(chosen))]


def balanced(labels: Sequence[Label], least: int = 8) -> bool:
    true = sum(x.truth for x in labels)
    return min(true, len(labels) - true) >= least
