"""What Spot's simulated hand takes, its jaws hold: by contact and friction, while the arm folds."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow
from sayso.robots.description import robot_spec
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
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

TO_THE_CAN = (
    (1.3369, -1.0002, 0.9435, 0.0459, 0.6648, 0.8167),
    (1.3343, -0.9303, 0.9180, 0.0589, 0.5843, 1.5008),
    (1.3344, -0.9564, 1.2021, 0.1015, 0.3273, 1.4540),
    (1.3145, -0.9543, 1.1987, 0.1520, 0.3307, 1.3952),
)
"""Above it, beside it, around it, its fixed jaw brought up (4, J) [rad]: of a run of the
whole demo, through Boston Dynamics' client, as its joints were read."""
UP_WITH_IT = (
    (1.3149, -0.9544, 1.1984, 0.1520, 0.3303, 1.3955),
    (1.3147, -0.9552, 1.1897, 0.1483, 0.3397, 1.3993),
    (1.3145, -0.9556, 1.1719, 0.1410, 0.3591, 1.4070),
    (1.3145, -0.9561, 1.1482, 0.1267, 0.3868, 1.4221),
    (1.3146, -0.9533, 1.0661, 0.1116, 0.4614, 1.4387),
    (1.3148, -0.9476, 1.0156, 0.1020, 0.5033, 1.4495),
    (1.3147, -0.9418, 0.9820, 0.0974, 0.5304, 1.4550),
    (1.3147, -0.9355, 0.9526, 0.0936, 0.5564, 1.4599),
    (1.3145, -0.9310, 0.9310, 0.0908, 0.5744, 1.4627),
    (1.3147, -0.9281, 0.9174, 0.0893, 0.5852, 1.4648),
    (1.3143, -0.9274, 0.9147, 0.0890, 0.5873, 1.4653),
    (1.3146, -0.9272, 0.9147, 0.0890, 0.5871, 1.4650),
)
"""The lift of that run, a reading each 0.1 s."""
FOLDING = (
    (1.3140, -0.9277, 0.9153, 0.0890, 0.5876, 1.4644),
    (1.3097, -0.9322, 0.9197, 0.0887, 0.5911, 1.4595),
    (1.3091, -0.9325, 0.9200, 0.0887, 0.5918, 1.4593),
    (1.2973, -0.9433, 0.9304, 0.0877, 0.6010, 1.4460),
    (1.2755, -0.9646, 0.9514, 0.0863, 0.6201, 1.4200),
    (1.2460, -0.9908, 0.9759, 0.0847, 0.6379, 1.3911),
    (1.2246, -1.0104, 0.9959, 0.0823, 0.6600, 1.3694),
    (1.1831, -1.0500, 1.0333, 0.0801, 0.6899, 1.3191),
    (1.1636, -1.0681, 1.0514, 0.0789, 0.7064, 1.2965),
    (1.1285, -1.1004, 1.0829, 0.0762, 0.7336, 1.2578),
    (1.0966, -1.1308, 1.1119, 0.0740, 0.7592, 1.2213),
    (1.0639, -1.1608, 1.1399, 0.0724, 0.7822, 1.1877),
    (1.0582, -1.1663, 1.1456, 0.0718, 0.7870, 1.1804),
    (1.0191, -1.2025, 1.1813, 0.0691, 0.8191, 1.1360),
    (0.9872, -1.2324, 1.2097, 0.0668, 0.8443, 1.1005),
    (0.9701, -1.2478, 1.2250, 0.0656, 0.8589, 1.0817),
    (0.9274, -1.2881, 1.2640, 0.0624, 0.8923, 1.0328),
    (0.9011, -1.3121, 1.2873, 0.0613, 0.9118, 1.0043),
    (0.8824, -1.3295, 1.3041, 0.0602, 0.9253, 0.9847),
    (0.8510, -1.3588, 1.3331, 0.0578, 0.9508, 0.9484),
    (0.8314, -1.3770, 1.3506, 0.0563, 0.9667, 0.9267),
    (0.7909, -1.4147, 1.3869, 0.0537, 0.9987, 0.8817),
    (0.7601, -1.4434, 1.4147, 0.0514, 1.0226, 0.8474),
    (0.7459, -1.4564, 1.4272, 0.0506, 1.0335, 0.8319),
    (0.7195, -1.4812, 1.4514, 0.0489, 1.0545, 0.8020),
    (0.6857, -1.5126, 1.4816, 0.0466, 1.0810, 0.7644),
    (0.6497, -1.5459, 1.5141, 0.0441, 1.1092, 0.7248),
    (0.6245, -1.5694, 1.5371, 0.0423, 1.1294, 0.6960),
    (0.5942, -1.5974, 1.5642, 0.0402, 1.1532, 0.6621),
    (0.5601, -1.6295, 1.5950, 0.0380, 1.1792, 0.6250),
    (0.5452, -1.6433, 1.6084, 0.0370, 1.1914, 0.6075),
    (0.5166, -1.6694, 1.6338, 0.0351, 1.2141, 0.5758),
    (0.4874, -1.6970, 1.6605, 0.0330, 1.2368, 0.5435),
    (0.4702, -1.7131, 1.6761, 0.0319, 1.2502, 0.5244),
    (0.4461, -1.7349, 1.6975, 0.0304, 1.2693, 0.4974),
    (0.4146, -1.7648, 1.7271, 0.0279, 1.2963, 0.4602),
)
"""Its arm began to fold, a reading each 0.1 s: with jolts, since windows come unevenly."""


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


def test_a_jaw_with_its_motor_behind_it_keeps_most_of_its_hold_in_an_arm_that_jolts() -> None:
    bare = replace(PROFILE, hand=replace(PROFILE.hand, drive_inertia=0.0))
    asides = (-0.002, 0.0, 0.002)
    slides = [_slide_in_jolts(aside, PROFILE) for aside in asides]
    rattling = [_slide_in_jolts(aside, bare) for aside in asides]
    assert np.mean(slides) < np.mean(rattling), "0.011 and 0.016 m where it was written"


def _slide_in_jolts(aside_m: float, robot: RobotProfile) -> float:
    """How far the can slides in a robot's jaws [m] in a run in which it stood aside by so much."""
    x, y, yaw = START
    scene = replace(read_scene("studio", 1), start=(x + aside_m, y, yaw))
    with closing(FlatWorld(scene, 1, None, robot)) as world:
        for duration_s, point in zip((3.0, 1.0, 1.2, 0.5), TO_THE_CAN, strict=True):
            _follow(world, duration_s, point)
        world.grip(0.0, PROFILE.hand.grip_n)
        world.step(0.6)
        _follow(world, 0.1 * len(UP_WITH_IT), *UP_WITH_IT)
        lifted = _held(world)
        _follow(world, 0.1 * len(FOLDING), *FOLDING)
        return float(np.linalg.norm((_held(world) - lifted)[:3]))
