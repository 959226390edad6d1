"""A task in a flat among things that move: planned, carried out, and kept off who walks.

What one process and ROS do alike: before a plan the robot lets pass who walks, steps back from
who comes to it, looks where something may be that it must keep off, and looks for what is lost;
while it moves, the gate asks of everything that may come in its way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sayso.care.laser import Stranger
from sayso.care.retreat import Coming, Sidestep, step_away
from sayso.care.robot import CarefulRobot
from sayso.care.surveyor import GatedSurveyor
from sayso.care.unknown import Lookout, with_strangers
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.predicates import Predicate
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Action, Check, Plan, SymbolicState, in_words
from sayso.guards import lives, living, nobody_in_the_way, way_is_free, with_walkers
from sayso.logic.analysis import forbidden
from sayso.logic.formula import Formula, propositions
from sayso.planning.navigation.grid import Mask, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.lookout import next_lookout
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.ways import Ways
from sayso.skills.driving import Straight, StraightState
from sayso.skills.gate import Condition
from sayso.skills.poses import upright, yaw_of
from sayso.skills.wariness import Wariness
from sayso.touring import Solve, TourTask

PATIENCE_S = 12.0
"""How long the robot waits for somebody to walk by."""
WAIT_S = 0.05
CLOSE_M, BACK_M = 1.0, 0.4
"""The robot gives way to somebody nearer to its middle than this, by backing off so far."""
FORESIGHT_S = 2.5
"""Somebody who would be too near by then, going on as now, is stepped back from."""
RETREATS = 4
"""Steps back from somebody, for each plan."""
LOOKOUTS = 6
"""Places from which a lost thing is looked for."""
LOOKS = 3
"""So often a drive goes on after a look at something unknown."""
GLANCE_S = 0.6
LOOK_S = 1.5
"""What the camera looks at for so long is seen, if it is anything that is looked for."""

_HARMLESS = frozenset({Code.EXECUTION, Code.VETO, Code.LIMIT, Code.UNREACHABLE})
"""Failures of a motion that only was to help."""


@dataclass(frozen=True)
class Telling:
    """Between a task and the person: what the robot does now, and whether it is to end."""

    told: Callable[[str], None] = lambda _: None
    cancelled: Callable[[], bool] = lambda: False


class CarefulTask:
    """One task in a flat, carried out with care; states may come on another thread.

    Args:
        formula: grounded.
        would_violate: why a scene with the robot in some state would break the task, or None.
        conditions: what the gate asks whatever is done for this task.

    Raises:
        SaySoError: as `TourTask`.
    """

    def __init__(
        self,
        robot: CarefulRobot,
        formula: Formula,
        predicates: Mapping[str, Predicate],
        would_violate: Callable[[Scene, RobotState], str | None],
        conditions: Callable[[], Sequence[Condition]],
        telling: Telling = Telling(),
    ) -> None:
        self.task = TourTask(formula, predicates)
        self._robot = robot
        self._would_violate = would_violate
        self._conditions = conditions
        self._told, self._cancelled = telling.told, telling.cancelled
        self._names = frozenset(str(a) for p in propositions(formula) for a in p.args)
        never = forbidden(formula)
        self._untouchable = frozenset(
            str(p.args[0]) for p in never if p.predicate in ("touching", "holding")
        )
        self.avoided = frozenset(str(a) for p in never for a in p.args)
        self._wariness = Wariness(self._names, also=lives)
        self.lookout = Lookout(robot, self.avoided)
        self._surveyor = GatedSurveyor(robot, self._cancelled)
        self._blocked = self._held_up = False
        self.retreats = 0

    # -- following -------------------------------------------------------------------------

    def observe(self, state: SymbolicState) -> None:
        """Take in a state, newer than those before."""
        self._wariness.observe(self._robot.senses.scene())
        self.task.observe(state)

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        self.task.skill_finished(stamp_s)

    # -- planning --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Before a plan: wait, step back and look around as far as care demands.

        Raises:
            SaySoError: OBJECT_LOST for what the task speaks of and is not found; VETO where
                something unknown cannot be looked at; what the gate raises.
        """
        self._look_at_unknown()
        self._let_pass()
        self._give_way()
        self._look_out()
        self._find_again()

    def plan(self, solve: Solve, excluded: frozenset[Action]) -> Plan:
        """A tour for what is left, from what is seen now. Raises as `TourTask.plan`."""
        out_of_reach = frozenset(a.args[0] for a in excluded if a.name == "pick")
        return self.task.plan(self._scene(), self._robot.grid(), solve, out_of_reach)

    def _let_pass(self) -> None:
        """Wait, for a while, until nobody walks who may come into the way; keep them in view."""
        senses = self._robot.senses
        end_s, steps, looks = senses.now_s() + PATIENCE_S, RETREATS, LOOKS
        if self._wariness.walking():
            self._told("wait for somebody to pass")
        while senses.now_s() < end_s:
            if self._wariness.walking():
                if steps and self._retreat():
                    steps -= 1
                else:
                    senses.wait(WAIT_S)
            elif looks and self._held_up and self._look_after():
                looks -= 1
            else:
                return

    def _look_after(self) -> bool:
        """Turn to where somebody should be by now who went out of sight; whether it could."""
        scene, unseen = self._scene(), self._wariness.out_of_sight()
        for thing in scene.objects:
            x, y, _ = self._expected(thing, scene.stamp_s).position
            if thing.name in unseen and self._surveyor.can_face((x, y), self._with(())):
                self._told(f"look after {in_words(thing.name)}")
                return self._try(partial(self._glance_at, (x, y)))
        return False

    def _glance_at(self, place: tuple[float, float]) -> None:
        self._surveyor.look_at(place)
        self._robot.senses.wait(GLANCE_S)

    def _expected(self, thing: SceneObject, now_s: float) -> SceneObject:
        """Somebody where they are by now, if they went on unseen for a while."""
        since_s = min(max(now_s - thing.last_seen_s, 0.0), FORESIGHT_S)
        x, y, z = thing.position
        dx, dy = (float(v) for v in since_s * self._wariness.velocity(thing.name))
        return replace(thing, position=(x + dx, y + dy, z))

    def _retreat(self) -> bool:
        """Step away from who comes and must not be come near to; whether there was a step."""
        scene = self._scene()
        base = scene.robot.base
        there = [self._expected(o, scene.stamp_s) for o in scene.objects]
        coming = [self._coming(o) for o in there if self._comes_too_near(o, scene)]
        if base is None or not coming:
            return False
        x, y, _ = base.position
        yaw = yaw_of(base)
        floor = Footing(with_walkers(self._robot.grid(), scene))

        def fits(places: Array) -> Mask:
            return floor.fits(places, np.full(len(places), yaw))

        def allowed(place: tuple[float, float]) -> bool:
            return self._would_violate(scene, _moved(scene.robot, place, yaw)) is None

        end = step_away((x, y), coming, fits, allowed)
        if end is None:
            return False
        self._told("step back from somebody who comes")
        self.retreats += 1
        return self._try(lambda: self._drive(Sidestep(StraightState(x, y, yaw), end)))

    def _coming(self, thing: SceneObject) -> Coming:
        return Coming(Footprint.of(thing), self._wariness.velocity(thing.name))

    def _comes_too_near(self, thing: SceneObject, scene: Scene) -> bool:
        """Whether somebody walks to where the task would be broken though the robot stands."""
        velocity = self._wariness.velocity(thing.name)
        if thing.name not in self.avoided or not velocity.any():
            return False
        for later_s in np.linspace(0.0, FORESIGHT_S, 6)[1:]:
            x, y, z = thing.position
            dx, dy = (float(v) for v in later_s * velocity)
            then = replace(thing, position=(x + dx, y + dy, z))
            others = tuple(then if o.name == thing.name else o for o in scene.objects)
            if self._would_violate(replace(scene, objects=others), scene.robot) is not None:
                return True
        return False

    def _give_way(self) -> None:
        """Back off from somebody right before the robot, who may be waiting for it to go."""
        scene = self._scene()
        base = scene.robot.base
        if base is None or not self._blocked:
            return
        self._blocked = False
        x, y, _ = base.position
        if all(o.distance_to((x, y, o.position[2])) > CLOSE_M for o in living(scene)):
            return
        yaw = yaw_of(base)
        behind = np.array([[x - BACK_M * np.cos(yaw), y - BACK_M * np.sin(yaw)]])
        if not Footing(self._robot.grid()).fits(behind, np.array([yaw])).all():
            return
        self._told("give way")
        self._try(lambda: self._drive(Straight(StraightState(x, y, yaw), -BACK_M)))

    def _look_out(self) -> None:
        """Turn to see where those are who went out of sight, if that held the robot up."""
        gone = self._wariness.out_of_sight()
        if not (self._held_up and gone and self._surveyor.can_turn()):
            return
        self._held_up = False
        self._told("look out for " + ", ".join(sorted(map(in_words, gone))))
        self._try(self._surveyor.look_around)

    def _find_again(self) -> None:
        """Look around for what the task speaks of and is not where it was.

        Raises:
            SaySoError: OBJECT_LOST where it is not found; what the gate raises.
        """
        if not self._lost():
            return
        self._told("look around for " + ", ".join(sorted(map(in_words, self._lost()))))
        looked: list[tuple[float, float]] = []
        with self._open():
            while self._lost() and len(looked) < LOOKOUTS:
                if looked or not self._surveyor.can_turn():
                    outset = self.task.outset(self._scene(), self._robot.grid())
                    path = next_lookout(outset, looked)
                    if path is None:
                        break
                    self._surveyor.drive(path)
                self._surveyor.look_around()
                looked.append(self._surveyor.position())
        if lost := self._lost():
            raise SaySoError(
                Code.OBJECT_LOST,
                f"{', '.join(sorted(lost))} is not where it was, and was not found anywhere else.",
                hint="say where it is, or put it back.",
            )

    def _lost(self) -> frozenset[str]:
        return self._names - self._scene().by_name().keys()

    # -- something unknown -----------------------------------------------------------------

    def _look_at_unknown(self) -> None:
        """Turn to what the laser shows near the robot and nothing explains.

        Raises:
            SaySoError: VETO where there is no room to turn to it; what the gate raises.
        """
        for _ in range(LOOKS):
            if not (met := self._near_unknown()):
                return
            self._told(f"look at what is near: {self.lookout.may_be(met[0])}")
            with self._open(leaving=True):
                self._surveyor.come_to_rest()
                if met := self._near_unknown():  # it may have been seen meanwhile
                    self._look_at(met)

    def _near_unknown(self) -> tuple[Stranger, ...]:
        here = self._surveyor.position()
        return tuple(f for f in self.lookout.met() if self.lookout.matters(f, here))

    def _look_at(self, met: Sequence[Stranger]) -> None:
        surveyor = self._surveyor
        if not surveyor.can_face(met[0].place, self._with(met)):
            self._leave(met)
        if not surveyor.can_face(met[0].place, self._with(met)):
            raise SaySoError(
                Code.VETO,
                f"{self.lookout.may_be(met[0])}, and there is no room to turn and look.",
                hint="see what it is, or make room around the robot.",
            )
        surveyor.look_at(met[0].place)
        self._watch(met[0])

    def _leave(self, met: Sequence[Stranger]) -> None:
        """Step away from what is too near to turn beside it."""
        base = self._robot.senses.robot().base
        if base is None:
            return
        here, yaw = self._surveyor.position(), yaw_of(base)
        grid = self._with(met)
        still = [Coming(f.outline, np.zeros(2)) for f in met]

        def fits(places: Array) -> Mask:
            beyond = places[2:]  # where it stands now there may be little room
            return Footing(grid).fits(beyond, np.full(len(beyond), yaw))

        end = step_away(here, still, fits, lambda end: self._surveyor.can_turn(grid, end))
        if end is not None:
            motion = Sidestep(StraightState(*here, yaw), end)
            self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def _watch(self, found: Stranger) -> None:
        """Look until it is known what it is, or that it is nothing that is looked for."""
        senses = self._robot.senses
        end_s = senses.now_s() + LOOK_S
        while senses.now_s() < end_s:
            senses.wait(WAIT_S)
            if all(m.distance_m(found.place) > m.width_m for m in self.lookout.met()):
                return
        self.lookout.looked_at(found)

    def _with(self, met: Sequence[Stranger]) -> OccupancyGrid:
        return with_strangers(with_walkers(self._robot.grid(), self._scene()), met)

    # -- acting ----------------------------------------------------------------------------

    def execute(
        self, action: Action, step: int, started: Callable[[tuple[Check, ...]], None]
    ) -> tuple[Check, ...]:
        """Carry out a step of the newest plan; its effects as observed.

        A drive that something unknown stopped goes on after a look at it.

        Raises:
            SaySoError: what the skill and the gate raise.
        """
        said: list[bool] = []

        def once(checks: tuple[Check, ...]) -> None:
            if not said:
                said.append(True)
                started(checks)

        try:
            for _ in range(LOOKS):
                try:
                    return self._act(action, step, once)
                except SaySoError as error:
                    unknown = error.code is Code.VETO and self._near_unknown()
                    if action.skill != "go" or not unknown:
                        raise
                    self._look_at_unknown()
            return self._act(action, step, once)
        except SaySoError as error:
            self._blocked = error.code in (Code.EXECUTION, Code.UNREACHABLE)
            self._held_up = error.code is Code.VETO
            raise

    def _act(
        self, action: Action, step: int, started: Callable[[tuple[Check, ...]], None]
    ) -> tuple[Check, ...]:
        robot = self._robot
        go = action.skill == "go"
        path = self.task.path(step, self._scene(), robot.grid()) if go else None
        with self._authorised():
            return robot.skills.execute(
                action,
                path,
                _WaysNow(robot, self.task),
                self._untouchable,
                started=started,
                phase=self._told,
                cancelled=self._cancelled,
            )

    # -- the gate --------------------------------------------------------------------------

    @contextmanager
    def _authorised(self, *, leaving: bool = False) -> Iterator[None]:
        senses = self._robot.senses
        conditions = (
            *self._conditions(),
            self._wariness.condition(self._would_violate, senses),
            nobody_in_the_way(senses.scene),
            way_is_free(self._robot.grid),
            *self.lookout.conditions(leaving=leaving),
        )
        with self._robot.gate.authorised(conditions):
            yield

    @contextmanager
    def _open(self, *, leaving: bool = False) -> Iterator[None]:
        """The gate open, and the arm folded."""
        with self._authorised(leaving=leaving):
            self._robot.skills.stow(self._cancelled)
            yield

    def _try(self, motion: Callable[[], None]) -> bool:
        """Move, if that can be; whether it was done."""
        try:
            with self._open(leaving=True):
                motion()
        except SaySoError as error:
            if error.code not in _HARMLESS:
                raise
            return False
        return True

    def _drive(self, motion: Straight | Sidestep) -> None:
        self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def _scene(self) -> Scene:
        return self._robot.senses.scene()


@dataclass(frozen=True)
class _WaysNow:
    """Ways by what is seen when they are asked for."""

    robot: CarefulRobot
    task: TourTask

    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        """As `planning.navigation.ways.Ways.way`."""
        return self._now().way(start, goals, yaws)

    def fits(self, places: Array, yaws: Array) -> Mask:
        """As `planning.navigation.ways.Ways.fits`."""
        return self._now().fits(places, yaws)

    def _now(self) -> Ways:
        return self.task.ways(self.robot.senses.scene(), self.robot.grid())


def _moved(robot: RobotState, place: tuple[float, float], yaw: float) -> RobotState:
    """The robot with its base elsewhere, hand and load moved along."""
    if robot.base is None:
        return robot
    base: Pose = upright((*place, 0.0), yaw)
    return replace(robot, base=base, gripper=base @ robot.base.inverse() @ robot.gripper)
