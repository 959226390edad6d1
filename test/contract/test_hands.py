"""What profiles say of hands is what their descriptions show."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sayso.robots.description import collision_spec, layout
from sayso.robots.loading import load_robot

BACK_M = 0.003
"""A palm may be stated so much nearer than it is."""


def room_m(robot) -> float:
    """From the tool centre point back to the first part of the open hand, between the fingers."""
    model = collision_spec(robot).compile()
    data = mujoco.MjData(model)
    layout(model, robot).set(data.qpos, robot.home, robot.hand.open_at)
    mujoco.mj_kinematics(model, data)
    tool = data.site("tcp")
    turn, met = tool.xmat.reshape(3, 3), np.array([-1], dtype=np.int32)
    half = robot.hand.width_m / 2 - 0.005
    found = (
        mujoco.mj_ray(model, data, tool.xpos + turn @ (x, y, 0.0), -turn[:, 2], None, 1, -1, met)
        for x in np.linspace(-0.01, 0.01, 5)
        for y in np.linspace(-half, half, 9)
    )
    return min(distance for distance in found if distance >= 0)


@pytest.mark.parametrize("name", ["panda", "fr3", "ur5e", "mobile_panda"])
def test_a_thing_as_deep_in_the_hand_as_stated_does_not_meet_the_palm(name):
    robot = load_robot(name)
    room = room_m(robot)
    assert room - BACK_M < robot.hand.palm_m <= room
    assert robot.skill_settings().palm_m == robot.hand.palm_m
