"""What Spot's simulated hand takes, its jaws hold: by contact and friction, while the arm folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow
from sayso.robots.description import robot_spec
from sayso.robots.loading import load_robot
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.flat_world import FlatWorld

PROFILE = load_robot("spot")
try:
    robot_spec(PROFILE)
except SaySoError as error:
    if error.code is not Code.MISSING_DEPENDENCY:
        raise
    pytest.skip("the extra 'spot' is not installed", allow_module_level=True)

START = (1.7224, 3.9722, 1.0480)
"""Where it stood at the brown table as it took the can there from the side [m, m, rad]."""
ABOVE = (1.3486, -0.9136, 0.8938, -0.0082, 0.5906, 1.5811)
AROUND = (1.3482, -0.9425, 1.1826, -0.0158, 0.3307, 1.5887)
JAW_UP = (1.3286, -0.9426, 1.1819, 0.0364, 0.3315, 1.5288)
LIFTED = (1.3287, -0.9132, 0.8937, 0.0214, 0.5916, 1.5454)
FOLDED = PROFILE.base.carrying[0]


@pytest.fixture
def world():
    world = FlatWorld(replace(read_scene("studio", 1), start=START), 1, None, PROFILE)
    yield world
    world.close()


def _follow(world: FlatWorld, duration_s: float, *points: tuple[float, ...]) -> None:
    """Joint positions at even times, and a moment of rest."""
    here = world.robot_state().joint_positions
    times = np.linspace(0.0, duration_s, len(points) + 1)
    world.stream(JointWindow(times, np.array([here, *points])))
    world.step(duration_s + 0.2)


def _held(world: FlatWorld) -> Array:
    """Where the can is in the tool's frame (3,), its axis there (3,) behind it."""
    can = next(o for o in world.truth() if o.name == "can")
    state = world.robot_state()
    tool = world.true_base() @ state.base.inverse() @ state.gripper
    held = tool.inverse() @ can.pose
    return np.array([*held.position, *held.matrix()[:3, 2]])


def test_a_can_that_a_tooth_holds_by_its_end_stays_in_the_jaws_as_the_arm_folds(world) -> None:
    _follow(world, 3.0, ABOVE)
    _follow(world, 1.2, AROUND)
    _follow(world, 0.5, JAW_UP)
    world.grip(0.0, PROFILE.hand.grip_n)
    world.step(0.8)
    _follow(world, 1.0, LIFTED)
    lifted = _held(world)
    _follow(world, 5.5, FOLDED)
    moved = _held(world) - lifted
    assert np.linalg.norm(moved[:3]) < 0.008, "it did not slide"
    assert np.linalg.norm(moved[3:]) < 0.2, "it did not turn"
