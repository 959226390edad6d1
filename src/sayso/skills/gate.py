"""The motion gate: the one place from which arm, gripper and base can be moved.

It is closed until it is authorised, and it sends motions in short pieces: before each one
it asks every condition again, with the state the robot is in and the state it will be in shortly.
At the first reason against, or when `stop` is called from any thread, the drivers are told to
come to rest at once and the motion ends with an error; nothing else is sent after that.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from sayso.core.base_limits import BaseLimits
from sayso.core.clock import untimely
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import ArmDriver, BaseDriver, Cancelled, JointWindow, Kinematics, Navigator
from sayso.core.scene import RobotState
from sayso.skills.conditions import Condition, DeviceOrder, Request
from sayso.skills.driving import DEFAULT_DRIVING, DriveLimits, DrivenMotion, Tracker, Velocity
from sayso.skills.gate_limits import GateLimits
from sayso.skills.motion_clock import MotionClock
from sayso.skills.senses import Senses
from sayso.skills.setpoints import LATE_SHARE, Observation, Policy, SetpointStream
from sayso.skills.steering import Steering
from sayso.skills.stops import Stop, Stops
from sayso.skills.timeouts import GracePeriod, Timeout
from sayso.skills.trajectory import MotionLimits, Trajectory

Array = npt.NDArray[np.float64]
logger = logging.getLogger(__name__)


class MotionGate:
    """Sends motions to the drivers while every condition holds; see the module's text.

    `stop` may be called from any thread; the rest from one thread at a time.

    Args:
        driver: of arm and gripper.
        limits: of the arm's motions.
        base: the driver of a mobile base; None for an arm that stands still.
        drive_limits: of the base's motions.
        mount: where the arm's foot is in the base's frame.
    """

    def __init__(
        self,
        driver: ArmDriver,
        kinematics: Kinematics,
        limits: GateLimits = GateLimits(),
        *,
        base: BaseDriver | None = None,
        drive_limits: DriveLimits = DEFAULT_DRIVING,
        mount: Pose = Pose(),
    ) -> None:
        self._driver = driver
        self._kinematics = kinematics
        self._limits = limits
        self._base = base
        self._drive_limits = drive_limits
        self._mount = mount
        self._lock = threading.RLock()
        self._conditions: tuple[Condition, ...] | None = None
        self._stops = Stops()
        self._moving_width_m: float | None = None
        self._last_refusal: SaySoError | None = None

    @property
    def base_limits(self) -> BaseLimits:
        """Of the base that it lets drive."""
        return self._drive_limits.base

    @property
    def footprint_m(self) -> tuple[float, float]:
        """Length and width of the base that it lets drive. Raises UNSUPPORTED without one."""
        if self._drive_limits.footprint_m is None:
            raise SaySoError(
                Code.UNSUPPORTED,
                "this robot has no base to drive.",
                hint="use a robot whose profile has a `base`.",
            )
        return self._drive_limits.footprint_m

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the gate is closed; empty when it is open."""
        if held := self._stops.held:
            return tuple(f"stopped by {stop}" for stop in held)
        return ("no motion is authorised",) if self._conditions is None else ()

    @property
    def last_refusal(self) -> SaySoError | None:
        """Why the newest motion that was refused or broken off was; None if none was."""
        return self._last_refusal

    @contextmanager
    def authorised(self, conditions: Sequence[Condition]) -> Iterator[None]:
        """Open while the block runs and the conditions hold; comes to rest at its end.

        Raises:
            SaySoError: STOPPED while a stop holds.
        """
        self.authorise(conditions)
        try:
            yield
        finally:
            self.close()

    def authorise(self, conditions: Sequence[Condition]) -> None:
        """Open, replacing the conditions of before. Raises STOPPED while a stop holds."""
        with self._lock:
            self.require_running()
            self._conditions = tuple(conditions)

    def close(self) -> None:
        """Close and come to rest."""
        with self._lock:
            self._conditions = None
            self._rest()

    def stop(self, reason: str, holder: str = "somebody") -> str:
        """Come to rest now, fingers too, and let nothing pass while this stop holds.

        Returns the token that releases it.
        """
        with self._lock:
            stop = Stop(holder, reason)
            logger.warning("stopped by %s", stop)
            token = self._stops.hold(stop)
            self._conditions = None
            self._rest()
            return token

    def release(self, token: str = "") -> tuple[Stop, ...]:
        """Release the stop of a token, or all stops; gives those that held.

        The gate stays closed until it is authorised again. Raises INVALID for an unknown token.
        """
        with self._lock:
            return self._stops.release(token)

    def require_running(self) -> None:
        """Raises STOPPED while a stop holds."""
        with self._lock:
            self._stops.require_none()

    def follow(
        self, trajectory: Trajectory, senses: Senses, cancelled: Cancelled = lambda: False
    ) -> None:
        """Move along a trajectory to its end.

        The trajectory's clock advances only while windows are sent, and never past what was
        sent: after a pause the motion goes on from where the arm came to rest.

        Raises:
            SaySoError: GATE_CLOSED, STOPPED, CANCELLED, STALE, LIMIT, EXECUTION (the arm does
                not follow) or the code of the condition that refuses. The arm is at rest then.
        """
        with self._resting_on_failure():
            run = MotionClock(senses.now_s())
            while run.time_s < trajectory.duration_s:
                run.advance(senses.now_s(), self._limits.horizon_s)
                self._send_window(trajectory, run, senses, cancelled)
                senses.wait(self._limits.period_s)
            self._settle(trajectory.positions[-1], senses, cancelled)

    def stream(
        self,
        policy: Policy,
        blocked: Callable[[Array], str | None],
        senses: Senses,
        cancelled: Cancelled = lambda: False,
        *,
        period_s: float = 0.05,
    ) -> None:
        """Move by the setpoints of a policy until it gives none, each checked before it is sent.

        Conditions see the arm where it would come to rest if nothing more were sent, which is what
        it does while no setpoint comes (`skills.setpoints`). One that takes longer than a period
        is passed over, and the policy is asked again.

        Args:
            blocked: what a path (N, J), followed in straight joint lines, runs into, or None.

        Raises:
            SaySoError: as `follow`; LIMIT also for what is no setpoint, for one too far from the
                command before and for a rate that cannot be streamed; STALE also where none came
                in time for as long as a reading may be old; UNREACHABLE with what is in the way.
                The arm is at rest then, as after whatever the policy raises.
        """
        with self._resting_on_failure():
            most = np.minimum(self._kinematics.velocity_limits, self._limits.velocity_rad_s)
            limits = MotionLimits(most, self._kinematics.acceleration_limits)
            here = np.asarray(self._reading(senses).joint_positions)
            run = SetpointStream(here, limits, period_s, senses.now_s())
            while True:
                seen = self._observation(run, senses)
                if (setpoint := policy(seen)) is None:
                    break
                if self._in_time(run, seen, senses):
                    self._send_setpoint(run, setpoint, seen, blocked, senses, cancelled)
                senses.wait(max(seen.now_s + period_s - senses.now_s(), 0.0))
            self._settle(run.rest, senses, cancelled)

    def drive(
        self, motion: DrivenMotion, senses: Senses, cancelled: Cancelled = lambda: False
    ) -> None:
        """Drive the base along a motion to its end, corrected by where it is observed to be.

        As in `follow`, the motion's clock advances only while commands are sent. Where the
        newest scene is old the base goes slower; where observations become too old it rests, and
        goes on when they are fresh again.

        Raises:
            SaySoError: UNSUPPORTED without a base; GATE_CLOSED, STOPPED, CANCELLED, STALE (also
                where the base's pose is not known), LIMIT (also where the arm is not stowed),
                EXECUTION (the base does not follow) or the code of the condition that refuses.
                The robot is at rest then.
        """
        with self._resting_on_failure():
            self._require_base()
            tracker = Tracker(motion, self._drive_limits)
            run = MotionClock(senses.now_s())
            grace = GracePeriod(senses, self._drive_limits.stale_patience_s)
            while not tracker.arrived(run.time_s):
                now_s, before_s = senses.now_s(), run.time_s
                try:
                    run.advance(now_s, self._limits.horizon_s)
                    if run.rested:
                        run.resume(tracker.resume(self._located(senses), before_s), now_s)
                    self._send_velocity(tracker, run, senses, cancelled)
                    grace.renew()
                except SaySoError as error:
                    grace.tolerate(error)
                    run.rest(before_s)
                    self._rest()
                senses.wait(self._limits.period_s)
            self._rest()

    def navigate(
        self,
        navigator: Navigator,
        goal: Pose,
        senses: Senses,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Drive the base by what a navigator commands, until it says that the base is at a goal.

        Every command is slowed to what the limits and the newest scene allow, and asked about
        with the places up to where the base would come to rest. While none comes the base rests.

        Args:
            goal: of the base, in the scene's frame.

        Raises:
            SaySoError: as `drive`; also what the navigator gave up for, EXECUTION where it
                commands nothing for too long, and LIMIT for what is no velocity. The robot is at
                rest then, and the navigator was told to give up.
        """
        with self._resting_on_failure(), ExitStack() as leading:
            self._require_base()
            run = Steering(self._drive_limits, self._limits.period_s)
            grace = GracePeriod(senses, self._drive_limits.stale_patience_s)
            silence = self._silence(senses)
            navigator.begin(goal)
            leading.callback(navigator.end)
            while not navigator.arrived():
                try:
                    if self._steer(run, navigator.command(), senses, cancelled):
                        silence = self._silence(senses)
                    grace.renew()
                except SaySoError as error:
                    grace.tolerate(error)
                    silence = self._silence(senses)
                    run.rest()
                    self._rest()
                if silence.over:
                    text = f"no command came for {self._drive_limits.silent_s:g} s"
                    self._refuse(Code.EXECUTION, text, "read the navigator's log.")
                senses.wait(self._limits.period_s)
            self._rest()

    def grip(
        self,
        width_m: float,
        force_n: float,
        senses: Senses,
        cancelled: Cancelled = lambda: False,
        *,
        timeout_s: float = 2.0,
    ) -> float:
        """Move the fingers and wait until they rest; gives the width they came to [m].

        Raises:
            SaySoError: as `follow`; LIMIT also for a force or width beyond the gripper's.
        """
        with self._resting_on_failure():
            if not 0.0 <= force_n <= self._limits.force_n:
                self._refuse(Code.LIMIT, f"a grip of {force_n:.0f} N is beyond the limit")
            if not 0.0 <= width_m <= self._limits.width_m:
                self._refuse(Code.LIMIT, f"the fingers do not open to {width_m:.3f} m")
            robot = senses.robot()
            self._check(Request("grip", robot, replace(robot, gripper_width_m=width_m)), senses)
            self._send(lambda: self._grip(width_m, force_n, robot), cancelled)
            return self._fingers_at_rest(senses, cancelled, timeout_s)

    def operate(
        self,
        order: DeviceOrder,
        command: Callable[[], None],
        senses: Senses,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Have a device of the building do something, such as open a door, standing still.

        Args:
            command: sends the order, if what it leads to would not break the task.

        Raises:
            SaySoError: as `follow`; nothing was sent then.
        """
        robot = senses.robot()
        self._check(Request("operate", robot, robot, order), senses)
        self._send(command, cancelled)

    def _grip(self, width_m: float, force_n: float, robot: RobotState) -> None:
        self._moving_width_m = robot.gripper_width_m
        self._driver.grip(width_m, force_n)

    @contextmanager
    def _resting_on_failure(self) -> Iterator[None]:
        """Whatever ends the block early, the robot comes to rest at once."""
        done = False
        try:
            yield
            done = True
        finally:
            if not done:
                self._rest()

    def _rest(self) -> None:
        with self._lock, ExitStack() as all_of_them:  # whatever ails one, the others stop too
            if self._base is not None:
                all_of_them.callback(self._base.halt)
            if self._moving_width_m is not None:
                all_of_them.callback(self._driver.hold_grip, self._moving_width_m)
                self._moving_width_m = None
            all_of_them.callback(self._driver.hold)

    def _foot(self, robot: RobotState) -> Pose:
        """Where the arm's foot is in the scene's frame."""
        return Pose() if robot.base is None else robot.base @ self._mount

    def _silence(self, senses: Senses) -> Timeout:
        return Timeout(senses, self._drive_limits.silent_s)

    def _steer(
        self, run: Steering, wanted: Velocity | None, senses: Senses, cancelled: Cancelled
    ) -> bool:
        """Send what may be of a command; rest where there is none, which gives False."""
        if wanted is None:
            if run.moving:
                run.rest()
                self._rest()
            self._watch(senses, cancelled)
            return False
        robot, base_pose = self._reading(senses), self._located(senses)
        self._require_stowed(robot)
        if not np.isfinite(wanted).all():
            self._refuse(Code.LIMIT, "the navigator commands what is not a number")
        if (reason := run.astray(base_pose)) is not None:
            self._refuse(Code.EXECUTION, reason, "see whether something blocks the base.")
        velocity = run.next(wanted, _unseen_s(senses))
        self._check_velocity(velocity)
        for place in run.ahead(base_pose, velocity):
            self._check(Request("drive", robot, _moved(robot, base_pose, place)), senses)
        self._send_to_base(velocity, cancelled)
        run.note(velocity, base_pose)
        return True

    def _require_base(self) -> BaseDriver:
        if self._base is None:
            raise SaySoError(Code.UNSUPPORTED, "this robot has no base to drive.")
        return self._base

    def _send_to_base(self, velocity: Velocity, cancelled: Cancelled) -> None:
        base = self._require_base()
        self._send(lambda: base.drive(*velocity), cancelled)

    def _send_velocity(
        self, tracker: Tracker, run: MotionClock, senses: Senses, cancelled: Cancelled
    ) -> None:
        robot, base_pose = self._reading(senses), self._located(senses)
        self._require_stowed(robot)
        seen_s = max(senses.now_s() - robot.stamp_s, 0.0)  # at speed it has gone on since
        tracker.observe(base_pose, max(run.time_s - run.rate * seen_s, 0.0))
        if (reason := tracker.astray(run.time_s)) is not None:
            self._refuse(Code.EXECUTION, reason, "see whether something blocks the base.")
        resting = tracker.resting_place(run.time_s, self._limits.period_s)
        predicted = _moved(robot, base_pose, resting)
        run.keep_pace(tracker.pace(run.time_s, _unseen_s(senses)))
        velocity = tracker.velocity(run.time_s, run.rate)
        self._check_velocity(velocity)
        self._check(Request("drive", robot, predicted), senses)
        self._send_to_base(velocity, cancelled)

    def _located(self, senses: Senses) -> Pose:
        """Where the base is; raises STALE where that is not known, or was too long ago."""
        robot = self._reading(senses)
        if robot.base is None:
            self._refuse(Code.STALE, "where the base is, is not known")
        return robot.base

    def _reading(self, senses: Senses) -> RobotState:
        """The newest of the robot. Raises STALE where nothing may be done by it."""
        robot = senses.robot()
        self._require_fresh(robot, senses)
        return robot

    def _require_stowed(self, robot: RobotState) -> None:
        postures = self._drive_limits.stowed
        joints = np.asarray(robot.joint_positions)
        off = [float(np.abs(joints - p).max()) for p in postures]
        if off and not min(off) <= self._drive_limits.stowed_rad:
            self._refuse(Code.LIMIT, "the arm is not stowed, so the base may not drive")

    def _check_velocity(self, velocity: Velocity) -> None:
        forward, left, turn = velocity
        limits = self._drive_limits.base
        # Asked this way round, what is not a number is refused as well.
        if not (np.hypot(forward, left) <= limits.speed_m_s and abs(turn) <= limits.turn_rad_s):
            self._refuse(
                Code.LIMIT,
                f"the base would drive at {np.hypot(forward, left):.2f} m/s and {turn:.2f} rad/s",
            )

    def _send_window(
        self, trajectory: Trajectory, run: MotionClock, senses: Senses, cancelled: Cancelled
    ) -> None:
        robot = self._reading(senses)
        window = trajectory.window(run.time_s, self._limits.horizon_s)
        ahead = trajectory.at(run.time_s + self._limits.foresight_s)
        self._check_window(window)
        seen_s = max(senses.now_s() - robot.stamp_s, 0.0)  # at speed it has gone on since
        self._check_follows(robot, trajectory.at(max(run.time_s - seen_s, 0.0)), run)
        self._check(Request("move", robot, self._at(robot, ahead)), senses)
        self._require_obeyed()
        self._send(lambda: self._driver.stream(window), cancelled)

    def _observation(self, run: SetpointStream, senses: Senses) -> Observation:
        robot, now_s = self._reading(senses), senses.now_s()
        command, velocity = run.command(now_s), run.velocity(now_s)
        return Observation(now_s, senses.scene(), robot, command, velocity, run.period_s)

    def _in_time(self, run: SetpointStream, seen: Observation, senses: Senses) -> bool:
        """Whether the answer to an observation may be sent. Raises STALE for want of any."""
        now_s = senses.now_s()
        if now_s - seen.now_s <= LATE_SHARE * run.period_s:
            return True
        if (late_s := now_s - run.sent_s) > self._limits.fresh_s:
            self._refuse(Code.STALE, f"no setpoint came in time for {late_s:.2f} s")
        return False

    def _send_setpoint(
        self,
        run: SetpointStream,
        setpoint: Array,
        seen: Observation,
        blocked: Callable[[Array], str | None],
        senses: Senses,
        cancelled: Cancelled,
    ) -> None:
        robot, now_s = self._reading(senses), senses.now_s()
        self._check_near(robot, run.command(min(robot.stamp_s, now_s)))
        try:
            piece = run.piece(setpoint, now_s, seen.now_s)
        except SaySoError as error:
            self._refuse(error.code, error.message.rstrip("."))
        self._check_window(piece.window)
        for joints in piece.path[1:]:
            self._check(Request("move", robot, self._at(robot, joints)), senses)
        if (name := blocked(piece.path)) is not None:
            self._refuse(Code.UNREACHABLE, f"a setpoint leads into {name}")
        self._require_obeyed()
        self._send(lambda: self._driver.stream(piece.window), cancelled)
        run.note(piece, now_s)

    def _at(self, robot: RobotState, joints: Array) -> RobotState:
        """The robot with its arm where it soon will be."""
        return replace(
            robot,
            stamp_s=robot.stamp_s + self._limits.foresight_s,
            joint_positions=tuple(float(q) for q in joints),
            gripper=self._foot(robot) @ self._kinematics.forward(joints),
        )

    def _check_window(self, window: JointWindow) -> None:
        limits = self._kinematics.limits
        # Asked this way round, what is not a number is refused as well.
        inside = (window.positions >= limits[:, 0]) & (window.positions <= limits[:, 1])
        if not np.all(inside):
            self._refuse(Code.LIMIT, "the motion leaves the joints' range")
        steps_s = np.diff(window.times_s)
        if not np.all(steps_s > 0.0):
            self._refuse(Code.LIMIT, "the motion's times do not increase")
        speeds = np.abs(np.diff(window.positions, axis=0)) / steps_s[:, None]
        if not np.all(speeds <= self._limits.velocity_rad_s):
            self._refuse(Code.LIMIT, f"a joint would turn at {speeds.max():.1f} rad/s")

    def _check_follows(self, robot: RobotState, command: Array, run: MotionClock) -> None:
        """Refuse to go on if the joints are not about where they were told to be."""
        if run.time_s <= self._limits.period_s and self._lag(robot, command) > self._limits.lag_rad:
            self._refuse(Code.EXECUTION, "the motion does not start where the arm is")
        self._check_near(robot, command)

    def _check_near(self, robot: RobotState, command: Array) -> None:
        if (lag_rad := self._lag(robot, command)) > self._limits.lag_rad:
            self._blocked(lag_rad)

    @staticmethod
    def _lag(robot: RobotState, command: Array) -> float:
        """How far the joint that is farthest from its command is [rad]."""
        return float(np.abs(np.asarray(robot.joint_positions) - command).max())

    def _require_fresh(self, robot: RobotState, senses: Senses) -> None:
        trouble = untimely(robot.stamp_s, senses.now_s(), self._limits.fresh_s)
        if not robot.finite:
            trouble = "has a value that is not a number"
        if trouble is not None:
            self._refuse(
                Code.STALE,
                f"the newest joint reading {trouble}",
                hint="see whether the robot's driver and localisation run, on the same clock.",
            )

    def _check(self, request: Request, senses: Senses) -> None:
        self._require_fresh(request.robot, senses)
        foot = self._foot(request.predicted)
        tool = np.asarray((foot.inverse() @ request.predicted.gripper).position)
        # Asked this way round, what is not a number is refused as well.
        if not np.all((tool >= self._limits.low) & (tool <= self._limits.high)):
            place = ", ".join(f"{v:.2f}" for v in tool)
            self._refuse(Code.LIMIT, f"the tool would leave the workspace at ({place})")
        for condition in self._conditions or ():
            if (reason := condition.check(request)) is not None:
                self._refuse(condition.code, reason, condition.hint)

    def _send(self, command: Callable[[], None], cancelled: Cancelled) -> None:
        """The only way to the driver, under the lock that `stop` takes."""
        if cancelled():
            self._refuse(Code.CANCELLED, "the task was cancelled")
        with self._lock:
            self.require_running()
            if self._conditions is None:
                self._refuse(
                    Code.GATE_CLOSED,
                    "the motion gate is closed: no motion is authorised",
                    "confirm the task first.",
                )
            command()

    def _settle(self, goal: Array, senses: Senses, cancelled: Cancelled) -> None:
        """Wait until the arm rests at its goal, for a second at most."""
        for _ in range(20):
            self._watch(senses, cancelled)
            rest = np.abs(np.asarray(senses.robot().joint_positions) - goal).max()
            if rest < self._limits.arrived_rad:
                return
            senses.wait(self._limits.period_s)
        if rest > self._limits.missed_rad:
            self._blocked(float(rest))

    def _blocked(self, lag_rad: float) -> NoReturn:
        self._refuse(
            Code.EXECUTION,
            f"the arm does not follow: a joint is {lag_rad:.2f} rad from its command",
            hint="see whether something blocks the arm.",
        )

    def _fingers_at_rest(self, senses: Senses, cancelled: Cancelled, timeout_s: float) -> float:
        """The width at which the fingers stay for a fifth of a second."""
        widths: list[float] = []
        # Counted, not timed: a clock that is set back must not make it longer.
        for _ in range(math.ceil(timeout_s / self._limits.period_s)):
            senses.wait(self._limits.period_s)
            self._watch(senses, cancelled)
            widths.append(senses.robot().gripper_width_m)
            self._moving_width_m = widths[-1] if _still_moving(widths[-4:]) else None
            if len(widths) > 6 and self._moving_width_m is None:
                break
        self._moving_width_m = None
        return float(np.mean(widths[-4:]))

    def _watch(self, senses: Senses, cancelled: Cancelled) -> None:
        """While nothing is sent: end the wait on a stop, a cancellation or a refusal."""
        if cancelled():
            self._refuse(Code.CANCELLED, "the task was cancelled")
        with self._lock:
            self.require_running()
        self._require_obeyed()
        robot = senses.robot()
        self._check(Request("rest", robot, robot), senses)

    def _require_obeyed(self) -> None:
        """Raises what the driver tells of a motion that the robot refused or broke off."""
        try:
            self._driver.require_obeyed()
        except SaySoError as error:
            self.require_running()
            self._last_refusal = error
            raise

    def _refuse(self, code: Code, reason: str, hint: str = "") -> NoReturn:
        self.require_running()  # a stop explains better why nothing works any more
        self._last_refusal = SaySoError(code, f"{reason}.", hint=hint)
        raise self._last_refusal


def _moved(robot: RobotState, base: Pose, then: Pose) -> RobotState:
    """The robot with its base somewhere else, and its hand moved along."""
    return replace(robot, base=then, gripper=then @ base.inverse() @ robot.gripper)


def _still_moving(widths: Sequence[float]) -> bool:
    """Whether fingers with these newest widths [m] move, or may move."""
    return len(widths) < 4 or max(widths) - min(widths) >= 1e-3


def _unseen_s(senses: Senses) -> float:
    """Age of the newest scene; 0 where nothing tells scenes: who needs them asks for fresh ones."""
    try:
        return senses.now_s() - senses.scene().stamp_s
    except SaySoError as error:
        if error.code is not Code.STALE:
            raise
        return 0.0
