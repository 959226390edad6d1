"""Plans from words without a model: the most alike task's program, adapted to the scene."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.ports import Embedder
from sayso.worlds.virtualhome.tasks import Step, Task, class_of, number_of


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
        likeness = self._likeness(given)
        allowed = (
            _is_other(t, given) and (same_title or t.title != given.title) for t in self._tasks
        )
        scores = np.where(np.fromiter(allowed, bool, len(self._tasks)), likeness, -np.inf)
        return self._tasks[int(np.argmax(scores))]

    def of_title(self, given: Task) -> tuple[Task, ...]:
        """The other tasks of its title with another program, the most alike first."""
        order = np.argsort(-self._likeness(given), kind="stable")
        others = (self._tasks[i] for i in order)
        return tuple(t for t in others if t.title == given.title and _is_other(t, given))

    def _likeness(self, given: Task) -> Array:
        likeness: Array = self._vectors @ self._vectors[self._place[given.key]]
        return likeness


def _is_other(task: Task, given: Task) -> bool:
    return task.key != given.key and task.program != given.program


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
