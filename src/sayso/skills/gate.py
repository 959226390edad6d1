"""The motion gate: the one place from which the arm and the gripper can be moved.

It is closed until it is authorised, and it streams motions in short windows: before each one
it asks every condition again, with the state the arm is in and the state it will be in shortly.
At the first reason against, or when `stop` is called from any thread, the driver is told to
hold at once and the motion ends with an error; nothing but `hold` is sent after that.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.ports import ArmDriver, Cancelled, JointWindow, Kinematics
from sayso.core.scene import RobotState
from sayso.skills.senses import Senses
from sayso.skills.trajectory import Trajectory

Array = npt.NDArray[np.float64]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What is about to be sent.

    Attributes:
        kind: "move", "grip", or "rest" while the hand or the arm comes to rest.
        robot: as it is now.
        predicted: as it will be `GateLimits.foresight_s` later if the motion goes on.
    """

    kind: str
    robot: RobotState
    predicted: RobotState


@dataclass(frozen=True)
class Condition:
    """Something that must hold for the arm to move.

    Attributes:
        check: gives the reason if it does not hold.
        hint: what a person can do then.
    """

    name: str
    check: Callable[[Request], str | None]
    code: Code = Code.VETO
    hint: str = ""


@dataclass(frozen=True)
class GateLimits:
    """Bounds that hold whatever was authorised.

    Attributes:
        low, high: corners of the box in which the tool centre point must stay [m].
        velocity_rad_s: per joint.
        force_n, width_m: of the fingers.
        foresight_s: how far ahead conditions see the robot.
        horizon_s: how much is sent at once; the arm rests this long after the last window.
        period_s: time between windows.
        fresh_s: age at which a joint reading is too old to move by.
        lag_rad: distance between a joint and its command at which the arm counts as blocked.
        arrived_rad: this near to its goal a motion has ended.
        missed_rad: farther from it a second later, the arm counts as blocked.
    """

    low: Vector3 = (-0.3, -0.85, -0.01)
    high: Vector3 = (0.9, 0.85, 1.1)
    velocity_rad_s: float = 2.7
    force_n: float = 80.0
    width_m: float = 0.08
    foresight_s: float = 0.3
    horizon_s: float = 0.4
    period_s: float = 0.05
    fresh_s: float = 0.3
    lag_rad: float = 0.3
    arrived_rad: float = 0.01
    missed_rad: float = 0.05


class MotionGate:
    """Streams motions to the driver while every condition holds; see the module's text.

    `stop` may be called from any thread; the rest from one thread at a time.
    """

    def __init__(
        self, driver: ArmDriver, kinematics: Kinematics, limits: GateLimits = GateLimits()
    ) -> None:
        self._driver = driver
        self._kinematics = kinematics
        self._limits = limits
        self._lock = threading.RLock()
        self._conditions: tuple[Condition, ...] | None = None
        self._stopped: str | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the gate is closed; empty when it is open."""
        with self._lock:
            if self._stopped is not None:
                return (f"stopped: {self._stopped}",)
            return ("no motion is authorised",) if self._conditions is None else ()

    @contextmanager
    def authorised(self, conditions: Sequence[Condition]) -> Iterator[None]:
        """Open while the block runs and the conditions hold; comes to rest at its end.

        Raises:
            SaySoError: STOPPED while a stop is latched.
        """
        self.authorise(conditions)
        try:
            yield
        finally:
            self.close()

    def authorise(self, conditions: Sequence[Condition]) -> None:
        """Open, replacing the conditions of before. Raises STOPPED while a stop is latched."""
        with self._lock:
            self.require_running()
            self._conditions = tuple(conditions)

    def close(self) -> None:
        """Close and come to rest."""
        with self._lock:
            self._conditions = None
            self._driver.hold()

    def stop(self, reason: str) -> None:
        """Come to rest now and let nothing pass until `reset`."""
        with self._lock:
            logger.warning("stop: %s", reason)
            self._stopped = reason
            self._conditions = None
            self._driver.hold()

    def reset(self) -> None:
        """Release a latched stop; the gate stays closed until it is authorised again."""
        with self._lock:
            self._stopped = None

    def require_running(self) -> None:
        """Raises STOPPED while a stop is latched."""
        with self._lock:
            if self._stopped is not None:
                raise SaySoError(
                    Code.STOPPED,
                    f"the arm was stopped: {self._stopped}.",
                    hint="say what to do next when it is safe: new instructions release the stop.",
                )

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
        with self._rest_on_failure():
            run = _Run(trajectory, senses.now_s())
            while run.time_s < trajectory.duration_s:
                run.advance(senses.now_s(), self._limits.horizon_s)
                self._send_window(run, senses, cancelled)
                senses.wait(self._limits.period_s)
            self._settle(trajectory.positions[-1], senses, cancelled)

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
        with self._rest_on_failure():
            if not 0.0 <= force_n <= self._limits.force_n:
                self._refuse(Code.LIMIT, f"a grip of {force_n:.0f} N is beyond the limit")
            if not 0.0 <= width_m <= self._limits.width_m:
                self._refuse(Code.LIMIT, f"the fingers do not open to {width_m:.3f} m")
            robot = senses.robot()
            self._check(Request("grip", robot, replace(robot, gripper_width_m=width_m)), senses)
            self._send(lambda: self._driver.grip(width_m, force_n), cancelled)
            return self._fingers_at_rest(senses, cancelled, timeout_s)

    @contextmanager
    def _rest_on_failure(self) -> Iterator[None]:
        """Whatever ends the block early, the arm comes to rest at once."""
        done = False
        try:
            yield
            done = True
        finally:
            if not done:
                with self._lock:
                    self._driver.hold()

    def _send_window(self, run: _Run, senses: Senses, cancelled: Cancelled) -> None:
        robot = senses.robot()
        window = run.trajectory.window(run.time_s, self._limits.horizon_s)
        ahead = run.trajectory.at(run.time_s + self._limits.foresight_s)
        predicted = replace(
            robot,
            stamp_s=robot.stamp_s + self._limits.foresight_s,
            joint_positions=tuple(float(q) for q in ahead),
            gripper=self._kinematics.forward(ahead),
        )
        self._check_window(window, robot, run)
        self._check(Request("move", robot, predicted), senses)
        self._send(lambda: self._driver.stream(window), cancelled)

    def _check_window(self, window: JointWindow, robot: RobotState, run: _Run) -> None:
        limits = self._kinematics.limits
        # Asked this way round, what is not a number is refused as well.
        inside = (window.positions >= limits[:, 0]) & (window.positions <= limits[:, 1])
        if not np.all(inside):
            self._refuse(Code.LIMIT, "the motion leaves the joints' range")
        speeds = np.abs(np.diff(window.positions, axis=0)) / np.diff(window.times_s)[:, None]
        if np.any(speeds > self._limits.velocity_rad_s):
            self._refuse(Code.LIMIT, f"a joint would turn at {speeds.max():.1f} rad/s")
        lag = np.abs(np.asarray(robot.joint_positions) - window.positions[0]).max()
        if lag > self._limits.lag_rad:
            if run.time_s <= self._limits.period_s:
                self._refuse(Code.EXECUTION, "the motion does not start where the arm is")
            self._blocked(float(lag))

    def _check(self, request: Request, senses: Senses) -> None:
        age_s = senses.now_s() - request.robot.stamp_s
        if age_s > self._limits.fresh_s:
            self._refuse(
                Code.STALE,
                f"the newest joint reading is {age_s:.1f} s old",
                hint="see whether the robot's driver is running.",
            )
        tool = np.asarray(request.predicted.gripper.position)
        if np.any(tool < self._limits.low) or np.any(tool > self._limits.high):
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
                raise SaySoError(
                    Code.GATE_CLOSED,
                    "the motion gate is closed: no motion is authorised.",
                    hint="confirm the task first.",
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
        end_s = senses.now_s() + timeout_s
        widths: list[float] = []
        while senses.now_s() < end_s:
            senses.wait(self._limits.period_s)
            self._watch(senses, cancelled)
            widths.append(senses.robot().gripper_width_m)
            if len(widths) > 6 and max(widths[-4:]) - min(widths[-4:]) < 1e-3:
                break
        return float(np.mean(widths[-4:]))

    def _watch(self, senses: Senses, cancelled: Cancelled) -> None:
        """While nothing is sent: end the wait on a stop, a cancellation or a refusal."""
        if cancelled():
            self._refuse(Code.CANCELLED, "the task was cancelled")
        with self._lock:
            self.require_running()
        robot = senses.robot()
        self._check(Request("rest", robot, robot), senses)

    def _refuse(self, code: Code, reason: str, hint: str = "") -> NoReturn:
        with self._lock:
            self.require_running()  # a stop explains better why nothing works any more
        raise SaySoError(code, f"{reason}.", hint=hint)


@dataclass
class _Run:
    """A trajectory under way and its clock."""

    trajectory: Trajectory
    seen_s: float
    time_s: float = field(default=0.0)

    def advance(self, now_s: float, horizon_s: float) -> None:
        """Time goes on, but not past the end of the window that the driver has."""
        self.time_s += min(max(now_s - self.seen_s, 0.0), horizon_s)
        self.seen_s = now_s
