"""Plans from words without a model: the most alike task's program, adapted to the scene."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from sayso.core.ports import Embedder
from sayso.worlds.virtualhome.tasks import ACTOR, Step, Task, class_of, number_of
from sayso.worlds.virtualhome.world import VirtualHome, foreseen

MOST_ALIKE = 20
"""Of other titles' tasks so many are looked into."""


class Programs:
    """Programs of other tasks, found by the likeness of titles and descriptions.

    Args:
        embedder: says which sentences are alike.
    """

    def __init__(self, embedder: Embedder, tasks: Mapping[str, Task]) -> None:
        self._tasks = tuple(tasks.values())
        self._vectors = embedder.embed([f"{t.title}. {t.words}" for t in self._tasks])
        self._place = {t.key: i for i, t in enumerate(self._tasks)}

    def nearest(self, given: Task, *, same_title: bool) -> Task:
        """The most alike task, never the task itself nor one with an equal program.

        Args:
            same_title: whether other tasks of its title may be taken; else no such one is.
        """
        return next(t for t in self._alike(given) if same_title or t.title != given.title)

    def fitting(self, world: VirtualHome, *, same_title: bool) -> Task:
        """The task whose program needs least to be changed in a house: one of its title, where
        that may be taken and there is one, else one of the most alike.

        Of several the most alike.
        """
        given = world.task
        others = self.of_title(given) if same_title else ()
        if not others:
            allowed = (t for t in self._alike(given) if same_title or t.title != given.title)
            others = tuple(islice(allowed, MOST_ALIKE))
        return min(others, key=lambda t: misfits(t.program, world))

    def of_title(self, given: Task) -> tuple[Task, ...]:
        """The other tasks of its title with another program, the most alike first."""
        return tuple(t for t in self._alike(given) if t.title == given.title)

    def _alike(self, given: Task) -> Iterator[Task]:
        """The other tasks with another program, the most alike first."""
        likeness = self._vectors @ self._vectors[self._place[given.key]]
        for i in np.argsort(-likeness, kind="stable"):
            if self._tasks[i].key != given.key and self._tasks[i].program != given.program:
                yield self._tasks[i]


def misfits(program: Sequence[Step], world: VirtualHome) -> int:
    """How much speaks against a program in a house: steps that are to be left out or changed since
    their things are not there, steps that could then not be taken, as far as the operators foresee,
    and kinds of things that the task's words name and no step is about."""
    seen = world.observe()
    steps = adapted(program, sorted(set(seen.objects) - {ACTOR}))
    changed = sum(not set(step.things) <= set(seen.objects) for step in program)
    things = {thing for step in steps for thing in step.things}
    named = named_kinds(f"{world.task.title} {world.task.words}", map(class_of, seen.objects))
    true = seen.true_atoms() | world.within_reach(things)
    refused = 0
    for action in (step.action for step in foreseen(steps, true, sorted(things))):
        refused += not action.applicable(true)
        true = action.apply(true)
    return changed + refused + len(named - set(map(class_of, things)))


def named_kinds(words: str, kinds: Iterable[str]) -> frozenset[str]:
    """Of some kinds of things those that words name, one or several of them."""
    said = f" {' '.join(re.findall('[a-z]+', words.lower()))} "
    return frozenset(
        k for k in kinds if any(f" {k.replace('_', ' ')}{end} " in said for end in ("", "s"))
    )


def adapted(program: Sequence[Step], things: Sequence[str]) -> tuple[Step, ...]:
    """A program about a scene's own things: the same, or one of the same class.

    Of several it is the one with the highest number, the last that was put there. Steps about what
    the scene has nothing like of are left out.
    """
    by_class: dict[str, list[str]] = defaultdict(list)
    for thing in sorted(things, key=number_of):
        by_class[class_of(thing)].append(thing)
    known, found = set(things), []
    for step in program:
        chosen = [t if t in known else (by_class[class_of(t)] or [""])[-1] for t in step.things]
        if all(chosen) and len(set(chosen)) == len(chosen):
            found.append(replace(step, things=tuple(chosen)))
    return tuple(found)
