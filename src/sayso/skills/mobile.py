"""The executor of a mobile manipulator's skills: each checked by observation, before and after.

Skills are found by the names that operators use, in the registry's kind `mobile_skill`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.ports import Building, Cancelled, Kinematics, MotionPlanner
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Check
from sayso.skills import contract
from sayso.skills.approach import Approach, Errand, MotionAlong
from sayso.skills.arm import Arm
from sayso.skills.gate import MotionGate
from sayso.skills.handling import Held
from sayso.skills.mobile_settings import DEFAULT_MOBILE, MobileRobot, MobileSettings
from sayso.skills.senses import Senses
from sayso.skills.skill import Repertoire, Skills
from sayso.skills.stands import Mask, Ways


@dataclass
class MobileWork:
    """What a skill of a mobile robot works with; moves nothing but through the gate.

    Attributes:
        building: whose devices can be worked; None where the robot speaks to none.
        held: what the hand holds, and how.
    """

    approach: Approach
    gate: MotionGate
    senses: Senses
    robot: MobileRobot
    settings: MobileSettings
    building: Building | None = None
    held: Held | None = None


class Go:
    """The skill `go`: drives along the errand's path, with what is held."""

    parameters = ("thing",)

    def __init__(self, work: MobileWork) -> None:
        self._work = work

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        """Raises INVALID without a path; what the gate raises."""
        if errand.path is None or not len(errand.path):
            raise SaySoError(Code.INVALID, "to go somewhere, a path is needed.")
        self._work.approach.drive(errand, errand.path, self._work.held)


class MobileSkillExecutor:
    """Carries out actions by the skill they name; remembers only what the hand holds.

    Use it from one thread at a time. The gate must be authorised by the caller.

    Args:
        gate: with a base driver and the robot's limits (`MobileRobot.drive_limits`).
        senses: scenes in the map, whose robot state has a base.
        motion_along: makes a path a motion over time.
        skills: makes skills by their names.
        building: whose devices can be worked.

    Raises:
        SaySoError: INVALID for operators of the library that do not fit their skills.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        motion_planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        library: Library,
        robot: MobileRobot,
        motion_along: MotionAlong,
        skills: Skills,
        settings: MobileSettings = DEFAULT_MOBILE,
        building: Building | None = None,
    ) -> None:
        self._arm = Arm(kinematics, motion_planner, gate, senses, settings.arm)
        approach = Approach(robot, gate, senses, motion_along, settings)
        self._work = MobileWork(approach, gate, senses, robot, settings, building)
        self._predicates = library.predicates
        self._skills = Repertoire[Errand](skills, self._work)
        self._skills.require_fit(library)

    def execute(
        self,
        action: Action,
        path: Array | None,
        ways: Ways,
        avoid: frozenset[str] = frozenset(),
        *,
        started: Callable[[tuple[Check, ...]], None] = lambda _: None,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> tuple[Check, ...]:
        """Check, act, look, check. Gives the effects as observed.

        Args:
            path: (N, 2) where a skill that drives goes, in the map [m]; None for the others.
            ways: for what pick and release drive themselves.
            avoid: objects that must not be touched.
            started: called with the precondition checks before anything moves.
            phase: called with what the skill is doing now, in English.

        Raises:
            SaySoError: OBJECT_LOST; VETO for what must not be touched; PRECONDITION and
                POSTCONDITION with the observed values; UNREACHABLE without a place from which
                the arm reaches; UNSUPPORTED for an unknown skill or what the hand cannot hold;
                or what the gate raised.
        """
        skill = self._skills.skill(action.skill)
        scene = self._work.senses.scene()
        errand = Errand(self._arm.cancelled_by(cancelled), ways, avoid, phase, path)
        _require_known(scene, action, avoid if path is None else ())
        checks = contract.check(scene, sorted(action.preconditions), self._predicates)
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        skill.run(errand, action.args[: len(skill.parameters)])
        return self._verify(action, errand)

    def stow(self, cancelled: Cancelled = lambda: False) -> None:
        """The arm into a posture for driving, with what it holds."""
        errand = Errand(self._arm.cancelled_by(cancelled), _NOWHERE)
        self._work.approach.stow(errand, self._work.held)

    def _verify(self, action: Action, errand: Errand) -> tuple[Check, ...]:
        errand.phase("look at the result")
        senses = self._work.senses
        scene = senses.scene_after(senses.now_s(), self._work.settings.arm.scene_timeout_s)
        checks = contract.check(scene, contract.effects(action), self._predicates)
        if any(c.literal.atom.predicate == "holding" and c.observed is False for c in checks):
            self._work.held = None
        contract.require(checks, Code.POSTCONDITION, f"{action} did not have its effect")
        return checks


class _Nowhere:
    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        return None

    def fits(self, places: Array, yaws: Array) -> Mask:
        return np.zeros(len(places), bool)

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        return np.zeros((0, 4))


_NOWHERE = _Nowhere()


def found_in(scene: Scene, name: str) -> SceneObject:
    """A thing of a scene. Raises OBJECT_LOST where it is not observed."""
    obj = scene.by_name().get(name)
    if obj is None:
        raise SaySoError(
            Code.OBJECT_LOST,
            f"{name} is not in the observed scene.",
            hint="put it back in view, or ask for something else.",
            choices=scene.by_name(),
        )
    return obj


def _require_known(scene: Scene, action: Action, avoid: Iterable[str]) -> None:
    """Raises OBJECT_LOST, and VETO for what must not be touched."""
    for name in action.args:
        found_in(scene, name)
    for name in set(action.args) & set(avoid):
        raise SaySoError(Code.VETO, f"{name} must not be touched.")
