"""A stand-in of Nav2's `bt_navigator` and controller, by the rules of their action and topic.

As Nav2's, it takes no goal while it is not active, and fails in a frame that it does not know; a
new goal takes the place of the one under way; it commands at 20 Hz while it controls, nothing while
it plans or waits, and zero when a goal ends, however it does. It drives straight.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from sayso.core.geometry import Pose
from sayso.ros.messages.conversions import header, pose_from_msg
from sayso.skills.driving import Velocity
from support.leading import Leading

TF_ERROR, TIMEOUT = 202, 207
COMMANDS = "nav2/cmd_vel"


class Nav2Double(Node):
    """Offers `navigate_to_pose` and commands on `nav2/cmd_vel`, which is remapped `cmd_vel`.

    Args:
        where: tells where the base is.
        stamped: whether it commands as Nav2 does from Kilted on.

    Attributes:
        active: as its lifecycle says.
        planned: set once a way was found; until then nothing is commanded.
        silent: it commands nothing, as while a recovery behaviour waits.
        fails: gives the error code and message of a goal that is under way, where it fails.
        goals: their poses, in turn.
        ended: how each goal ended, in turn.
    """

    def __init__(self, where: Callable[[], Pose], stamped: bool = False, **kwargs: Any) -> None:
        super().__init__("bt_navigator", **kwargs)
        self._leading = Leading(where)
        self.active, self.silent = True, False
        self.planned = threading.Event()
        self.planned.set()
        self.fails: Callable[[], tuple[int, str] | None] = lambda: None
        self.goals: list[Pose] = []
        self.ended: list[str] = []
        self._stamped = stamped
        self._commands = self.create_publisher(TwistStamped if stamped else Twist, COMMANDS, 1)
        self._newest = b""
        self._over, self._under_way = False, 0
        group = ReentrantCallbackGroup()
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            self._navigate,
            callback_group=group,
            goal_callback=lambda _: GoalResponse.ACCEPT if self.active else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self._tick = threading.Condition()
        self._ticks = 0
        self.create_timer(0.05, self._count, callback_group=group)

    def wind_down(self) -> None:
        """End what is under way."""
        self._over = True
        with self._tick:
            self._tick.wait_for(lambda: not self._under_way, 5.0)

    def _count(self) -> None:
        with self._tick:
            self._ticks += 1
            self._tick.notify_all()

    def _next_tick(self) -> None:
        with self._tick:
            now = self._ticks
            self._tick.wait_for(lambda: self._ticks > now, 5.0)

    def _navigate(self, goal: Any) -> Any:
        self._newest = number = bytes(goal.goal_id.uuid)
        asked = goal.request.pose
        if asked.header.frame_id != "map":
            return self._end(goal, "abort", TF_ERROR, "no transform to 'map'")
        self.goals.append(pose_from_msg(asked.pose))
        self._leading.begin(self.goals[-1])
        self._count_goals(1)
        try:
            return self._controlled(goal, number)
        finally:
            self.command((0.0, 0.0, 0.0))
            self._count_goals(-1)

    def _count_goals(self, more: int) -> None:
        with self._tick:
            self._under_way += more
            self._tick.notify_all()

    def _controlled(self, goal: Any, number: bytes) -> Any:
        while True:
            if self._newest != number or self._over:
                return self._end(goal, "abort")
            if goal.is_cancel_requested:
                return self._end(goal, "canceled")
            if (failure := self.fails()) is not None:
                return self._end(goal, "abort", *failure)
            if self.planned.is_set() and not self.silent:
                if self._leading.arrived():
                    return self._end(goal, "succeed")
                command = self._leading.command()
                assert command is not None  # it always has one
                self.command(command)
            self._next_tick()

    def _end(self, goal: Any, how: str, code: int = 0, message: str = "") -> Any:
        self.ended.append(how)
        getattr(goal, how)()
        return NavigateToPose.Result(error_code=code, error_msg=message)

    def command(self, velocity: Velocity, age_s: float = 0.0) -> None:
        """Publish a command, stamped so long ago."""
        twist = Twist()
        twist.linear.x, twist.linear.y = velocity[0], velocity[1]
        twist.angular.z = velocity[2]
        if not self._stamped:
            self._commands.publish(twist)
            return
        stamp_s = self.get_clock().now().nanoseconds * 1e-9 - age_s
        self._commands.publish(TwistStamped(header=header(stamp_s, "base_link"), twist=twist))
