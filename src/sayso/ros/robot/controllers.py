"""The actions of an arm and a hand that are driven from here, as ros2_control's controllers offer
them: over a simulation, or over the client library of a robot's maker.

Written from what those controllers document (https://control.ros.org/jazzy, the pages of
joint_trajectory_controller and gripper_controllers): what is refused, when a goal ends, and how one
takes another's place.
"""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import ArmDriver, JointWindow
from sayso.robots.profile import RobotProfile

log = logging.getLogger(__name__)
Command = Callable[[Callable[[], None]], None]
"""Has a command carried out where the robot is driven."""
_STILL = 1e-3
"""Fingers slower than this have stalled [rad/s or m/s]."""


class Actuated(ArmDriver, Protocol):
    """An arm and hand that take commands here."""

    @property
    def profile(self) -> RobotProfile: ...

    @property
    def time_s(self) -> float: ...

    def joints(self) -> Any: ...


@dataclass(frozen=True)
class Tolerances:
    """How far joints may be off, each (J,) [rad], infinite where nothing is asked.

    Attributes:
        path, goal: on the way, and at its end.
        goal_time_s: after the end, in which the joints must come to the goal; 0: they may take
            as long as they need.
    """

    path: Array
    goal: Array
    goal_time_s: float = 0.0

    def asked_for(self, goal: Any, joints: Sequence[str]) -> Tolerances:
        """These, but for what a goal says: 0 leaves the default, a negative one asks nothing."""
        seconds = goal.goal_time_tolerance.sec + goal.goal_time_tolerance.nanosec * 1e-9
        return Tolerances(
            _changed(self.path, goal.path_tolerance, joints),
            _changed(self.goal, goal.goal_tolerance, joints),
            seconds or self.goal_time_s,
        )


def _changed(default: Array, given: Iterable[Any], joints: Sequence[str]) -> Array:
    values = default.copy()
    for tolerance in given:
        if tolerance.position != 0 and tolerance.name in joints:
            value = tolerance.position if tolerance.position > 0 else math.inf
            values[joints.index(tolerance.name)] = value
    return values


def window_from_msg(msg: Any, joints: Sequence[str]) -> JointWindow:
    """The window of a `JointTrajectory`, in the order of these joints.

    Raises INVALID for a trajectory that a position controller of these joints refuses.
    """
    names = list(msg.joint_names)
    if sorted(names) != sorted(joints):
        raise SaySoError(
            Code.INVALID,
            f"a trajectory names the joints {names}.",
            choices=joints,
            hint="name each of these once.",
        )
    if (reason := _refused(msg.points, len(names))) is not None:
        raise SaySoError(Code.INVALID, f"a trajectory is refused: {reason}.")
    order = [names.index(joint) for joint in joints]
    positions = np.array([list(point.positions) for point in msg.points])[:, order]
    return JointWindow(np.array([_seconds(p.time_from_start) for p in msg.points]), positions)


def _refused(points: Sequence[Any], joints: int) -> str | None:
    if not points:
        return "it is empty"
    if any(len(point.positions) != joints for point in points):
        return "a point has not one position for each joint"
    if any(len(p.velocities) not in (0, joints) for p in points):
        return "a point has not one velocity for each joint"
    if any(point.effort for point in points):
        return "it has efforts, and the joints are controlled by position"
    if any(abs(v) > np.finfo(np.float32).eps for v in points[-1].velocities):
        return "it does not end at rest"
    times = [_seconds(point.time_from_start) for point in points]
    if any(later <= earlier for earlier, later in pairwise(times)):
        return "its times do not increase"
    return None


def _seconds(duration: Any) -> float:
    return float(duration.sec + duration.nanosec * 1e-9)


class _Controller(ABC):
    """An action of which one goal is carried out at a time; a new one aborts the one before.

    Goals are touched where the robot is driven. What rclpy calls executing a goal is here only to
    tell how it ended: so no thread waits for it.
    """

    def __init__(self, node: Node, kind: type, name: str, command: Command) -> None:
        self._command = command
        self._handle: ServerGoalHandle | None = None
        self._ends: dict[bytes, tuple[Callable[[], None], Any]] = {}
        self._server = ActionServer(
            node,
            kind,
            name,
            self._tell,
            callback_group=MutuallyExclusiveCallbackGroup(),
            goal_callback=self._judge,
            handle_accepted_callback=self._accept,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def look(self) -> None:
        """See how far the goal is; to be called all the time."""
        if (handle := self._handle) is None:
            return
        if handle.is_cancel_requested:
            self._rest()
            self._end(handle.canceled, self._result())
        else:
            self._follow(handle)

    def _accept(self, handle: ServerGoalHandle) -> None:
        self._command(lambda: self._take(handle))

    def _take(self, handle: ServerGoalHandle) -> None:
        if self._handle is not None:
            self._end(self._handle.abort, self._result())
        self._handle = handle
        try:
            self._begin(handle.request)
        except SaySoError:
            self._end(handle.abort, self._result())
            raise

    def _end(self, how: Callable[[], None], result: Any) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            self._ends[bytes(handle.goal_id.uuid)] = (how, result)
            handle.execute()

    def _tell(self, handle: ServerGoalHandle) -> Any:
        how, result = self._ends.pop(bytes(handle.goal_id.uuid))
        how()
        return result

    def _judge(self, request: Any) -> GoalResponse:
        return GoalResponse.ACCEPT

    @abstractmethod
    def _begin(self, request: Any) -> None: ...

    @abstractmethod
    def _follow(self, handle: ServerGoalHandle) -> None: ...

    @abstractmethod
    def _rest(self) -> None: ...

    @abstractmethod
    def _result(self) -> Any:
        """Of a goal that is replaced or cancelled."""


class TrajectoryController(_Controller):
    """An arm's `FollowJointTrajectory`.

    Args:
        tolerances: the defaults; without them nothing is asked.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        arm: Actuated,
        command: Command,
        tolerances: Tolerances | None = None,
    ) -> None:
        self._arm, self._joints = arm, arm.profile.joint_names
        free = np.full(len(self._joints), math.inf)
        self._defaults = self._tolerances = tolerances or Tolerances(free, free)
        self._window: JointWindow | None = None
        self._began_s = 0.0
        super().__init__(node, FollowJointTrajectory, name, command)

    def _judge(self, request: Any) -> GoalResponse:
        try:
            window_from_msg(request.trajectory, self._joints)
        except SaySoError as error:
            log.error("a goal is rejected: %s", error)
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _begin(self, request: Any) -> None:
        """From what was asked for until now to the first point in its time."""
        window, here = window_from_msg(request.trajectory, self._joints), self._desired()
        if window.times_s[0] > 0:
            times = np.concatenate([[0.0], window.times_s])
            window = JointWindow(times, np.vstack([here, window.positions]))
        self._window, self._began_s = window, self._arm.time_s
        self._tolerances = self._defaults.asked_for(request, self._joints)
        self._arm.stream(window)

    def _follow(self, handle: ServerGoalHandle) -> None:
        window = self._window
        if window is None:
            return
        try:
            self._arm.require_obeyed()
        except SaySoError as error:
            self._break_off(handle, error)
            return
        off = np.abs(self._measured() - self._desired())
        left_s = float(window.times_s[-1]) - (self._arm.time_s - self._began_s)
        patience_s = self._tolerances.goal_time_s
        if left_s > 0:
            if np.any(off > self._tolerances.path):
                self._give_up(handle, FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED, off)
        elif not np.any(off > self._tolerances.goal):
            self._end(handle.succeed, FollowJointTrajectory.Result())
        elif 0 < patience_s < -left_s:
            self._give_up(handle, FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED, off)

    def _give_up(self, handle: ServerGoalHandle, code: int, off: Array) -> None:
        worst = int(np.argmax(off))
        text = f"{self._joints[worst]} is {off[worst]:.3f} rad off"
        self._rest()
        result = FollowJointTrajectory.Result(error_code=code, error_string=text)
        self._end(handle.abort, result)

    def _break_off(self, handle: ServerGoalHandle, error: SaySoError) -> None:
        """Tell in whose words; the code is none of the action's own, which are negative."""
        self._rest()
        text = f"{error.message} {error.hint}".strip()
        kind = FollowJointTrajectory.Result
        self._end(handle.abort, kind(error_code=int(error.code), error_string=text))

    def _rest(self) -> None:
        self._window = None
        self._arm.hold()

    def _result(self) -> Any:
        kind = FollowJointTrajectory.Result
        return kind(error_code=kind.INVALID_GOAL, error_string="replaced or cancelled")

    def _measured(self) -> Array:
        return np.asarray(self._arm.joints().positions[: len(self._joints)])

    def _desired(self) -> Array:
        if self._window is None:
            return self._measured()
        gone_s = self._arm.time_s - self._began_s
        columns = self._window.positions.T
        return np.array([np.interp(gone_s, self._window.times_s, c) for c in columns])


class GripperController(_Controller):
    """A hand's `GripperCommand`: the position of its first finger joint.

    Args:
        tolerance: at which a position counts as reached.
        stall_s: for so long fingers stand still that have stalled: the goal is aborted then.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        hand: Actuated,
        command: Command,
        *,
        tolerance: float = 0.01,
        stall_s: float = 1.0,
    ) -> None:
        self._robot, self._profile = hand, hand.profile.hand
        self._finger = len(hand.profile.joint_names)
        self._tolerance, self._stall_s = tolerance, stall_s
        self._wanted, self._moved_s = 0.0, 0.0
        super().__init__(node, GripperCommand, name, command)

    def _begin(self, request: Any) -> None:
        self._wanted, self._moved_s = request.command.position, self._robot.time_s
        self._robot.grip(self._profile.width(self._wanted), request.command.max_effort)

    def _follow(self, handle: ServerGoalHandle) -> None:
        reading = self._robot.joints()
        position = float(reading.positions[self._finger])
        try:
            self._robot.require_obeyed()
        except SaySoError:  # fingers that stand still have not stalled on a thing then
            self._end(handle.abort, GripperCommand.Result(position=position))
            return
        if abs(position - self._wanted) < self._tolerance:
            self._end(handle.succeed, GripperCommand.Result(position=position, reached_goal=True))
        elif abs(float(reading.velocities[self._finger])) > _STILL:
            self._moved_s = self._robot.time_s
        elif self._robot.time_s - self._moved_s > self._stall_s:
            self._end(handle.abort, GripperCommand.Result(position=position, stalled=True))

    def _rest(self) -> None:
        position = float(self._robot.joints().positions[self._finger])
        self._robot.hold_grip(self._profile.width(position))

    def _result(self) -> Any:
        return GripperCommand.Result()
