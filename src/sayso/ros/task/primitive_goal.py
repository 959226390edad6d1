"""A single primitive, allowed by whoever sends it and by no specification."""

from __future__ import annotations

from collections.abc import Callable

from sayso_ros.action import ExecutePrimitive

from sayso.core.ports import Cancelled
from sayso.ros.messages.primitives import BE_GUIDED
from sayso.ros.task.robots import Robot
from sayso.ros.task.skill_runner import Freshness, live, seen
from sayso.ros.task.task_stages import SCENE_TIMEOUT_S
from sayso.skills.execute import SkillExecutor
from sayso.skills.guiding import Wishes


def attempt(
    robot: Robot,
    arm: SkillExecutor,
    request: ExecutePrimitive.Goal,
    freshness: Freshness,
    wishes: Wishes,
    phase: Callable[[str], None],
    cancelled: Cancelled,
) -> None:
    """Try it with the gate open for it, and for nothing else. Raises as
    `SkillExecutor.attempt` and `be_guided`."""
    robot.senses.scene_after(0.0, SCENE_TIMEOUT_S)  # the first may still be on its way
    robot.senses.wait_for_robot(SCENE_TIMEOUT_S)
    with robot.gate.authorised((*live(robot.senses), *seen(robot.senses, freshness))):
        if request.primitive == BE_GUIDED:
            arm.be_guided(wishes, phase, cancelled)
            return
        arm.attempt(
            request.primitive,
            tuple(request.args),
            frozenset(request.avoid),
            phase=phase,
            cancelled=cancelled,
        )
