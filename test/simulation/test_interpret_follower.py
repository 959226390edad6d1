"""Following a plan made with a library: what is repaired on the way is told, with its cause."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sayso.core.errors import SaySoError
from sayso.evaluation.interpret.episodes import Deed
from sayso.evaluation.interpret.planning import Planned
from sayso.evaluation.interpret.practice import goal_of
from sayso.planning.search import SearchPlanner
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.tasks import tasks
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.kitchen2d.world import Kitchen2D

TASK = tasks("store", "training", seed=0)[0]


def follower(told: list[tuple[str, int]]) -> Planned:
    """Of a plan for a one-step goal, whose words are read by no one."""
    reader: Any = SimpleNamespace(read=lambda *_, **__: SimpleNamespace(literals=goal_of(TASK)))
    return Planned(
        true_library("store"),
        reader,
        SearchPlanner(),
        {name: p.arity for name, p in PRIMITIVES.items()},
        lambda: 0.0,
        watching=True,
        told=lambda why, plan: told.append((why, len(plan))),
    )


def test_a_plan_that_comes_out_is_followed_in_silence() -> None:
    told: list[tuple[str, int]] = []
    kitchen, planned, done = Kitchen2D(TASK.scene, seed=TASK.seed), follower(told), []
    planned.start("", kitchen.observe())
    while (step := planned.next(kitchen.observe(), done)) is not None:
        done.append(Deed(*step, kitchen.act(step[0], *step[1]).reached))
    assert done and not told


def test_what_failed_is_told_with_its_cause_and_the_new_plan() -> None:
    told: list[tuple[str, int]] = []
    kitchen, planned = Kitchen2D(TASK.scene, seed=TASK.seed), follower(told)
    planned.start("", kitchen.observe())
    first = planned.next(kitchen.observe(), [])
    assert first is not None
    again = planned.next(kitchen.observe(), [Deed(*first, worked=False)])
    assert again == first, "once more, since nothing changed"
    ((why, steps),) = told
    assert why.startswith("I cannot ") and "because" in why and steps >= 1


def test_what_cannot_be_had_is_told_before_it_is_given_up() -> None:
    told: list[tuple[str, int]] = []
    kitchen, planned = Kitchen2D(TASK.scene, seed=TASK.seed), follower(told)
    planned.start("", kitchen.observe())
    failed: list[Deed] = []
    with pytest.raises(SaySoError):
        while (step := planned.next(kitchen.observe(), failed)) is not None:
            failed.append(Deed(*step, worked=False))
    assert len(told) >= 1
