"""Bottles are taken from above and put down where they were to be, standing, in physics."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.geometry import rotation_matrix
from sayso.core.library import builtin_path, load
from sayso.evaluation.table_run.robot import build
from sayso.skills.arm import Arm
from sayso.worlds.table.layout import Layout, Placement
from sayso.worlds.table.table_scene import TableScene, drawn_thing
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import CABINET_POSITION

OPERATORS = load(builtin_path()).operators
PLACES = {"bottle": Placement(0.55, -0.3, 0.0), "block": Placement(0.54, -0.15, 0.0)}


@pytest.mark.parametrize("seed", [21, 23, 30, 35])
def test_a_bottle_stands_where_it_was_put(seed, monkeypatch):
    things = (drawn_thing("bottle", "bottle", seed, "red"),
              drawn_thing("block", "bowl", 20, "blue"))  # fmt: skip
    world = TableWorld(seed, scene=TableScene(things, False, Layout(PLACES, CABINET_POSITION, 0.0)))
    arm = build(world)
    before = []  # the hand is moved
    grip = Arm.grip

    def watched(one, width_m):
        before.append(truth(world))
        return grip(one, width_m)

    monkeypatch.setattr(Arm, "grip", watched)
    with arm.gate.authorised(()):
        arm.executor.execute(OPERATORS["pick_from_table"].ground("bottle"))
        arm.executor.execute(OPERATORS["place_left_of"].ground("bottle", "block"))
    was, now = before[-1], truth(world)
    assert np.linalg.norm(np.subtract(now.position, was.position)[:2]) < 0.008
    assert rotation_matrix(now.orientation)[2, 2] > 0.99
    world.close()


def truth(world):
    return next(o for o in world.truth() if o.name == "bottle")
