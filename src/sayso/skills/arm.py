"""The arm as skills use it: free motions, straight motions and grips, all through the gate."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Cancelled, Kinematics, MotionPlanner, Obstacle
from sayso.core.scene import Scene
from sayso.skills.gate import MotionGate
from sayso.skills.poses import moved
from sayso.skills.senses import Senses
from sayso.skills.setpoints import Policy
from sayso.skills.settings import DEFAULTS, SkillSettings
from sayso.skills.timeouts import GracePeriod
from sayso.skills.trajectory import MotionLimits, remaining, timed

Array = npt.NDArray[np.float64]
T = TypeVar("T")
logger = logging.getLogger(__name__)

OUT_OF_REACH = "the arm's reach"
_STEP_M = 0.015
_STEP_RAD = 0.15
_JUMP_RAD = 0.35
_LOOK_AGAIN_S = 0.1
_WENT_ON_RAD = 0.02  # a motion on which a joint went farther than this did go on
_BLEND_RAD = 0.008  # at most 7 mm at the hand: within every clearance


class Arm:
    """Kinematics, planner and gate together; holds no state of the world."""

    def __init__(
        self,
        kinematics: Kinematics,
        planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        settings: SkillSettings = DEFAULTS,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        self.kinematics = kinematics
        self.planner = planner
        self.senses = senses
        self.settings = settings
        self.cancelled = cancelled
        self.gate = gate
        self.limits = MotionLimits(kinematics.velocity_limits, kinematics.acceleration_limits)

    def cancelled_by(self, cancelled: Cancelled) -> Arm:
        """The same arm, its motions ended by another condition."""
        arm = copy.copy(self)
        arm.cancelled = cancelled
        return arm

    def joints(self) -> Array:
        """(J,) as measured now, within the joints' range."""
        low, high = self.kinematics.limits.T
        return np.asarray(np.clip(self.senses.robot().joint_positions, low, high))

    def way_out(self, target: Pose, away: Array) -> Array | None:
        """Joints (N, J) that begin at the target and lead straight away from it."""
        for seed in (self.turned_home(target), self.joints()):
            goal = self.kinematics.inverse(target, seed)
            if goal is None:
                return None
            if (out := self.line(goal, moved(target, away))) is not None:
                return out
        return None

    def line(self, start: Array, target: Pose) -> Array | None:
        """Joints (N, J) that lead the tool straight from a configuration to a pose."""
        begin = self.kinematics.forward(start)
        path = [start]
        for pose in _between(begin, target):
            joints = self.kinematics.inverse(pose, path[-1], anywhere=False)
            if joints is None or np.abs(joints - path[-1]).max() > _JUMP_RAD:
                return None
            path.append(joints)
        return np.array(path)

    def go(self, goal: Array, obstacles: Sequence[Obstacle], held: Obstacle | None = None) -> None:
        """Move freely to a configuration, more slowly with something in a hand that does not hold
        firmly. Raises UNREACHABLE or what the gate raises."""
        path = self.planner.plan(
            self.joints(), goal, obstacles, held=held, timeout_s=self.settings.plan_timeout_s
        )
        self.follow(path, self.settings.speed * (self.settings.held_share if held else 1.0))

    def follow(self, path: Array, speed: float | None = None) -> None:
        """Move along a path (N, J) that was checked, from where the arm is.

        Where observations become too old the arm rests, and goes on when they are fresh again.
        Raises STALE or NODE_UNAVAILABLE if they do not become so in time, else what the gate
        raises.
        """
        share = self.settings.slow_speed if speed is None else speed
        left = np.concatenate([self.joints()[None], path[1:]])

        def move() -> None:
            nonlocal left
            left = remaining(left, self.joints())
            trajectory = timed(left, self.limits.scaled(share), deviation_rad=_BLEND_RAD)
            self.gate.follow(trajectory, self.senses, self.cancelled)

        self._patiently(move)

    def stream(
        self,
        policy: Policy,
        obstacles: Callable[[Scene], Sequence[Obstacle]],
        held: Obstacle | None = None,
        *,
        period_s: float = 0.05,
    ) -> None:
        """Move by the setpoints of a policy until it gives none (`MotionGate.stream`).

        Waits and raises as `follow`; after a rest the policy goes on from where the arm is.

        Args:
            obstacles: what to keep off in a scene; asked anew for each setpoint.
            held: what the hand holds.
        """

        def blocked(path: Array) -> str | None:
            return self.planner.blocked(path, obstacles(self.senses.scene()), held=held)

        self._patiently(
            lambda: self.gate.stream(
                policy, blocked, self.senses, self.cancelled, period_s=period_s
            )
        )

    def straight(self, by: Array, obstacles: Sequence[Obstacle]) -> None:
        """Move the tool straight by (3,) metres. Raises UNREACHABLE."""
        start = self.joints()
        path = self.line(start, moved(self.kinematics.forward(start), by))
        hit = OUT_OF_REACH if path is None else self.planner.blocked(path, obstacles)
        if path is None or hit is not None:
            raise SaySoError(Code.UNREACHABLE, f"the straight motion is blocked by {hit}.")
        self.follow(path)

    def grip(self, width_m: float, force_n: float | None = None) -> float:
        """Move the fingers; the width at which they came to rest. Waits and raises as `follow`."""
        force = self.settings.grip_force_n if force_n is None else force_n
        return self._patiently(lambda: self.gate.grip(width_m, force, self.senses, self.cancelled))

    def _patiently(self, move: Callable[[], T]) -> T:
        """`move`, again while it is refused only because of readings that may get better."""
        grace = GracePeriod(self.senses, self.settings.stale_patience_s)
        while True:
            before = self.joints()
            try:
                return move()
            except SaySoError as error:
                if np.abs(self.joints() - before).max() > _WENT_ON_RAD:
                    grace.renew()
                grace.tolerate(error)
                logger.info("resting until observations are fresh again: %s", error.message)
            self.senses.wait(_LOOK_AGAIN_S)

    def turned_home(self, target: Pose) -> Array:
        """The home configuration turned towards the target: elbow up, away from limits.

        The first joint is taken to turn the whole arm about z.
        """
        home = np.array(self.kinematics.home)
        home[0] += _bearing(target) - _bearing(self.kinematics.forward(home))
        return home


def _bearing(pose: Pose) -> float:
    """Of a pose around the arm's foot [rad]."""
    x, y, _ = pose.position
    return float(np.arctan2(y, x))


def _between(begin: Pose, end: Pose) -> list[Pose]:
    """Poses from after `begin` to `end`, straight and at an even turn, in small steps."""
    a, b = np.asarray(begin.orientation), np.asarray(end.orientation)
    b = b if a @ b >= 0 else -b
    angle = 2 * float(np.arccos(np.clip(a @ b, -1.0, 1.0)))
    offset = np.asarray(end.position) - begin.position
    steps = max(np.linalg.norm(offset) / _STEP_M, angle / _STEP_RAD, 1.0)
    poses = []
    for share in np.linspace(0.0, 1.0, int(np.ceil(steps)) + 1)[1:]:
        # For turns this small, the normalised mix of quaternions is as good as a slerp.
        mixed = (1 - share) * a + share * b
        x, y, z, w = (float(v) for v in mixed / np.linalg.norm(mixed))
        px, py, pz = (float(v) for v in begin.position + share * offset)
        poses.append(Pose((px, py, pz), (x, y, z, w)))
    return [*poses[:-1], end]
