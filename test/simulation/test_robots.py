"""Robots that are known by their profiles alone stack blocks on the noisy simulated table."""

from __future__ import annotations

import pytest

from sayso.core.library import builtin_path, load
from sayso.evaluation.table_run.robot import build
from sayso.robots.loading import load_robot
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld

PLAN = (
    ("pick_from_table", "red_block"),
    ("place_on", "red_block", "plate"),
    ("pick_from_table", "blue_block"),
    ("stack", "blue_block", "red_block"),
)


@pytest.mark.parametrize(("name", "perceive"), [("fr3", False), ("ur5e", True)])
def test_blocks_are_stacked_by_a_profile_alone(name: str, perceive: bool) -> None:
    world = TableWorld(1, NoiseModel(), load_robot(name))
    rig, gate, executor = build(world, perceive=perceive)
    operators = load(builtin_path()).operators
    rig.wait(1.0)
    with gate.authorised(()):
        for operator, *args in PLAN:
            executor.execute(operators[operator].ground(*args), frozenset({"mug"}))
    truth = {o.name: o for o in world.truth()}
    assert "mug" not in rig.touched
    for upper, lower in (("red_block", "plate"), ("blue_block", "red_block")):
        apart = [a - b for a, b in zip(truth[upper].position, truth[lower].position, strict=True)]
        assert abs(apart[0]) < 0.03
        assert abs(apart[1]) < 0.03
        assert apart[2] == pytest.approx(
            (truth[upper].size[2] + truth[lower].size[2]) / 2, abs=0.008
        )
    world.close()
