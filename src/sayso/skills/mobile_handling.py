"""Picking up and putting down with a mobile manipulator, as skills of the registry.

The scene is in the map, the arm's own skills work in the frame of the arm's foot: they are
handed a scene expressed there. The robot chooses a place to stand from which the arm reaches,
drives there by ways that the task allows, and looks again from close by before the hand moves.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.skills import handling
from sayso.skills.approach import Errand, Need
from sayso.skills.boxes import in_frame
from sayso.skills.carry_grasps import carry_grasps
from sayso.skills.contract import found_in
from sayso.skills.handling import UP, Held, Target, held_in
from sayso.skills.looking import averaged, look_poses, look_until_told, standing
from sayso.skills.mobile import MobileWork
from sayso.skills.poses import moved
from sayso.skills.stands import promising
from sayso.skills.surfaces import spots, tilted
from sayso.skills.surroundings import encloses
from sayso.skills.walls import with_walls

logger = logging.getLogger(__name__)

_AGAIN = frozenset({Code.UNREACHABLE, Code.EXECUTION, Code.LIMIT})
"""After these a skill tries another place, another grasp or another way of the arm."""
_LIFT_RANK, _FAILED_RANK = 10, 100
_ON = 2
"""How many groups of spots are on or in a receptacle; the next is beside it."""
_IDEAL_M = 0.52
"""From the arm's foot, where it reaches best."""
_SURELY = 0.92
"""Of the arm's reach, in which it also holds its hand straight down."""


class Pick:
    """The skill `pick`: takes hold of a thing, wherever it lies, and folds the arm."""

    parameters = ("movable",)
    needs = ("base", "arm", "hand")

    def __init__(self, work: MobileWork) -> None:
        self.work = work
        self._failed: set[int] = set()

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, UNREACHABLE, UNSUPPORTED; what the gate raises."""
        (name,) = args
        self.work.held = None
        self._failed = set()
        self.work.approach.begin()
        _repeatedly(
            self.work, name, lambda: self._take(errand, name), lambda: self._look_for(errand, name)
        )
        self.work.approach.stow(errand, self.work.held)
        self.work.approach.leave(errand, self.work.held)

    def _look_for(self, errand: Errand, name: str) -> None:
        """Where a thing came to lie that slipped, or was not where the hand closed: what is known
        of it is where it was last seen, maybe as it fell, and the arm may hide it."""
        self.work.approach.stow(errand, None)
        look_until_told(self.work.senses, name, self.work.settings)

    def _take(self, errand: Errand, name: str) -> None:
        scene = self.work.senses.scene()
        obj = found_in(scene, name)
        points = np.array([obj.position[:2]])
        need = Need(name, points, lambda seen: self._grasp_targets(errand, seen, name))
        self.work.approach.reach(errand, need)
        errand.phase(f"look at {in_words(name)}")
        _look_at(self.work, errand, name)
        seen = self._seen_by_arm(errand, name)
        chosen = self.work.approach.choose(errand, seen, need)[0]
        self._failed.add(chosen.rank)
        thing = found_in(standing(seen, name, errand.words), name)
        grasp = next(g for g in carry_grasps(thing, self.work.settings) if g.tool == chosen.tool)
        task = self.work.approach.task(errand, seen, name)
        held = handling.pick(task, name, None, [grasp], float(chosen.away[2]))
        x, y, z = held.offset.position
        # Fingers that close bring the thing to their middle, whatever was seen.
        offset = Pose((x, y if grasp.gap_m else 0.0, z), held.offset.orientation)
        self.work.held = replace(held, offset=offset)

    def _grasp_targets(self, errand: Errand, scene: Scene, name: str) -> list[Target]:
        """Ways to take hold of a thing; those that failed already come last."""
        thing = found_in(standing(scene, name, errand.words), name)
        candidates = carry_grasps(thing, self.work.settings)
        found = []
        for i, lift_m in enumerate(self.work.settings.lift_m):
            for grasp in candidates:
                rank = grasp.rank + _LIFT_RANK * i
                later = _FAILED_RANK if rank in self._failed else 0
                found.append(Target(grasp.tool, UP * lift_m, rank + later))
        return found

    def _seen_by_arm(self, errand: Errand, name: str) -> Scene:
        """Fresh scenes, averaged, in the arm's frame; the thing's box upright."""
        scene = averaged(self.work.senses, name, self.work.settings)
        place = np.array([found_in(scene, name).position[:2]])
        scene = with_walls(scene, errand.ways, place)
        return standing(in_frame(scene, self.work.approach.foot()), name, errand.words)


class Release:
    """The skill `release`: puts what is held down on, in or beside something."""

    parameters = ("movable", "thing")
    needs = ("base", "arm", "hand")

    def __init__(self, work: MobileWork) -> None:
        self.work = work

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, UNREACHABLE; what the gate raises."""
        name, receptacle = args
        self.work.approach.begin()
        _repeatedly(self.work, receptacle, lambda: self._put(errand, name, receptacle))
        self.work.held = None
        self._look_after(errand, name)
        self.work.approach.stow(errand, None)
        self.work.approach.leave(errand, self.work.held)

    def _look_after(self, errand: Errand, name: str) -> None:
        """Where no camera saw what became of a thing that was let go, look from above."""
        senses, settings = self.work.senses, self.work.settings
        scene = senses.scene_after(senses.now_s(), settings.arm.scene_timeout_s)
        thing = scene.by_name().get(name)
        if thing is not None and thing.let_go:
            errand.phase(f"look where {in_words(name)} came to lie")
            _look_at(self.work, errand, name)

    def _put(self, errand: Errand, name: str, receptacle: str) -> None:
        failure: SaySoError | None = None
        for group in range(_ON if "on" in errand.brings else _ON + 1):
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
        """At the spots of a group of `surfaces.spots`."""
        around = self.work.senses.scene()
        middle = np.array([found_in(around, receptacle).position[:2]])
        around = with_walls(around, errand.ways, middle)
        points = self._spot_points(errand, around, name, receptacle, group)
        held = self._held_now(self.work.senses.scene(), name)

        def need(held: Held) -> Need:
            return Need(
                receptacle,
                points,
                lambda seen: self._place_targets(errand, seen, held, receptacle, group),
                held,
            )

        self.work.approach.reach(errand, need(held))
        scene = averaged(self.work.senses, receptacle, self.work.settings)
        scene = in_frame(with_walls(scene, errand.ways, points), self.work.approach.foot())
        held = held_in(scene, name, held)
        if held.width_m < self.work.settings.arm.empty_width_m:
            raise SaySoError(
                Code.OBJECT_LOST,
                f"{name} slipped out of the hand on the way.",
                hint="look where it fell.",
            )
        chosen = self.work.approach.choose(errand, scene, need(held))
        lowering_m = float(chosen[0].away[2])
        alike = [t for t in chosen if float(t.away[2]) == lowering_m]
        poses = [t.tool @ held.offset for t in alike]
        task = self.work.approach.task(errand, scene, name)
        handling.place(task, held, poses, lift_m=lowering_m)

    def _spot_points(
        self, errand: Errand, scene: Scene, name: str, receptacle: str, group: int
    ) -> Array:
        """(N, 2) places in the map to stand around, some apart, the nearest to the base first."""
        base = self.work.approach.base()
        held = self._held_now(scene, name)
        poses = self._at(errand, scene, held, receptacle, group)
        if not poses:
            raise SaySoError(
                Code.UNREACHABLE,
                f"there is no free room at {receptacle} for {name}.",
                hint="make room there.",
            )
        places = np.unique([p.position[:2] for p in poses], axis=0)
        order = np.argsort(np.linalg.norm(places - base.position[:2], axis=1))
        return _apart(places[order], 0.3, 8)

    def _place_targets(
        self, errand: Errand, scene: Scene, held: Held, receptacle: str, group: int
    ) -> list[Target]:
        inverse = held.offset.inverse()
        dropped = encloses(found_in(scene, receptacle), errand.words)
        tilts = self.work.settings.drop_tilts if dropped else (0.0,)
        return [
            Target(tool, UP * self._lowering_m(tool), rank)
            for rank, pose in enumerate(self._spots(errand, scene, held, receptacle, group))
            for tool in (tilted(pose, held.size, tilt) @ inverse for tilt in tilts)
        ]

    def _lowering_m(self, tool: Pose) -> float:
        """The longest way down that begins within reach: over a high rim there is little room."""
        reach = self.work.robot.reach
        lifts = (self.work.settings.arm.approach_m, *self.work.settings.lower_m)
        surely = (m for m in lifts if promising(moved(tool, UP * m), reach, _SURELY))
        return next(surely, lifts[-1])

    def _at(
        self, errand: Errand, scene: Scene, held: Held, receptacle: str, group: int
    ) -> tuple[Pose, ...]:
        """Poses of the held thing of a group of `surfaces.spots`."""
        at, settings = found_in(scene, receptacle), self.work.settings
        found = spots(held, 0.0, at, scene, settings, errand.words)
        return found[group] if group < len(found) else ()

    def _spots(
        self, errand: Errand, scene: Scene, held: Held, receptacle: str, group: int
    ) -> list[Pose]:
        """Poses of the held thing in the arm's frame, the easiest to reach first."""
        poses = self._at(errand, scene, held, receptacle, group)

        def ease(pose: Pose) -> float:
            return abs(float(np.hypot(*pose.position[:2])) - _IDEAL_M)

        return sorted((p for p in poses if np.hypot(*p.position[:2]) < 0.85), key=ease)[:160]

    def _held_now(self, scene: Scene, name: str) -> Held:
        return held_in(in_frame(scene, self.work.approach.foot_now()), name, self.work.held)


def _look_at(work: MobileWork, errand: Errand, name: str) -> None:
    """Bring the hand's camera over a thing, if the arm reaches there."""
    scene = in_frame(work.senses.scene(), work.approach.foot())
    task = work.approach.task(errand, scene, name)
    obstacles = task.obstacles(work.settings.arm.avoid_margins_m[0])
    arm = errand.arm
    for pose in look_poses(found_in(scene, name), work.robot, work.settings):
        joints = arm.kinematics.inverse(pose, arm.turned_home(pose))
        if joints is None:
            continue
        try:
            arm.go(joints, obstacles)
            look_until_told(work.senses, name, work.settings)
            return
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            logger.info("looking at %s: %s", name, error.message)


def _repeatedly(
    work: MobileWork,
    name: str,
    attempt_it: Callable[[], None],
    look_for: Callable[[], None] = lambda: None,
) -> None:
    """Try again from other places, or after another look, while that may help.

    `look_for` finds anew what the hand may have moved.
    """
    for attempt in range(work.settings.tries):
        try:
            attempt_it()
            return
        except SaySoError as error:
            if error.code not in _AGAIN or attempt + 1 == work.settings.tries:
                raise
            logger.info("%s, try %d: %s", name, attempt + 1, error.message)
            if error.code is Code.UNREACHABLE:
                work.approach.elsewhere()
            elif error.code is Code.EXECUTION:
                look_for()


def _apart(places: Array, distance_m: float, most: int) -> Array:
    """The first of some places that are not next to one before."""
    chosen: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - c) > distance_m for c in chosen):
            chosen.append(place)
    return np.array(chosen[:most])
