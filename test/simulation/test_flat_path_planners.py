"""A task in a generated flat whose ways are made by sampling."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.random_tasks import RandomTask, random_task
from sayso.evaluation.flat_run.run import FlatRun
from sayso.planning.navigation.fmt_star import FmtStar
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise

SEED = 2
"""Two places in any order, and one to keep off."""


@pytest.fixture(scope="module")
def task() -> RandomTask:
    return random_task(SEED)


@pytest.fixture(scope="module")
def world(task):
    world = FlatWorld(task.scene, SEED, FlatNoise())
    yield world
    world.close()


def test_a_task_is_fulfilled_along_ways_of_fmt_star(world, task, monkeypatch) -> None:
    find, made = FmtStar.find, []

    def counted(planner, question):
        made.append(find(planner, question))
        return made[-1]

    monkeypatch.setattr(FmtStar, "find", counted)
    result = FlatRun(world, KnownBoxes(world, SEED), path_planner="fmt_star").perform(
        task.instruction
    )
    assert result.outcome.code is Code.OK
    assert result.truly_done
    assert not result.violations
    assert not result.touched
    assert made


def test_an_unknown_planner_is_refused_before_anything_moves(world) -> None:
    with pytest.raises(SaySoError, match="fmt_star") as refused:
        FlatRun(world, KnownBoxes(world, SEED), path_planner="bee_line")
    assert refused.value.code is Code.CONFIG
