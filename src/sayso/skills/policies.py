"""Skills that are policies: at every moment, what is observed says where the arm goes next.

A planned motion goes where a thing was when it was planned. A policy follows it: it is asked for a
setpoint twenty times in a second, and each passes the gate (`MotionGate.stream`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Kinematics, Obstacle
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.skills.arm_skills import ArmSkill
from sayso.skills.contract import found_in
from sayso.skills.handling import Task
from sayso.skills.poses import downward, yaw_of
from sayso.skills.setpoints import Observation, Policy
from sayso.skills.trajectory import MotionLimits, Trajectory, remaining, timed

HOVER_M = 0.10
"""Of the tool above a thing's top."""
_OVER_M = 0.006
"""So near to where it should be the tool is over a thing."""
_STAYS_S = 0.5
"""So long it must be there: a thing that is moved on is followed."""
_PATIENCE_S = 20.0
_LATE_PERIODS = 4
_ASTRAY_RAD = 0.005
"""What is farther from its command was stopped meanwhile."""


class PolicySkill(ArmSkill):
    """A skill that streams the setpoints of a policy."""

    needs = ("arm",)

    @abstractmethod
    def policy(self, task: Task, args: tuple[str, ...]) -> Policy:
        """For one action; asked for setpoints until it gives none."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, VETO, what the policy raises, and as `Arm.stream`."""
        for name in args:
            task.object(name)
        margin_m = task.arm.settings.avoid_margins_m[-1]
        held = None if self.work.held is None else self.work.held.obstacle()

        def obstacles(scene: Scene) -> tuple[Obstacle, ...]:
            own = () if self.work.held is None else (self.work.held.name,)
            return replace(task, scene=scene).obstacles(margin_m, *own)

        task.arm.stream(self.policy(task, args), obstacles, held)


class HoverOver(PolicySkill):
    """Brings the hand over a thing and keeps it there while the thing is moved, until it rests."""

    parameters = ("thing",)

    def policy(self, task: Task, args: tuple[str, ...]) -> Policy:
        task.phase(f"hold the hand over {in_words(args[0])}")
        limits = task.arm.limits.scaled(task.arm.settings.slow_speed)
        return Hover(args[0], task.arm.kinematics, limits)


@dataclass
class Hover:
    """The policy of `HoverOver`: visual servoing by the newest scene, in joint space.

    Attributes:
        name: of the thing.
        limits: of the joints.
    """

    name: str
    kinematics: Kinematics
    limits: MotionLimits
    _begun_s: float | None = None
    _over_s: float | None = None

    def __call__(self, seen: Observation) -> Array | None:
        """Raises OBJECT_LOST; UNREACHABLE; EXECUTION where the thing does not come to rest."""
        now_s = seen.now_s
        self._begun_s = now_s if self._begun_s is None else self._begun_s
        if now_s - self._begun_s > _PATIENCE_S:
            text = f"{self.name} did not stay under the hand for {_PATIENCE_S:.0f} s."
            raise SaySoError(Code.EXECUTION, text, hint="see that nothing moves it.")
        target = self._target(seen)
        off_m = float(np.linalg.norm(np.subtract(target.position, seen.robot.gripper.position)))
        self._over_s = (self._over_s or now_s) if off_m < _OVER_M else None
        if self._over_s is not None and now_s - self._over_s >= _STAYS_S:
            return None
        goal = self.kinematics.inverse(target, seen.command, anywhere=False)
        if goal is None:
            raise SaySoError(Code.UNREACHABLE, f"the arm does not reach over {self.name}.")
        return seen.towards(goal, self.limits)

    def _target(self, seen: Observation) -> Pose:
        """Over the thing, with the hand turned as it is."""
        obj = found_in(seen.scene, self.name)
        top = obj.position[2] + obj.size[2] / 2
        place = np.array([*obj.position[:2], top + HOVER_M])
        return downward(place, yaw_of(self.kinematics.forward(seen.command)) - np.pi / 2)


@dataclass
class Along:
    """A policy that follows a joint path (N, J) in time, from wherever it is stopped.

    Attributes:
        path: begins where the arm rests.
        limits: of the joints.
    """

    path: Array
    limits: MotionLimits
    _run: Trajectory | None = None
    _time_s: float = 0.0

    def __call__(self, seen: Observation) -> Array | None:
        """None at the path's end."""
        run = self._run
        if run is None or float(np.abs(run.at(self._time_s) - seen.command).max()) > _ASTRAY_RAD:
            run = self._run = timed(remaining(self.path, seen.command), self.limits)
            self._time_s = 0.0
        self._time_s = self._reached_s(run, seen)
        if self._time_s >= run.duration_s:
            return None
        self._time_s += seen.period_s
        return seen.nearly(run.at(self._time_s), self.limits)

    def _reached_s(self, run: Trajectory, seen: Observation) -> float:
        """How far it came: not to where it was told to be, where setpoints came too late."""
        first_s = max(0.0, self._time_s - _LATE_PERIODS * seen.period_s)
        times_s = np.linspace(self._time_s, first_s, 4 * _LATE_PERIODS + 1)
        off = [float(np.abs(run.at(t) - seen.command).max()) for t in times_s]
        return float(times_s[int(np.argmin(off))])
