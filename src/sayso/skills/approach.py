"""Bringing a mobile robot to where its arm reaches: stow, choose a place, drive there."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Navigator
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.core.vocabulary import NO_WORDS, Vocabulary
from sayso.skills.arm import Arm
from sayso.skills.boxes import in_frame
from sayso.skills.driving import MotionAlong, Straight, StraightState
from sayso.skills.gate import MotionGate
from sayso.skills.handling import Held, Target, Task
from sayso.skills.looking import steady_base
from sayso.skills.mobile_settings import MobileRobot, MobileSettings
from sayso.skills.poses import upright, yaw_of
from sayso.skills.senses import Senses
from sayso.skills.stands import Stand, Ways, foot_at, reached, stands_around
from sayso.skills.surroundings import MobileTask, mobile_task
from sayso.skills.walls import with_walls

logger = logging.getLogger(__name__)

_THERE_M = 0.08
_STOWED_RAD = 0.05
_STAND_TARGETS, _TARGETS, _CHOSEN = 12, 24, 2
"""How many are looked into before driving and when there, and how many are tried then."""
_PLAN_S = 0.5
_STANDS_TRIED = 30
_SAME_PLACE_M = 0.15
_BACK_M = 0.35
_STRAIGHT_M = 1e-3
_CLEAR_OF_SWING_M = (2.1, 2.5, 2.9)
"""So far from the middle of a door nothing of a robot is in the way of its leaf."""
_LED_M = 1.0
"""Shorter ways are driven without a navigator: its own tolerance is a part of them."""
_LED_OFF_M, _LED_THERE_M = 0.5, 0.05
"""So far off its goal a navigator may rest; so far nobody has to drive on."""


@dataclass(frozen=True)
class Errand:
    """One action under way: the arm, the ways allowed, what not to touch, whom to tell.

    Attributes:
        path: (N, 2) where it drives, in the map [m]; None where it chooses its ways itself.
        brings: the predicates of what the action is to bring about.
        free: whether a navigator may lead the robot from one end of the path to the other.
        words: of the kinds of things.
        motion_along: makes a path a motion over time, by what is known to stand around; None: as
            the robot does by its map.
    """

    arm: Arm
    ways: Ways
    avoid: frozenset[str] = frozenset()
    phase: Callable[[str], None] = lambda _: None
    path: Array | None = None
    brings: frozenset[str] = frozenset()
    free: bool = False
    words: Vocabulary = NO_WORDS
    motion_along: MotionAlong | None = None


@dataclass(frozen=True)
class Need:
    """What the arm is to reach.

    Attributes:
        name: what it is for, to be told.
        points: (N, 2) of the map, to stand around.
        targets: tool poses to reach, from a scene in the arm's frame.
        held: what the hand holds meanwhile.
    """

    name: str
    points: Array
    targets: Callable[[Scene], Sequence[Target]]
    held: Held | None = None

    @property
    def own(self) -> str:
        """What the hand holds or reaches for: nothing to keep off."""
        return self.held.name if self.held else self.name

    @property
    def carried(self) -> tuple[str, ...]:
        """What moves with the hand."""
        return (self.held.name,) if self.held else ()


class Approach:
    """Drives; remembers where it stands and which places did not do for the action under way."""

    def __init__(
        self,
        robot: MobileRobot,
        gate: MotionGate,
        senses: Senses,
        motion_along: MotionAlong,
        settings: MobileSettings,
        navigator: Navigator | None = None,
    ) -> None:
        self._robot = robot
        self._navigator = navigator
        self._gate = gate
        self._senses = senses
        self._motion_along = motion_along
        self._settings = settings
        self._stand: Stand | None = None
        self._foot: Pose | None = None
        self._tried: list[Stand] = []

    def begin(self) -> None:
        """A new action: every place may do."""
        self._tried = []

    def elsewhere(self) -> None:
        """Where the robot stands did not do."""
        x, y, _ = self.base().position
        self._tried.append(Stand(x, y, 0.0))
        self._foot = None

    # -- where the robot is ------------------------------------------------------------------

    def base(self) -> Pose:
        """Raises STALE where it is not known."""
        base = self._senses.robot().base
        if base is None:
            raise SaySoError(Code.STALE, "where the base is, is not known.")
        return base

    def foot_now(self) -> Pose:
        """The arm's foot in the map, by one reading."""
        return foot_at(self.base(), self._robot)

    def foot(self) -> Pose:
        """The arm's foot in the map, averaged since the base came to rest."""
        if self._foot is None:
            self._foot = foot_at(steady_base(self._senses), self._robot)
        return self._foot

    def task(self, errand: Errand, scene: Scene, *spared: str) -> MobileTask:
        """A task of the arm in a scene of its frame."""
        plain = Task(errand.arm, scene, errand.avoid, errand.phase)
        return mobile_task(plain, self._robot.body, self._settings.near_m, errand.words, *spared)

    # -- motions -----------------------------------------------------------------------------

    def stow(self, errand: Errand, held: Held | None) -> None:
        """The arm into a posture for driving. Raises UNREACHABLE with what is in the way."""
        postures = self._robot.carrying if held else self._robot.stowed
        joints = errand.arm.joints()
        if any(np.abs(joints - p).max() < _STOWED_RAD for p in postures):
            return
        errand.phase("fold the arm")
        around = with_walls(self._senses.scene(), errand.ways, np.array([self.base().position[:2]]))
        scene = in_frame(around, self.foot())
        names = (held.name,) if held else ()
        obstacles = self.task(errand, scene, *names).obstacles(
            errand.arm.settings.avoid_margins_m[-1], *names
        )
        carried = held.obstacle() if held else None
        left = [*postures, postures[-1]]  # a way that leaves the workspace is not found twice
        while left:
            try:
                errand.arm.go(np.asarray(left.pop(0)), obstacles, carried)
                return
            except SaySoError as error:
                if error.code not in (Code.UNREACHABLE, Code.LIMIT) or not left:
                    raise
                logger.info("folding the arm: %s", error.message)

    def drive(
        self,
        errand: Errand,
        path: Array,
        held: Held | None,
        face: tuple[float, float] | None = None,
    ) -> None:
        """Along a path of the map, from where the base is now, with the arm stowed."""
        self.leave(errand, held)
        self.stow(errand, held)
        errand.phase("drive")
        base = steady_base(self._senses)
        start = np.asarray(base.position[:2])
        near = float(np.linalg.norm(path[0] - start)) < _THERE_M
        route = _corners(np.concatenate([start[None], path[1:] if near else path]))
        self._foot = None
        motion_along = errand.motion_along or self._motion_along
        motion = motion_along(route, yaw_of(base), face=face)
        self._gate.drive(motion, self._senses, errand.arm.cancelled)

    def go(self, errand: Errand, path: Array, held: Held | None) -> None:
        """From one end of a path of the map to the other; led by a navigator, if that may be.

        Where it took the robot nearly there the rest is driven without it.

        Raises:
            SaySoError: as `MotionGate.navigate`; EXECUTION where a navigator says that the base
                is there, and it is not.
        """
        navigator = self._navigator
        if navigator is None or not errand.free or _length_m(path) < _LED_M:
            self.drive(errand, path, held)
            return
        self.leave(errand, held)
        self.stow(errand, held)
        errand.phase("drive, led by the navigator")
        self._foot = None
        (x, y), (dx, dy) = path[-1], path[-1] - path[-2]
        goal = upright((float(x), float(y), 0.0), float(np.arctan2(dy, dx)))
        self._gate.navigate(navigator, goal, self._senses, errand.arm.cancelled)
        here = np.asarray(steady_base(self._senses).position[:2])
        off_m = float(np.linalg.norm(path[-1] - here))
        if off_m > _LED_OFF_M:
            raise SaySoError(
                Code.EXECUTION,
                f"the navigator says that the base is there, and it is {off_m:.2f} m off.",
                hint="see whether both localise by the same map, and its tolerance at a goal.",
            )
        if off_m > _LED_THERE_M:
            self.drive(errand, np.stack([here, path[-1]]), held)

    def leave(self, errand: Errand, held: Held | None) -> None:
        """Back out of a place where there is no room to turn."""
        stand, self._stand = self._stand, None
        if stand is None or not stand.cramped:
            return
        self.back_off(errand, held, _BACK_M)

    def back_off(self, errand: Errand, held: Held | None, way_m: float) -> None:
        """Drive straight back, with the arm stowed."""
        self.stow(errand, held)
        errand.phase("back off")
        self._straight(errand, -way_m)

    def stand_clear(self, errand: Errand, held: Held | None, of: tuple[float, float]) -> None:
        """Drive to the nearest free place that is clear of what swings at a place, facing it.

        Raises:
            SaySoError: UNREACHABLE where no way leads to such a place; as `drive`.
        """
        path = self._way_around(errand, of)
        if path is None:
            text = f"no way leads clear of what swings at ({of[0]:.1f}, {of[1]:.1f})."
            raise SaySoError(Code.UNREACHABLE, text, hint="move the robot, or what is in its way.")
        self.drive(errand, path, held, face=of)

    def _way_around(self, errand: Errand, of: tuple[float, float]) -> Array | None:
        """(N, 2) to the nearest free place that is clear of what swings at a place, if any is."""
        angles = np.arange(0.0, math.tau, math.tau / 24)
        around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        places = np.concatenate([np.asarray(of) + r * around for r in _CLEAR_OF_SWING_M])
        yaws = np.tile(angles + math.pi, len(_CLEAR_OF_SWING_M))
        free = errand.ways.fits(places, yaws)
        if not free.any():
            return None
        x, y, _ = self.base().position
        path = errand.ways.way((x, y), places[free], yaws[free])
        return path if path is not None and len(path) else None

    def _straight(self, errand: Errand, way_m: float) -> None:
        base = steady_base(self._senses)
        x, y, _ = base.position
        self._foot = None
        motion = Straight(StraightState(x, y, yaw_of(base)), way_m)
        self._gate.drive(motion, self._senses, errand.arm.cancelled)

    # -- choosing a place --------------------------------------------------------------------

    def reach(self, errand: Errand, need: Need) -> None:
        """Stand where the arm reaches one of the targets; stays where that is so already.

        Raises:
            SaySoError: UNREACHABLE where no place will do.
        """
        scene = with_walls(self._senses.scene(), errand.ways, need.points)
        here = self.base()
        x, y, _ = here.position
        if self._untried(Stand(x, y, 0.0)) and self._reaches(errand, here, scene, need):
            return
        errand.phase(f"find a place to reach {in_words(need.name)} from")
        for batch in self._batches(errand, scene, need):
            if self._drive_to_one(errand, batch, need.held):
                return
        raise SaySoError(
            Code.UNREACHABLE,
            f"there is no place to stand from which the arm reaches {need.name}.",
            hint="make room around it, or move it nearer to where the robot can stand.",
        )

    def _batches(self, errand: Errand, scene: Scene, need: Need) -> Iterator[list[Stand]]:
        """Places from which the arm reaches, a few at a time, those with room around first."""
        ranked = self._with_room(errand, self._ranked(errand, need, scene))
        for cramped in (False, True):
            batch: list[Stand] = []
            for stand in [s for s in ranked if s.cramped == cramped][:_STANDS_TRIED]:
                if self._reaches(errand, stand.pose, scene, need):
                    batch.append(stand)
                if len(batch) == self._settings.stands:
                    yield batch
                    batch = []
            if batch:
                yield batch

    def _ranked(self, errand: Errand, need: Need, scene: Scene) -> list[Stand]:
        """Untried places around all points: by distance from the point, then from the base."""
        here = np.asarray(self.base().position[:2])
        found: list[tuple[float, float, Stand]] = []
        ahead_m = self._ahead_m(errand, need.held)
        for point in need.points:
            for stand in stands_around(point, scene, self._robot, self._settings, ahead_m):
                place = np.array([stand.x, stand.y])
                rank = self._rank(float(np.linalg.norm(place - point)))
                if self._untried(stand):
                    found.append((rank, float(np.linalg.norm(place - here)), stand))
        found.sort(key=lambda entry: entry[:2])
        return [stand for *_, stand in found]

    def _with_room(self, errand: Errand, stands: Sequence[Stand]) -> list[Stand]:
        """The places where the map has room for the base.

        Cramped are those that are so near to something that they can only be entered straight,
        from where there is room.
        """
        if not stands:
            return []
        yaws = np.array([s.yaw for s in stands])
        places = np.array([(s.x, s.y) for s in stands])
        fit = errand.ways.fits(places, yaws)
        before = np.array([_goal(replace(s, cramped=True)) for s in stands])
        entered = errand.ways.fits(before, yaws)
        found = []
        for stand, stands_free, enters in zip(stands, fit, entered, strict=True):
            if stands_free or (stand.cramped and enters):
                found.append(replace(stand, cramped=not stands_free))
        return found

    def _ahead_m(self, errand: Errand, held: Held | None) -> float:
        """How far the robot will reach beyond its front: not at all in its tightest posture."""
        if held is None:
            return 0.0
        tightest = np.array([self._robot.carrying[0]] * 2)
        hit = errand.arm.planner.blocked(tightest, self._robot.body, held=held.obstacle())
        return 0.0 if hit is None else self._settings.carried_ahead_m

    def _rank(self, distance_m: float) -> int:
        return int(np.abs(np.array(self._settings.stand_m) - distance_m).argmin())

    def _untried(self, stand: Stand) -> bool:
        return all(np.hypot(stand.x - t.x, stand.y - t.y) > _SAME_PLACE_M for t in self._tried)

    def _reaches(self, errand: Errand, base: Pose, scene: Scene, need: Need) -> bool:
        """Whether the folded arm of a base there could come to a target and enter it."""
        seen = in_frame(scene, foot_at(base, self._robot))
        postures = self._robot.carrying if need.held else self._robot.stowed
        start = np.asarray(postures[-1])  # where what is held has the most room
        return bool(self._reached(errand, seen, need, start, _STAND_TARGETS, 1, _PLAN_S))

    def choose(self, errand: Errand, seen: Scene, need: Need) -> list[Target]:
        """The best targets in a scene of the arm's frame that the arm can come to from here.

        Raises:
            SaySoError: UNREACHABLE without any.
        """
        joints = errand.arm.joints()
        patience_s = self._settings.arm.plan_timeout_s
        found = self._reached(errand, seen, need, joints, _TARGETS, _CHOSEN, patience_s)
        if not found:
            raise SaySoError(
                Code.UNREACHABLE,
                f"the arm does not reach {need.name} from where the robot stands.",
                hint="make room around it.",
            )
        return found

    def _reached(
        self,
        errand: Errand,
        seen: Scene,
        need: Need,
        start: Array,
        limit: int,
        most: int,
        plan_s: float,
    ) -> list[Target]:
        task = self.task(errand, seen, need.own)
        margin = self._settings.arm.avoid_margins_m[-1]
        near, around = task.obstacles(margin, need.own), task.obstacles(margin, *need.carried)
        held = need.held.obstacle() if need.held else None
        planner = errand.arm.planner

        def entered(out: Array) -> bool:
            if planner.blocked(out, near, held=held) is not None:
                return False
            try:
                planner.plan(start, out[-1], around, held=held, timeout_s=plan_s)
            except SaySoError as error:
                if error.code is not Code.UNREACHABLE:
                    raise
                return False
            return True

        return reached(errand.arm, self._robot.reach, need.targets(seen), entered, limit, most)

    def _drive_to_one(self, errand: Errand, stands: list[Stand], held: Held | None) -> bool:
        """Drive to the place that is nearest by the ways allowed; False if none leads to any."""
        self.leave(errand, held)
        goals = np.array([_goal(s) for s in stands])
        x, y, _ = self.base().position
        path = errand.ways.way((x, y), goals, np.array([s.yaw for s in stands]))
        if path is None or not len(path):
            self._tried.extend(stands)
            return False
        stand = stands[int(np.linalg.norm(goals - path[-1], axis=1).argmin())]
        ahead = (stand.x + float(np.cos(stand.yaw)), stand.y + float(np.sin(stand.yaw)))
        self.drive(errand, path, held, ahead)
        if stand.cramped:
            self._straight(errand, _BACK_M)
        self._stand = stand
        return True


def _goal(stand: Stand) -> tuple[float, float]:
    """Where the drive to a place ends: a bit before a cramped one, to turn there."""
    back = _BACK_M if stand.cramped else 0.0
    return (stand.x - back * float(np.cos(stand.yaw)), stand.y - back * float(np.sin(stand.yaw)))


def _length_m(path: Array) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def _corners(path: Array) -> Array:
    """The path (N, 2) without points on its straight stretches, where it need not rest."""
    kept = [path[0]]
    for here, after in pairwise(path[1:]):
        along = after - kept[-1]
        length = float(np.linalg.norm(along))
        aside = along[0] * (here - kept[-1])[1] - along[1] * (here - kept[-1])[0]
        if length > 1e-9 and abs(aside) / length > _STRAIGHT_M:
            kept.append(here)
    return np.array([*kept, path[-1]] if len(path) > 1 else kept)
