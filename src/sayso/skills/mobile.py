"""Go, pick and release with a mobile manipulator; each checked by observation.

The scene is in the map, the arm's own skills work in the frame of the arm's foot: they are
handed a scene expressed there. For picking and releasing the robot chooses a place to stand
from which the arm reaches, drives there by ways that the task allows, and looks again from
close by before the hand moves.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Cancelled, Kinematics, MotionPlanner
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Check, in_words
from sayso.skills import contract, handling
from sayso.skills.approach import Approach, Errand, MotionAlong, Need
from sayso.skills.arm import Arm
from sayso.skills.boxes import in_frame
from sayso.skills.carry_grasps import carry_grasps
from sayso.skills.gate import MotionGate
from sayso.skills.grasps import Grasp
from sayso.skills.handling import UP, Held, Target, held_in
from sayso.skills.looking import averaged, look_poses, look_until_told, standing
from sayso.skills.mobile_settings import DEFAULT_MOBILE, MobileRobot, MobileSettings
from sayso.skills.poses import moved
from sayso.skills.senses import Senses
from sayso.skills.stands import Mask, Ways, promising
from sayso.skills.surfaces import encloses, spots, tilted
from sayso.skills.walls import with_walls

logger = logging.getLogger(__name__)

_AGAIN = frozenset({Code.UNREACHABLE, Code.EXECUTION, Code.LIMIT})
"""After these a skill tries another place, another grasp or another way of the arm."""
_LIFT_RANK, _FAILED_RANK = 10, 100
_IDEAL_M = 0.52
"""From the arm's foot, where it reaches best."""
_SURELY_M = 0.755
"""From the shoulder to the wrist, where the arm reaches with its hand straight down."""


class MobileSkillExecutor:
    """Carries out `go`, `pick` and `release`; remembers only what the hand holds.

    Use it from one thread at a time. The gate must be authorised by the caller.

    Args:
        gate: with a base driver and the robot's limits (`MobileRobot.drive_limits`).
        senses: scenes in the map, whose robot state has a base.
        motion_along: makes a path a motion over time.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        motion_planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        predicates: Mapping[str, Predicate],
        robot: MobileRobot,
        motion_along: MotionAlong,
        settings: MobileSettings = DEFAULT_MOBILE,
    ) -> None:
        self._arm = Arm(kinematics, motion_planner, gate, senses, settings.arm)
        self._approach = Approach(robot, gate, senses, motion_along, settings)
        self._senses = senses
        self._predicates = predicates
        self._robot = robot
        self._settings = settings
        self._held: Held | None = None
        self._failed: set[int] = set()

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
            path: (N, 2) where `go` drives, in the map [m]; unused by the others.
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
        if action.skill not in ("go", "pick", "release"):
            raise SaySoError(
                Code.UNSUPPORTED,
                f"a mobile robot has no skill '{action.skill}'.",
                choices=("go", "pick", "release"),
            )
        scene = self._senses.scene()
        errand = Errand(self._arm.cancelled_by(cancelled), ways, avoid, phase)
        _require_known(scene, action, avoid)
        checks = contract.check(scene, sorted(action.preconditions), self._predicates)
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        if action.skill == "go":
            self._go(errand, path)
        elif action.skill == "pick":
            self._pick(errand, action.args[0])
        else:
            self._release(errand, action.args[0], action.args[1])
        return self._verify(action, errand)

    def stow(self, cancelled: Cancelled = lambda: False) -> None:
        """The arm into a posture for driving, with what it holds."""
        errand = Errand(self._arm.cancelled_by(cancelled), _NOWHERE)
        self._approach.stow(errand, self._held)

    # -- go ----------------------------------------------------------------------------------

    def _go(self, errand: Errand, path: Array | None) -> None:
        if path is None or not len(path):
            raise SaySoError(Code.INVALID, "to go somewhere, a path is needed.")
        self._approach.drive(errand, path, self._held)

    # -- pick --------------------------------------------------------------------------------

    def _pick(self, errand: Errand, name: str) -> None:
        self._held = None
        self._failed = set()
        self._approach.begin()
        self._repeatedly(errand, name, lambda: self._take(errand, name))
        self._approach.stow(errand, self._held)
        self._approach.leave(errand, self._held)

    def _take(self, errand: Errand, name: str) -> None:
        scene = self._senses.scene()
        obj = _found(scene, name)
        points = np.array([obj.position[:2]])
        need = Need(name, points, lambda seen: self._grasp_targets(seen, name))
        self._approach.reach(errand, need)
        errand.phase(f"look at {in_words(name)}")
        self._look_at(errand, name)
        seen = self._seen_by_arm(errand, name)
        chosen = self._approach.choose(errand, seen, need)[0]
        self._failed.add(chosen.rank)
        grasp = Grasp(chosen.tool, self._settings.arm.open_width_m)
        task = self._approach.task(errand, seen, name)
        held = handling.pick(task, name, None, [grasp], float(chosen.away[2]))
        x, _, z = held.offset.position
        # Fingers that close bring the thing to their middle, whatever was seen.
        offset = Pose((x, 0.0, z), held.offset.orientation)
        self._held = replace(held, offset=offset)

    def _grasp_targets(self, scene: Scene, name: str) -> list[Target]:
        """Ways to take hold of a thing; those that failed already come last."""
        candidates = carry_grasps(_found(standing(scene, name), name), self._settings)
        found = []
        for i, lift_m in enumerate(self._settings.lift_m):
            for grasp in candidates:
                rank = grasp.rank + _LIFT_RANK * i
                later = _FAILED_RANK if rank in self._failed else 0
                found.append(Target(grasp.tool, UP * lift_m, rank + later))
        return found

    def _look_at(self, errand: Errand, name: str) -> None:
        """Bring the hand's camera over a thing, if the arm reaches there."""
        scene = in_frame(self._senses.scene(), self._approach.foot())
        task = self._approach.task(errand, scene, name)
        obstacles = task.obstacles(self._settings.arm.avoid_margins_m[0])
        arm = errand.arm
        for pose in look_poses(_found(scene, name), self._robot, self._settings):
            joints = arm.kinematics.inverse(pose, arm.turned_home(pose))
            if joints is None:
                continue
            try:
                arm.go(joints, obstacles)
                look_until_told(self._senses, name, self._settings)
                return
            except SaySoError as error:
                if error.code is not Code.UNREACHABLE:
                    raise
                logger.info("looking at %s: %s", name, error.message)

    def _seen_by_arm(self, errand: Errand, name: str) -> Scene:
        """Fresh scenes, averaged, in the arm's frame; the thing's box upright."""
        scene = averaged(self._senses, name, self._settings)
        place = np.array([_found(scene, name).position[:2]])
        scene = with_walls(scene, errand.ways, place)
        return standing(in_frame(scene, self._approach.foot()), name)

    # -- release -----------------------------------------------------------------------------

    def _release(self, errand: Errand, name: str, receptacle: str) -> None:
        self._approach.begin()
        self._repeatedly(errand, receptacle, lambda: self._put(errand, name, receptacle))
        self._held = None
        self._approach.stow(errand, None)
        self._approach.leave(errand, self._held)

    def _put(self, errand: Errand, name: str, receptacle: str) -> None:
        failure: SaySoError | None = None
        for group in (0, 1):
            try:
                self._put_at(errand, name, receptacle, group)
                return
            except SaySoError as error:
                if error.code is not Code.UNREACHABLE:
                    raise
                logger.info("putting %s down, group %d: %s", name, group, error.message)
                failure = failure or error
        if failure is not None:
            raise failure

    def _put_at(self, errand: Errand, name: str, receptacle: str, group: int) -> None:
        """At spots on or in the receptacle (group 0) or beside it (group 1)."""
        around = self._senses.scene()
        middle = np.array([_found(around, receptacle).position[:2]])
        around = with_walls(around, errand.ways, middle)
        points = self._spot_points(around, name, receptacle, group)
        held = self._held_now(self._senses.scene(), name)

        def need(held: Held) -> Need:
            return Need(
                receptacle,
                points,
                lambda seen: self._place_targets(seen, held, receptacle, group),
                held,
            )

        self._approach.reach(errand, need(held))
        scene = averaged(self._senses, receptacle, self._settings)
        scene = in_frame(with_walls(scene, errand.ways, points), self._approach.foot())
        held = held_in(scene, name, held)
        if held.width_m < self._settings.arm.empty_width_m:
            raise SaySoError(
                Code.OBJECT_LOST,
                f"{name} slipped out of the hand on the way.",
                hint="look where it fell.",
            )
        chosen = self._approach.choose(errand, scene, need(held))
        lowering_m = float(chosen[0].away[2])
        alike = [t for t in chosen if float(t.away[2]) == lowering_m]
        poses = [t.tool @ held.offset for t in alike]
        task = self._approach.task(errand, scene, name)
        handling.place(task, held, poses, lift_m=lowering_m)

    def _spot_points(self, scene: Scene, name: str, receptacle: str, group: int) -> Array:
        """(N, 2) places in the map to stand around, some apart, the nearest to the base first."""
        base = self._approach.base()
        held = self._held_now(scene, name)
        found = spots(held, 0.0, _found(scene, receptacle), scene, self._settings)
        poses = found[group] if group < len(found) else ()
        if not poses:
            raise SaySoError(
                Code.UNREACHABLE,
                f"there is no free room at {receptacle} for {name}.",
                hint="make room there.",
            )
        places = np.unique([p.position[:2] for p in poses], axis=0)
        order = np.argsort(np.linalg.norm(places - base.position[:2], axis=1))
        return _apart(places[order], 0.3, 8)

    def _place_targets(self, scene: Scene, held: Held, receptacle: str, group: int) -> list[Target]:
        inverse = held.offset.inverse()
        dropped = encloses(_found(scene, receptacle))
        tilts = self._settings.drop_tilts if dropped else (0.0,)
        return [
            Target(tool, UP * self._lowering_m(tool), rank)
            for rank, pose in enumerate(self._spots(scene, held, receptacle, group))
            for tool in (tilted(pose, held.size, tilt) @ inverse for tilt in tilts)
        ]

    def _lowering_m(self, tool: Pose) -> float:
        """The longest way down that begins within reach: over a high rim there is little room."""
        lifts = (self._settings.arm.approach_m, *self._settings.lower_m)
        surely = (m for m in lifts if promising(moved(tool, UP * m), _SURELY_M))
        return next(surely, lifts[-1])

    def _spots(self, scene: Scene, held: Held, receptacle: str, group: int) -> list[Pose]:
        """Poses of the held thing in the arm's frame, the easiest to reach first."""
        found = spots(held, 0.0, _found(scene, receptacle), scene, self._settings)
        poses = found[group] if group < len(found) else ()

        def ease(pose: Pose) -> float:
            return abs(float(np.hypot(*pose.position[:2])) - _IDEAL_M)

        return sorted((p for p in poses if np.hypot(*p.position[:2]) < 0.85), key=ease)[:160]

    def _held_now(self, scene: Scene, name: str) -> Held:
        return held_in(in_frame(scene, self._approach.foot_now()), name, self._held)

    # -- common ------------------------------------------------------------------------------

    def _repeatedly(self, errand: Errand, name: str, work: Callable[[], None]) -> None:
        """Try again from other places, or after another look, while that may help."""
        for attempt in range(self._settings.tries):
            try:
                work()
                return
            except SaySoError as error:
                if error.code not in _AGAIN or attempt + 1 == self._settings.tries:
                    raise
                logger.info("%s, try %d: %s", name, attempt + 1, error.message)
                if error.code is Code.UNREACHABLE:
                    self._approach.elsewhere()

    def _verify(self, action: Action, errand: Errand) -> tuple[Check, ...]:
        errand.phase("look at the result")
        scene = self._senses.scene_after(self._senses.now_s(), self._settings.arm.scene_timeout_s)
        checks = contract.check(scene, contract.effects(action), self._predicates)
        if any(c.literal.atom.predicate == "holding" and c.observed is False for c in checks):
            self._held = None
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


def _found(scene: Scene, name: str) -> SceneObject:
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
    touched = action.args if action.skill != "go" else ()
    for name in action.args:
        _found(scene, name)
    for name in touched:
        if name in set(avoid):
            raise SaySoError(Code.VETO, f"{name} must not be touched.")


def _apart(places: Array, distance_m: float, most: int) -> Array:
    """The first of some places that are not next to one before."""
    chosen: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - c) > distance_m for c in chosen):
            chosen.append(place)
    return np.array(chosen[:most])
