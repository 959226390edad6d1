"""A Franka Research 3 and its hand through libfranka, by franky (extra `franka`)."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import franky
import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow
from sayso.robots.profile import RobotProfile
from sayso.worlds.simulated_arm import JointReading

log = logging.getLogger(__name__)
_LOST = (franky.NetworkException, franky.ProtocolException)
_BROKEN_OFF = (
    franky.Exception,  # of libfranka's errors the base, of franky's own there is none
    franky.GripperException,
    franky.InvalidMotionTypeException,
    franky.MotionReuseException,
    franky.ReactionRecursionException,
)
_AHEAD_S = 0.15
"""Of a window, where its motion is aimed at: three windows' time, for one may come late. The
farther, the more corners are cut: here by 10 mrad at most."""
_HAND_SPEED_M_S = 0.05
_OPENS_M = 0.002
_LOST_M = 0.004
"""Fingers that close so far beyond what they held have lost it."""
_PORT, _REACHED_S = 1337, 2.0
"""Of libfranka's commands, and until a robot in the network must answer there."""
_CLEARS_S = 1.0
"""Until errors that were recovered from are gone from the states."""
_SAFETY = "safety function"
"""What libfranka says of motions that user stop or safety rules end: sooner than its states do."""
_AGAIN = "see what it met, then call the service driver/recover."
_ABSENT = "see whether it is on, its brakes are open and Desk has activated FCI."
_TRIPPED: Mapping[str, tuple[Code, str]] = {
    "joint_reflex": (Code.EXECUTION, "the arm met something"),
    "cartesian_reflex": (Code.EXECUTION, "the hand met something"),
    "communication_constraints_violation": (Code.STALE, "commands came too late"),
    "joint_position_limits_violation": (Code.LIMIT, "a joint is at its limit"),
    "joint_motion_generator_position_limits_violation": (
        Code.LIMIT,
        "a joint was sent beyond its limit",
    ),
}
"""Errors of libfranka that have a plain cause; the others are told by their names."""


class FrankyArm:
    """Arm and hand behind one address.

    Windows of the gate become motions that libfranka follows at 1 kHz, within the profile's
    limits of speed, acceleration and jerk; each takes the place of the one before, from the state
    that is commanded then. Whatever breaks a motion off is kept as a fault, with its name, until
    `recover`; nothing moves before that. To be used in one thread.

    Args:
        now_s: of readings.

    Raises CONFIG where the profile says nothing of a client.
    """

    def __init__(self, robot: RobotProfile, address: str, now_s: Callable[[], float]) -> None:
        self.profile, self._client = robot, robot.require_client()
        self._address = address or self._client.address
        self._now_s = now_s
        self._fault: SaySoError | None = None
        self._robot: Any = None
        self._hand: Any = None
        self._moving = False
        self._hand_work: Any = None
        self._hand_stops = False
        self._next_grip: tuple[float, float] | None = None
        self._width_m = robot.hand.width_m
        self._held_m: float | None = None
        self._reading: JointReading | None = None

    @property
    def time_s(self) -> float:
        return self._now_s()

    def close(self) -> None:
        """Come to rest and hang up."""
        with suppress(SaySoError):  # a robot that is gone
            self.hold()
            self.hold_grip(self._width_m)
        if self._hand_work is not None:
            self._hand_work.wait(_CLEARS_S)
        # In this order: franky crashes where the hand goes before its work.
        self._hand_work = None
        self._hand = self._robot = None

    # -- what the robot tells ------------------------------------------------------------------

    def read(self) -> JointReading:
        """A new reading of joints and fingers; faults are noted.

        Raises NODE_UNAVAILABLE where the robot is silent; it is connected to anew then.
        """
        if self._robot is None:
            self._robot = self._connect()
        with self._linked():
            state, width_m = self._robot.state, self._hand.width
            self._look(state)
            self._look_at_hand(width_m)
        finger = self.profile.hand.position(width_m)
        positions = np.array([*state.q, finger, finger])
        self._reading = self._read(positions, np.asarray(state.dq))
        return self._reading

    def joints(self) -> JointReading:
        """The newest reading. Raises NODE_UNAVAILABLE where there was none yet."""
        return self._reading or self.read()

    def require_obeyed(self) -> None:
        """Raises what broke a motion off, and NODE_UNAVAILABLE where no robot is connected."""
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        if self._robot is None:
            text = f"{self._address}: there is no robot."
            raise SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT)

    def recover(self) -> None:
        """Have the robot clear its errors, once a person has seen to their cause.

        Raises STOPPED while the user stop is pressed, EXECUTION where the errors stay.
        """
        self.read()
        with self._linked():
            if self._robot.state.robot_mode == franky.RobotMode.UserStopped:
                raise _user_stop()
            if self._robot.has_errors:
                self._clear_errors()
        self._fault = None

    # -- what it is to do ------------------------------------------------------------------------

    def stream(self, window: JointWindow) -> None:
        """Follow the window, replacing whatever was being followed; nothing after a fault."""
        if self._fault is None and self._robot is not None:
            self._move(franky.JointWaypointMotion(self._waypoints(window)))

    def hold(self) -> None:
        """Come to rest within the limits."""
        if self._robot is not None and self._robot.is_in_control:
            self._move(franky.JointStopMotion())

    def grip(self, width_m: float, force_n: float) -> None:
        """Open to a width, or close until the fingers press with this force."""
        self._held_m = None
        if self._fault is not None and self._fault.code is Code.OBJECT_LOST:
            self._fault = None
        self._next_grip = (width_m, force_n)
        self._begin_grip()

    def hold_grip(self, width_m: float) -> None:
        """Stop moving fingers; at rest they press on."""
        self._next_grip = None
        if self._hand_work is not None and self._robot is not None and not self._hand_stops:
            self._hand_stops = True
            with self._linked():
                self._hand.stop_async()

    # -- inside ------------------------------------------------------------------------------------

    def _connect(self) -> Any:
        client, ignore = self._client, franky.RealtimeConfig.Ignore
        try:
            # libfranka waits a minute for a robot that is silent, and all threads with it.
            socket.create_connection((self._address, _PORT), timeout=_REACHED_S).close()
            with _same_priority():
                robot = franky.Robot(self._address, realtime_config=ignore)
            self._hand = franky.Gripper(self._address)
            robot.set_collision_behavior(client.torque_threshold_nm, client.force_threshold_n)
        except (OSError, *_BROKEN_OFF) as error:
            text = f"{self._address}: there is no robot ({error})."
            raise SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT) from error
        robot.joint_velocity_limit.set(self.profile.velocity_limits)
        robot.joint_acceleration_limit.set(self.profile.acceleration_limits)
        robot.joint_jerk_limit.set(np.full(len(self.profile.joints), client.jerk_rad_s3))
        robot.relative_dynamics_factor = franky.RelativeDynamicsFactor(1.0, 1.0, 1.0)
        return robot

    @contextmanager
    def _linked(self) -> Iterator[None]:
        """Raises NODE_UNAVAILABLE where the connection is lost; a motion is broken off by that.

        Raises EXECUTION for whatever else the client does not do.
        """
        try:
            yield
        except (*_LOST, RuntimeError) as error:  # what libfranka's own network library raises
            self._robot = self._hand_work = self._next_grip = self._held_m = None
            self._hand_stops = False
            lost = self._fault_of(Code.NODE_UNAVAILABLE, "the connection was lost", error)
            if self._moving:
                self._fault = self._fault or lost
            raise lost from error
        except _BROKEN_OFF as error:
            raise self._fault_of(Code.EXECUTION, "it was refused", error) from error

    def _clear_errors(self) -> None:
        told, latest_s = "they stay", time.monotonic() + _CLEARS_S
        try:
            self._robot.recover_from_errors()
            while self._robot.has_errors and time.monotonic() < latest_s:
                pass  # each look waits for the next of the robot's states
        except _LOST:
            raise
        except _BROKEN_OFF as error:
            told = str(error)
        if self._robot.has_errors:
            text = f"the robot's errors are not cleared ({told})."
            raise SaySoError(Code.EXECUTION, text, hint="see Franka's Desk.")

    def _waypoints(self, window: JointWindow) -> list[Any]:
        """One at speed, a little ahead, then the window's end at rest."""
        times, positions = window.times_s, window.positions
        last = franky.JointState(positions[-1])
        aim = int(np.searchsorted(times, _AHEAD_S))
        if aim >= len(times) - 1:
            return [_waypoint(last, float(times[-1]))]
        speeds = np.gradient(positions, times, axis=0)[aim]
        most = 0.95 * self.profile.velocity_limits
        at_speed = franky.JointState(positions[aim], np.clip(speeds, -most, most))
        first_s = float(times[aim])
        return [_waypoint(at_speed, first_s), _waypoint(last, float(times[-1]) - first_s)]

    def _move(self, motion: Any) -> None:
        self._moving = True
        with self._linked():
            try:
                self._robot.move(motion, asynchronous=True)
            except _LOST:
                raise
            except _BROKEN_OFF as error:
                self._look(self._robot.state, str(error))

    def _look(self, state: Any, told: str = "") -> None:
        """Note what the robot, or a motion of it, broke off for."""
        try:
            self._moving = self._robot.poll_motion()
        except _LOST:
            raise
        except _BROKEN_OFF as error:
            told = str(error)
        except RuntimeError as error:  # of its planner: the next window is planned from rest
            log.warning("%s: a window was passed over (%s).", self._address, error)
        if state.robot_mode == franky.RobotMode.UserStopped or _SAFETY in told:
            self._fault = self._fault or _user_stop()
        elif names := _names(state.current_errors) or _names(state.last_motion_errors, told):
            code, words = _TRIPPED.get(names[0], (Code.EXECUTION, "the robot broke off"))
            self._note(code, words, ", ".join(names))
        elif told:
            self._note(Code.EXECUTION, "the robot broke off", told)

    def _begin_grip(self) -> None:
        """The newest grip that was asked for; franky waits for the one before, so that nothing
        is asked of it before that has ended."""
        if self._fault is not None:
            self._next_grip = None
        if self._next_grip is None or self._hand_work is not None or self._robot is None:
            return
        (width_m, force_n), self._next_grip = self._next_grip, None
        with self._linked():
            self._hand_work = self._grip_work(width_m, force_n)

    def _grip_work(self, width_m: float, force_n: float) -> Any:
        if width_m > self._width_m - _OPENS_M:
            return self._hand.move_async(width_m, _HAND_SPEED_M_S)
        span_m = self.profile.hand.width_m  # whatever is between them is right: that is observed
        return self._hand.grasp_async(
            width_m, _HAND_SPEED_M_S, force_n, epsilon_inner=span_m, epsilon_outer=span_m
        )

    def _look_at_hand(self, width_m: float) -> None:
        self._width_m = width_m
        work = self._hand_work
        if work is not None and work.wait(0.0):
            self._hand_work = None
            try:
                work.get()
                self._held_m = width_m if self._hand.is_grasped else None
            except _BROKEN_OFF as error:
                if not self._hand_stops:
                    self._note(Code.EXECUTION, "the hand broke off", error)
            self._hand_stops = False
            self._begin_grip()
        if self._held_m is not None and width_m < self._held_m - _LOST_M:
            self._held_m = None
            self._note(Code.OBJECT_LOST, "the hand lost what it held", f"{width_m:.3f} m left")

    def _note(self, code: Code, what: str, detail: object) -> None:
        if self._fault is None:
            self._fault = self._fault_of(code, what, detail)
            log.error("%s", self._fault)

    def _fault_of(self, code: Code, what: str, detail: object) -> SaySoError:
        return SaySoError(code, f"{self._address}: {what} ({detail}).", hint=_AGAIN)

    def _read(self, positions: Array, speeds: Array) -> JointReading:
        now_s, before = self._now_s(), self._reading
        moved: Array = np.zeros(2)
        if before is not None and (gone_s := now_s - before.stamp_s) > 0:
            moved = (positions[-2:] - before.positions[-2:]) / gone_s
        names = (*self.profile.joint_names, *self.profile.finger_names)
        return JointReading(now_s, names, positions, np.concatenate([speeds, moved]))


@contextmanager
def _same_priority() -> Iterator[None]:
    """libfranka gives its caller the highest there is where it may, and so all that is started
    afterwards: that starves the machine."""
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)


def _waypoint(target: Any, seconds: float) -> Any:
    duration = franky.Duration(round(seconds * 1000))
    return franky.JointWaypoint(target, minimum_time=duration)


def _names(errors: Any, told: str | None = None) -> list[str]:
    """The errors that are set; those that a message speaks of where one is given."""
    known = [name for name in dir(errors) if not name.startswith("_")]
    if told is not None:
        return [name for name in known if name in told]
    return [name for name in known if getattr(errors, name)]


def _user_stop() -> SaySoError:
    hint = "release it, then call the service driver/recover."
    text = "the robot's user stop, or another of its safety functions, is active."
    return SaySoError(Code.STOPPED, text, hint=hint)
