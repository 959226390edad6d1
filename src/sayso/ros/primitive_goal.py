"""A single primitive action of the body, allowed by whoever sends it and by no specification."""

from __future__ import annotations

from collections.abc import Callable

from sayso_ros.action import ExecutePrimitive

from sayso.core.ports import Cancelled
from sayso.ros.robots import StandingArm
from sayso.ros.task_stages import SCENE_TIMEOUT_S
from sayso.skills.conditions import fresh_scene


def attempt(
    robot: StandingArm,
    request: ExecutePrimitive.Goal,
    fresh_s: float,
    phase: Callable[[str], None],
    cancelled: Cancelled,
) -> None:
    """Try it with the gate open for it, and for nothing else. Raises as `Body.attempt`.

    Args:
        fresh_s: age at which a scene is too old to move by [s].
    """
    robot.senses.scene_after(0.0, SCENE_TIMEOUT_S)  # the first may still be on its way
    robot.senses.wait_for_robot(SCENE_TIMEOUT_S)
    with robot.gate.authorised((fresh_scene(robot.senses, fresh_s),)):
        robot.body.attempt(
            request.primitive,
            tuple(request.args),
            frozenset(request.avoid),
            phase=phase,
            cancelled=cancelled,
        )
