"""Nav2 as a navigator: it plans and controls, and what it commands passes the motion gate.

Its action `NavigateToPose` is asked for each leg. The velocities that its controller and recovery
behaviours command come on a topic of their own, to which they are remapped: the base never hears
them. The gate asks for the newest one, piece by piece.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from geometry_msgs.msg import PoseStamped, Twist, TwistStamped
from nav2_msgs.action import NavigateToPose
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from sayso.core.clock import untimely
from sayso.core.errors import Code
from sayso.core.geometry import Pose
from sayso.ros.messages.conversions import header, pose_to_msg, time_from_msg
from sayso.ros.robot.goals import GoalSender
from sayso.skills.driving import Velocity

ACTION, COMMANDS = "navigate_to_pose", "nav2/cmd_vel"
MAP = "map"
FRESH_S = 0.3
"""Nav2 commands at 20 Hz: an older command is one that nothing came after."""
_STEADY_S = 1.5
"""The same on a clock that nobody sets: simulated time may stand still, or be slow."""
_HINT = (
    "see whether Nav2's nodes run and are active, and read their log; or set 'navigator' to own."
)
_NAMES = {
    1: "GOAL_REJECTED",
    2: "SEND_GOAL_FAILURE",
    100: "the controller: UNKNOWN",
    101: "the controller: INVALID_CONTROLLER",
    102: "the controller: TF_ERROR",
    103: "the controller: INVALID_PATH",
    104: "the controller: PATIENCE_EXCEEDED",
    105: "the controller: FAILED_TO_MAKE_PROGRESS",
    106: "the controller: NO_VALID_CONTROL",
    107: "the controller: CONTROLLER_TIMED_OUT",
    200: "the planner: UNKNOWN",
    201: "the planner: INVALID_PLANNER",
    202: "the planner: TF_ERROR",
    203: "the planner: START_OUTSIDE_MAP",
    204: "the planner: GOAL_OUTSIDE_MAP",
    205: "the planner: START_OCCUPIED",
    206: "the planner: GOAL_OCCUPIED",
    207: "the planner: TIMEOUT",
    208: "the planner: NO_VALID_PATH",
    9000: "UNKNOWN",
    9001: "FAILED_TO_LOAD_BEHAVIOR_TREE",
    9002: "TF_ERROR",
    9003: "TIMEOUT",
}
"""Nav2's own, of `FollowPath`, `ComputePathToPose` and `NavigateToPose`."""
_NO_WAY = frozenset(range(203, 209))
_SET_UP = frozenset({101, 201, 9001})
_TRANSFORMS = frozenset({102, 202, 9002})


class Nav2:
    """`core.ports.Navigator` over the action of Nav2's `bt_navigator`, with `Twist` commands.

    Args:
        node: that asks Nav2 and hears its commands; something else must spin it.
        channel: of the action.
        commands: the topic to which what Nav2 commands is remapped.
    """

    _kind: type = Twist

    def __init__(self, node: Node, channel: str = ACTION, commands: str = COMMANDS) -> None:
        self._clock = node.get_clock()
        self._goals = GoalSender(node, NavigateToPose, channel, _gave_up, _code_of, _HINT)
        self._lock = threading.Lock()
        self._newest: tuple[Velocity, float, float] | None = None
        group = MutuallyExclusiveCallbackGroup()
        node.create_subscription(self._kind, commands, self._take, 1, callback_group=group)

    def begin(self, goal: Pose) -> None:
        asked = NavigateToPose.Goal()
        asked.pose = PoseStamped(header=header(0.0, MAP), pose=pose_to_msg(goal))
        with self._lock:
            self._newest = None
        self._goals.send(asked, afresh=True)

    def command(self) -> Velocity | None:
        with self._lock:
            newest = self._newest
        if newest is None:
            return None
        velocity, stamp_s, received_s = newest
        silent = time.monotonic() - received_s > _STEADY_S
        return None if silent or untimely(stamp_s, self._now_s(), FRESH_S) else velocity

    def arrived(self) -> bool:
        self._goals.require_well()
        return not self._goals.under_way

    def end(self) -> None:
        self._goals.stop()
        with self._lock:
            self._newest = None

    def _take(self, message: Any) -> None:
        self._note(message, self._now_s())

    def _note(self, twist: Any, stamp_s: float) -> None:
        velocity = (float(twist.linear.x), float(twist.linear.y), float(twist.angular.z))
        with self._lock:
            self._newest = (velocity, stamp_s, time.monotonic())

    def _now_s(self) -> float:
        return float(self._clock.now().nanoseconds * 1e-9)


class Nav2Stamped(Nav2):
    """As `Nav2`, with `TwistStamped` commands, as Nav2 gives them by default from Kilted on."""

    _kind = TwistStamped

    def _take(self, message: Any) -> None:
        self._note(message.twist, time_from_msg(message.header.stamp))


def _gave_up(result: Any, replaced: bool) -> str | None:
    """Goals that are replaced are aborted, too."""
    if replaced:
        return None
    code = int(result.error_code)
    said = str(getattr(result, "error_msg", "")).rstrip(".")
    name = _NAMES.get(code, "no reason is told" if code == 0 else "an error of its own")
    return f"Nav2 gave up: {name}{f' ({code})' if code else ''}{': ' if said else ''}{said}"


def _code_of(result: Any) -> Code:
    code = int(result.error_code)
    if code in _NO_WAY:
        return Code.UNREACHABLE
    if code in _SET_UP:
        return Code.CONFIG
    return Code.STALE if code in _TRANSFORMS else Code.EXECUTION
