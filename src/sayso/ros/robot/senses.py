"""What the executor observes, from topics (`skills.senses.Senses`), with waits that end."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import ROSClock
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import SymbolicState as SymbolicStateMsg
from sayso_ros.msg import TaskProgress
from sensor_msgs.msg import JointState

from sayso.core.errors import Code, SaySoError
from sayso.core.occupied import Occupied
from sayso.core.ports import Kinematics
from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import SymbolicState
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import scene_from_msg, state_from_msg, time_from_msg
from sayso.ros.messages.joints import JointReadings, robot_state
from sayso.ros.messages.qos import LATCHED, MISSED_PERIODS
from sayso.ros.robot.mobile_frames import BaseLocalisation
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.liveliness import Parts
from sayso.ros.runtime.streams import streams_of
from sayso.skills.timeouts import SLOWEST

T = TypeVar("T")
JOINTS = "joint_states"
"""Whole readings of arm and hand, on whatever topics they are told, as streams are called."""
STANDSTILL_S = 5.0
"""Wall time without a joint reading after which the robot counts as silent."""
MOVES_BY = (
    "world", "flat_world", "driver", "perception", "flat_perception", "mapper", "automaton",
)  # fmt: skip
"""Nodes without which nothing moves, where they were there at first."""
_LOOK_S = 0.1


class RosSenses:
    """Keeps the newest of each observation and lets other threads wait for newer ones.

    Every wait is bounded on the wall clock, and ended by what `interrupt` was given.

    Attributes:
        parts: which of the other nodes live.
        occupied: what a map shows to stand on the floor, which is no part of a scene's message.
    """

    def __init__(
        self,
        node: Node,
        profile: RobotProfile,
        kinematics: Kinematics,
        mobile: BaseLocalisation | None = None,
    ) -> None:
        self._profile = profile
        self._node = node
        self._kinematics = kinematics
        self._mobile = mobile
        self._changed = threading.Condition()
        self._scene: Scene | None = None
        self._state: SymbolicState | None = None
        self._robot: RobotState | None = None
        self._progress: TaskProgress | None = None
        self._heard: dict[str, tuple[float, float]] = {}
        self._closed: str | None = None
        self._interrupt: Callable[[], None] = lambda: None
        self.occupied: Callable[[], Occupied | None] = lambda: None
        self.parts = Parts(node, (*MOVES_BY, "interpreter", "planner", "recorder", "feedback"))
        self._on_state: list[Callable[[SymbolicState], None]] = []
        # Each stream in its own group, so that a large scene never delays a joint reading.
        self._subscribe(SceneMsg, "scene", self._take_scene, 1)
        self._subscribe(SymbolicStateMsg, "symbolic_state", self._take_state, 10)
        self._listen_to_joints()
        self._subscribe(TaskProgress, "task_progress", self._take_progress, LATCHED)

    def scene(self) -> Scene:
        with self._changed:
            return _known(self._scene, "scene", "see whether perception and cameras run.")

    def robot(self) -> RobotState:
        with self._changed:
            return _known(self._robot, "joint reading", "see whether the robot's driver runs.")

    def wait_for_robot(self, timeout_s: float) -> None:
        """Right after the start the first reading may be on its way. Raises STALE."""
        if self._wait_for(lambda: self._robot, timeout_s) is None:
            self.robot()  # says what is missing

    def progress(self) -> TaskProgress | None:
        """The newest verdict of the automaton node, if any."""
        with self._changed:
            return self._progress

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        found = self._wait_for(
            lambda: self._scene if self._scene and self._scene.stamp_s > stamp_s else None,
            timeout_s,
        )
        if found is None:
            raise SaySoError(
                Code.STALE,
                f"no new scene was observed for {timeout_s:g} s.",
                hint="see whether the cameras and perception run.",
            )
        return found

    def state_after(self, stamp_s: float, timeout_s: float) -> SymbolicState:
        """A symbolic state stamped after a time. Raises STALE."""
        found = self._wait_for(
            lambda: self._state if self._state and self._state.stamp_s > stamp_s else None,
            timeout_s,
        )
        if found is None:
            raise SaySoError(
                Code.STALE,
                f"no new symbolic state for {timeout_s:g} s.",
                hint="see whether the cameras and perception run.",
            )
        return found

    def progress_after(self, task_id: str, stamp_s: float, timeout_s: float) -> TaskProgress:
        """A verdict about this task on a state stamped at or after a time. Raises STALE."""

        def fresh() -> TaskProgress | None:
            message = self._progress
            if message is None or message.task_id != task_id:
                return None
            return message if time_from_msg(message.header.stamp) >= stamp_s - 1e-6 else None

        found = self._wait_for(fresh, timeout_s)
        if found is None:
            raise SaySoError(
                Code.STALE,
                f"no verdict of the automaton for {timeout_s:g} s.",
                hint="see whether the automaton node and perception run.",
            )
        return found

    def now_s(self) -> float:
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def wait(self, duration_s: float) -> None:
        now_s = self.now_s()
        left_s, last_change = duration_s, time.monotonic()
        latest = last_change + STANDSTILL_S + SLOWEST * duration_s
        with self._changed:
            while left_s > 0:
                self._require_open()
                # Joint readings come all the time and wake us; the timeout only bounds silence.
                if self._changed.wait(min(0.05, left_s)):
                    last_change = time.monotonic()
                elif time.monotonic() - last_change > STANDSTILL_S:
                    raise SaySoError(
                        Code.STALE,
                        f"no joint reading for {STANDSTILL_S:g} s.",
                        hint="see whether the robot's driver runs.",
                    )
                if time.monotonic() > latest:
                    raise SaySoError(Code.STALE, "time stands still.", hint="see who sets /clock.")
                before_s, now_s = now_s, self.now_s()
                left_s -= max(now_s - before_s, 0.0)  # a clock that is set back takes no time

    def unheard(self, topic: str, period_s: float) -> str | None:
        """Why a stream with this period counts as silent, or None: two messages are missed.

        On the robot's clock, and on one that nobody sets, where simulated time may be slow.
        """
        then_s, heard_s = self._heard.get(topic, (-math.inf, -math.inf))
        clock = self._node.get_clock()
        simulated = isinstance(clock, ROSClock) and clock.ros_time_is_active
        slower = SLOWEST if simulated else 1.0
        silent_s = max(self.now_s() - then_s, (time.monotonic() - heard_s) / slower)
        if silent_s <= MISSED_PERIODS * period_s:
            return None
        if math.isinf(silent_s):
            return f"nothing came on /{topic} yet"
        return f"nothing came on /{topic} for {silent_s:.1f} s"

    def interrupt(self, check: Callable[[], None]) -> None:
        """From now on waits for observations end with what this raises."""
        self._interrupt = check

    def require_wanted(self) -> None:
        """Raises what ends waits: that the task is to end, STOPPED, or NODE_UNAVAILABLE."""
        self._require_open()
        self._interrupt()
        self.parts.require(MOVES_BY)

    def requiring(self, *names: str) -> Callable[[], None]:
        """As `require_wanted`, and that these nodes live."""

        def check() -> None:
            self.require_wanted()
            self.parts.require(names)

        return check

    def close(self, reason: str) -> None:
        """End all waits, present and future, with STOPPED."""
        with self._changed:
            self._closed = reason
            self._changed.notify_all()

    def on_state(self, callback: Callable[[SymbolicState], None]) -> None:
        """Call back with every symbolic state, on the subscription's thread."""
        self._on_state.append(callback)

    def _wait_for(self, look: Callable[[], T | None], timeout_s: float) -> T | None:
        end_s = time.monotonic() + timeout_s
        while True:
            self.require_wanted()
            with self._changed:
                found, left_s = look(), end_s - time.monotonic()
                if found is not None or left_s <= 0:
                    return found
                self._changed.wait(min(_LOOK_S, left_s))

    def _require_open(self) -> None:
        if self._closed is not None:
            raise SaySoError(
                Code.STOPPED, f"stopped: {self._closed}.", hint="start the nodes again."
            )

    def _subscribe(self, kind: type, topic: str, take: Callable[[Any], None], qos: Any) -> None:
        group = MutuallyExclusiveCallbackGroup()

        def heard(message: Any) -> None:
            take(message)
            self._heard[topic] = (self.now_s(), time.monotonic())

        callback = receiving(topic, heard)
        self._node.create_subscription(kind, topic, callback, qos, callback_group=group)

    def _listen_to_joints(self) -> None:
        self._readings = JointReadings(self._profile)
        streams, qos = streams_of(self._node), qos_profile_sensor_data
        for topic in self._profile.drivers.joint_states:
            take = receiving(topic, self._take_joints)
            self._node.create_subscription(JointState, topic, take, qos, callback_group=streams)

    def _take_scene(self, message: SceneMsg) -> None:
        self.parts.heard("perception", "flat_perception")
        self._set("_scene", replace(scene_from_msg(message), occupied=self.occupied()))

    def _take_state(self, message: SymbolicStateMsg) -> None:
        self.parts.heard("perception", "flat_perception")
        state = state_from_msg(message)
        self._set("_state", state)
        for callback in self._on_state:
            callback(state)

    def _take_joints(self, message: JointState) -> None:
        self.parts.heard("world", "flat_world", "driver")
        if (reading := self._readings.take(message)) is not None:
            robot = robot_state(reading, self._kinematics, self._profile)
            self._set("_robot", robot if self._mobile is None else self._mobile.in_scene(robot))
            self._heard[JOINTS] = (self.now_s(), time.monotonic())

    def _take_progress(self, message: TaskProgress) -> None:
        self.parts.heard("automaton")
        self._set("_progress", message)

    def _set(self, name: str, value: object) -> None:
        with self._changed:
            setattr(self, name, value)
            self._changed.notify_all()


def _known(value: T | None, what: str, hint: str) -> T:
    if value is None:
        raise SaySoError(Code.STALE, f"there is no {what} yet.", hint=hint)
    return value
