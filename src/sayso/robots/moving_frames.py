"""Where the parts of a robot are to each other, by its joints' positions."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.robots.description import Layout, collision_spec, layout
from sayso.robots.profile import RobotProfile

Frame = tuple[str, str, Pose]
"""Parent's name, own name, pose in the parent."""


class MovingFrames:
    """The frames that an arm's and a hand's joints move."""

    def __init__(self, robot: RobotProfile) -> None:
        self._robot, self._model = robot, collision_spec(robot).compile()
        self._data = mujoco.MjData(self._model)
        self._parts = layout(self._model, robot)
        self._links = links(self._model, self._parts)

    def at(self, joints: Array) -> list[Frame]:
        """Args: joints: of arm and fingers, in the order of a joint reading [rad, m]."""
        arm, of = len(self._parts.arm), self._robot.frames.of
        self._parts.set(self._data.qpos, joints[:arm], joints[arm:])
        mujoco.mj_kinematics(self._model, self._data)
        return [(of(p), of(c), relative(self._data, p, c)) for c, p in self._links]

    def fixed(self, world: str) -> list[Frame]:
        """Those of its foot, which stands on its base or at the origin of `world`, and of its tool.

        Args:
            world: the base's frame where there is one.
        """
        base = self._robot.base
        mujoco.mj_kinematics(self._model, self._data)
        root = self._model.body(int(self._parts.bodies[0])).name
        body = self._data.body(root)
        w, x, y, z = body.xquat
        foot = Pose(tuple(body.xpos), (x, y, z, w))
        return self._robot.frames.fixed(
            world, base.mount if base else Pose(), root, foot, self._robot.hand
        )


def links(model: mujoco.MjModel, parts: Layout) -> Sequence[tuple[str, str]]:
    """Each moving body of a robot, and what carries it."""
    moving = (int(b) for b in parts.bodies[1:])
    return [(model.body(b).name, model.body(int(model.body_parentid[b])).name) for b in moving]


def relative(data: mujoco.MjData, parent: str, child: str) -> Pose:
    """The pose of a body in another's frame."""
    a, b = data.body(parent), data.body(child)
    back_position, back_turn = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(back_position, back_turn, a.xpos, a.xquat)
    position, turn = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(position, turn, back_position, back_turn, b.xpos, b.xquat)
    x, y, z = position.tolist()
    qw, qx, qy, qz = turn.tolist()
    return Pose((x, y, z), (qx, qy, qz, qw))
