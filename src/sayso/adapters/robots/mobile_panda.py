"""The simulated flat's robot as the mobile skills see it."""

from __future__ import annotations

from sayso.adapters.robots.panda import HOME
from sayso.adapters.robots.panda_facts import TOOL_OFFSET_M
from sayso.adapters.sim.flat import robot
from sayso.core.geometry import Pose, Vector3
from sayso.core.ports import Obstacle
from sayso.skills.mobile_settings import MobileRobot

_MARGIN_M = 0.01
_FARTHER_OUT = (0.0, -0.57, 0.0, -2.385, 0.0, 1.816, 0.7854)
"""As `HOME`, with the hand 10 cm farther in front, for what is long."""
_BODY_HEIGHT_M = 0.35
_MAST = ((-0.22, 0.0, 0.88), (0.06, 0.14, 1.06))


def _part(name: str, centre: Vector3, size: Vector3) -> Obstacle:
    """A box of the base's frame, as the arm sees it."""
    pose = robot.ARM_MOUNT.inverse() @ Pose(centre)
    return Obstacle(name, "box", pose, size, _MARGIN_M)


_CAMERA = next(c for c in robot.CAMERAS if c.name == "gripper").pose

MOBILE_PANDA = MobileRobot(
    mount=robot.ARM_MOUNT,
    footprint_m=robot.FOOTPRINT_M,
    stowed=(robot.STOWED,),
    carrying=(robot.STOWED, HOME, _FARTHER_OUT),
    body=(
        _part("its own body", (0.0, 0.0, _BODY_HEIGHT_M / 2), (*robot.FOOTPRINT_M, _BODY_HEIGHT_M)),
        _part("its own mast", *_MAST),
    ),
    camera=Pose((0.0, 0.0, -TOOL_OFFSET_M)) @ _CAMERA,
)
"""Spot's size, with the Panda on its front."""


def mobile_panda() -> MobileRobot:
    """The simulated flat's robot, as a backend."""
    return MOBILE_PANDA
