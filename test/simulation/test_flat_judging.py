"""How tasks in a flat are scored by the simulator's true state."""

from __future__ import annotations

from sayso.core.errors import Code
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.random_tasks import random_task
from sayso.evaluation.flat_run.run import FlatRun
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise

NEAR_AT_FIRST = 11983
"""Seed of a task whose only goal is 0.9 m from where the robot begins."""


def test_what_is_true_before_anything_moves_is_scored_as_true() -> None:
    task = random_task(NEAR_AT_FIRST)
    world = FlatWorld(task.scene, task.seed, FlatNoise())
    try:
        result = FlatRun(world, KnownBoxes(world, task.seed)).perform(task.instruction)
    finally:
        world.close()
    assert result.outcome.code is Code.ALREADY_SATISFIED
    assert result.truly_done
