"""A task in a flat among things that move: planned, carried out, and kept off who walks.

What one process and ROS do alike: before a plan the robot lets pass who walks, steps back from
who comes to it, looks where something may be that it must keep off, and looks for what is lost;
while it moves, the gate asks of everything that may come in its way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState, in_words
from sayso.logic.analysis import forbidden
from sayso.logic.formula import Formula, Top, propositions
from sayso.logic.monitor import Monitor
from sayso.mission.gate_conditions import (
    ON_THE_SPOT_M,
    movers,
    nobody_in_the_way,
    stands_free,
    stays_around,
    way_is_free,
)
from sayso.mission.gated_motions import GatedMotions
from sayso.mission.laser_obstacles import Sweep, as_met
from sayso.mission.lost_things import LostThings
from sayso.mission.mobile_robot import MobileRobot
from sayso.mission.obstacle_inspection import LOOKS, ObstacleInspector
from sayso.mission.obstacle_watch import ObstacleWatch
from sayso.mission.separation import SeparationMonitor
from sayso.mission.surveyor import GatedSurveyor
from sayso.mission.tour_planning import Solve, TourTask
from sayso.mission.yielding import COMES, Yielding
from sayso.planning.navigation.base_motion import BaseMotion, drive
from sayso.planning.navigation.grid import Mask, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.ways import Ways
from sayso.skills.conditions import Condition, Request
from sayso.skills.mover_settings import MOVERS
from sayso.skills.skill import Route

WAYS = 2
"""When so many ways in a row were not free, the robot waits before it plans another."""
LED_M, FREE_M = 1.0, 2.0
"""So far off its way a navigator may lead, where the task is no worse off within so much of it."""
_NO_WAY = frozenset({Code.UNREACHABLE, Code.NO_PLAN})
STAY_S = 0.5
"""Between two looks whether a patrol may rest on."""


@dataclass(frozen=True)
class PersonChannel:
    """Between a task and the person.

    Attributes:
        on_phase: called with what the robot does now, in English.
        cancelled: whether the person asked to end the task.
    """

    on_phase: Callable[[str], None] = lambda _: None
    cancelled: Callable[[], bool] = lambda: False


class TourExecution:
    """One task in a flat, carried out among what moves; states may come on another thread.

    Args:
        monitor: follows the task, whose formula is grounded.
        would_violate: why a scene with the robot in some state would break the task, or None.
        conditions: what the gate asks whatever is done for this task.
        planner: of the way of each leg.
        navigates: whether the robot has a navigator, which leads it along legs that are free.

    Raises:
        SaySoError: as `TourTask`.
    """

    def __init__(
        self,
        robot: MobileRobot,
        monitor: Monitor,
        library: Library,
        would_violate: Callable[[Scene, RobotState], str | None],
        conditions: Callable[[], Sequence[Condition]],
        channel: PersonChannel = PersonChannel(),
        planner: PathPlanner = GRID,
        navigates: bool = False,
    ) -> None:
        self._navigates = navigates
        self.task = TourTask(monitor, library, robot.gate.footprint_m, planner)
        self._robot = robot
        self._would_violate = would_violate
        self._task_conditions = conditions
        self._on_phase, self._cancelled = channel.on_phase, channel.cancelled
        self._names: set[str] = set()
        self._untouchable: set[str] = set()
        self._kept_off: set[str] = set()
        self.avoided: set[str] = set()
        self._formula: Formula = Top()
        self._take_in_task()
        self._separation = SeparationMonitor(self._names)
        self.obstacle_watch = ObstacleWatch(robot, self.avoided)
        self._surveyor = GatedSurveyor(robot, self._cancelled)
        self._moves = GatedMotions(robot, self._conditions, self._cancelled)
        self._yielding = Yielding(
            self._moves,
            self._separation,
            self.obstacle_watch,
            self.avoided,
            would_violate,
            self._on_phase,
        )
        self._lost = LostThings(
            robot,
            self.task,
            self._moves,
            self._surveyor,
            self._names,
            self._scene,
            self._floor,
            self._on_phase,
        )
        self._inspector = ObstacleInspector(
            self._moves, self.obstacle_watch, self._yielding, self._on_phase
        )
        self._as_met: tuple[Scene | None, Sweep | None, Scene] = (None, None, Scene(0.0, ()))
        self._blocked = self._held_up = self._interrupted = False
        self._no_way = 0

    def cancelled(self) -> bool:
        """Whether the person asked to end the task.

        Raises:
            SaySoError: CANCELLED instead, if the task has no end but this, to tell its rounds.
        """
        asked = self._cancelled()
        if asked and self.task.endless:
            raise self._stopped()
        return asked

    def _stopped(self) -> SaySoError:
        rounds = self.task.monitor.rounds
        made = f"{rounds or 'no'} whole round{'' if rounds == 1 else 's'}"
        text = f"the patrol was stopped after {made}; the robot is at rest."
        return SaySoError(Code.CANCELLED, text, hint="a patrol ends only when it is stopped.")

    @property
    def retreats(self) -> int:
        """How often the robot stepped back from somebody."""
        return self._yielding.retreats

    def possible_violations(self) -> tuple[str, ...]:
        """In English, what may have come nearer than it must, though nobody saw it."""
        return self.obstacle_watch.possible_violations.in_english(self._kept_off)

    # -- following -------------------------------------------------------------------------

    def observe(self, state: SymbolicState) -> None:
        """Take in a state, newer than those before."""
        self._take_in_task()
        scene = self._robot.senses.scene()
        self._separation.observe(scene)
        self._lost.observe(scene)

    def _take_in_task(self) -> None:
        """What the task speaks of; that grows with things which turn up."""
        formula = self.task.monitor.task.formula
        if formula is self._formula:
            return
        self._formula = formula
        never = forbidden(formula)
        self._names.update(str(a) for p in propositions(formula) for a in p.args)
        self._untouchable.update(
            str(p.args[0]) for p in never if p.predicate in ("touching", "holding")
        )
        told = self.task.told
        self._kept_off.update(str(p.args[0]) for p in never if p.predicate in told)
        self.avoided.update(str(a) for p in never for a in p.args)

    # -- planning --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Before a plan: wait, step back and look around as far as those who move demand it, and
        for what the task speaks of and is not seen.

        Raises:
            SaySoError: VETO where something unknown cannot be looked at; what the gate raises.
        """
        self._yielding.begin()
        self._inspector.look()
        self._yielding.let_pass(self._held_up)
        if self._held_up:
            self._yielding.make_room()
        if self._no_way >= WAYS:
            self._yielding.wait_for_room()
        if self._blocked:
            self._blocked = False
            self._yielding.give_way()
        self._look_out()
        with self._heeding_what_stops():
            self._lost.look_around()

    def plan(self, solve: Solve, excluded: frozenset[Action]) -> Plan:
        """A tour for what is left, from what is seen now; while something of it is lost, one to
        open what it may be in or behind.

        Where there is none since somebody stands in the way, the robot waits, for a while, for
        them to go.

        Raises:
            SaySoError: as `TourTask.plan`, `prepare` and `cancelled`; OBJECT_LOST for what the task
                speaks of and is not found.
        """
        self._stay()
        if self.task.endless:
            self._on_phase(f"round {self.task.monitor.rounds + 1} of the patrol")
        while True:
            try:
                if self._lost.lost():
                    return self._lost.opening(solve)
                return self.task.plan(self._scene(), self._floor(), solve, excluded)
            except SaySoError as error:
                helps = self._waiting_helps(error.code, excluded)
                if not helps or not self._yielding.wait_for_room():
                    raise self._with_what_stops(error) from error
            self.prepare()

    @contextmanager
    def _heeding_what_stops(self) -> Iterator[None]:
        """Keep what the laser met where a drive is stopped: the next tour leads around it."""
        self.obstacle_watch.begin_drive()
        try:
            yield
        except SaySoError as error:
            if error.code is Code.EXECUTION:
                self.obstacle_watch.drive_failed()
            raise

    def _with_what_stops(self, error: SaySoError) -> SaySoError:
        """Why there is no tour, with what the laser met in its way."""
        there = self.obstacle_watch.stopping.in_english(self._robot.senses.scene())
        if not there or error.code not in _NO_WAY:
            return error
        text = f"{error.message} In the way stands {' and '.join(there)}."
        hint = f"take it away; or {error.hint}" if error.hint else "take it away."
        return SaySoError(error.code, text, hint=hint, choices=error.choices)

    def _stay(self) -> None:
        """Rest while all that a patrol comes to is near at once: driving would add nothing."""
        if self.task.monitor.resting:
            self._on_phase("stay here, near all that is patrolled")
        while self.task.monitor.resting and self._moves.goes_on():
            self._robot.senses.wait(STAY_S)
            self._yielding.step_back()
        self.cancelled()

    def _waiting_helps(self, code: Code, excluded: frozenset[Action]) -> bool:
        """Whether who lives may be why there is no tour, so that there is one later."""
        if code is Code.NO_PLAN and all(map(self.task.drives, excluded)):
            kept_off = any(o.name in self.avoided for o in movers(self._scene()))
            return kept_off or bool(self.obstacle_watch.stopping.unseen(self._scene()))
        return code is Code.UNREACHABLE

    def _look_out(self) -> None:
        """Turn to see where those are who went out of sight, if that held the robot up."""
        gone = self._separation.out_of_sight()
        if not (self._held_up and gone and self._surveyor.can_turn()):
            return
        self._held_up = False
        self._on_phase("look out for " + ", ".join(sorted(map(in_words, gone))))
        self._yielding.help_by(self._surveyor.look_around)

    # -- acting ----------------------------------------------------------------------------

    def execute(
        self, action: Action, step: int, started: Callable[[tuple[Check, ...]], None]
    ) -> tuple[Check, ...]:
        """Carry out a step of the newest plan; its effects as observed.

        A drive that something unknown stopped goes on after a look at it; an arm that stopped
        since somebody comes goes on once they went by. What is done, the robot steps back from
        who comes.

        Raises:
            SaySoError: what the skill and the gate raise.
        """
        said: list[bool] = []

        def once(checks: tuple[Check, ...]) -> None:
            if not said:
                said.append(True)
                started(checks)

        try:
            with self._heeding_what_stops():
                checks = self._act_on(action, step, once)
        except SaySoError as error:
            if error.code is Code.CANCELLED and self.task.endless:
                raise self._stopped() from error
            self._blocked = error.code in (Code.EXECUTION, Code.UNREACHABLE)
            shut_in = error.code is Code.UNREACHABLE and self.task.drives(action)
            self._no_way = self._no_way + 1 if shut_in else 0
            self._held_up = error.code is Code.VETO
            if error.code is Code.VETO:
                self._yielding.step_back()
            raise
        self._no_way = 0
        self._yielding.got_on()
        while self._yielding.step_back():
            continue
        return checks

    def _act_on(
        self, action: Action, step: int, started: Callable[[tuple[Check, ...]], None]
    ) -> tuple[Check, ...]:
        looks = LOOKS
        while True:
            try:
                return self._act(action, step, started)
            except SaySoError as error:
                if error.code is not Code.VETO:
                    raise
                walked = bool(self._separation.walking()) and self._yielding.patient()
                if not (looks or walked):
                    raise
                looks -= bool(looks)
                if not self._cleared(action, walked):
                    raise

    def _cleared(self, action: Action, walked: bool) -> bool:
        """See to what refused an action, somebody who walks or not; whether to go on with it."""
        go = self.task.drives(action)
        interrupted, self._interrupted = self._interrupted or walked, False
        if interrupted:
            self._on_phase("leave room for somebody who comes")
            self._moves.attempt(lambda: None)  # folds the arm, while there is time
            self._yielding.let_pass()
        unknown = go and bool(self._inspector.near())
        if unknown:
            self._inspector.look()
        return interrupted or unknown

    def _act(
        self, action: Action, step: int, started: Callable[[tuple[Check, ...]], None]
    ) -> tuple[Check, ...]:
        robot = self._robot
        go = self.task.drives(action)
        path = self.task.path(step, self._scene(), self._floor()) if go else None
        led = () if path is None else self._led(path)
        along = self._motion_along if self.obstacle_watch.stopping else None
        with self._moves.authorised(self._nobody_comes(arm=not go), *led):
            return robot.skills.execute(
                action,
                frozenset(self._untouchable),
                route=Route(_WaysNow(self.task, self._scene, self._floor), path, bool(led), along),
                started=started,
                phase=self._on_phase,
                cancelled=self._cancelled,
            )

    def _led(self, path: Array) -> tuple[Condition, ...]:
        """What the gate asks in addition where a navigator leads along a path; () if it may not.

        It goes where it likes around the path: nothing may be near that the task must keep off,
        nor be out of sight where it may have moved.
        """
        if not self._navigates:
            return ()
        robot, scene, grid = self._robot, self._scene(), self._floor()
        if self.obstacle_watch.suspects(scene):
            return ()
        if not self.task.ways(scene, grid).free_around(path, FREE_M):
            return ()
        return stays_around(path, LED_M), stands_free(robot.grid, robot.gate.footprint_m)

    def _nobody_comes(self, *, arm: bool) -> Condition:
        """Nothing is done that can be put off where stepping back is better.

        Args:
            arm: whether the arm works, beside being folded.
        """

        def comes(request: Request) -> str | None:
            if request.kind == "move" and arm:
                within_s = MOVERS.arm_foresight_s
            elif request.kind == "drive" and _on_the_spot(request):
                within_s = MOVERS.foresight_s
            else:
                return None
            self._interrupted = self._yielding.can_leave(within_s)
            return COMES if self._interrupted else None

        return Condition("nobody comes", comes, Code.VETO, "the robot leaves room, and goes on.")

    # -- the gate --------------------------------------------------------------------------

    def _conditions(self, leaving: bool) -> tuple[Condition, ...]:
        senses = self._robot.senses
        return (
            *self._task_conditions(),
            self._separation.condition(self._would_violate, self._scene, senses.now_s),
            nobody_in_the_way(self._scene),
            way_is_free(self._robot.grid),
            *self.obstacle_watch.conditions(leaving=leaving),
        )

    def _motion_along(
        self, path: Array, yaw: float, *, face: tuple[float, float] | None = None
    ) -> BaseMotion:
        """A path over time; the base turns only where it has room beside what stopped drives."""
        gate = self._robot.gate
        footing = Footing(self._floor(), gate.footprint_m)
        return drive(path, yaw, gate.base_limits, face=face, footing=footing)

    def _floor(self) -> OccupancyGrid:
        """The newest map, with what the laser met where drives stopped."""
        return self.obstacle_watch.floor()

    def _scene(self) -> Scene:
        """What is seen, and who must be kept off as large as the laser meets them."""
        robot, scene = self._robot, self._robot.senses.scene()
        sweep = robot.sweep() if self.avoided else None
        if sweep is None:
            return scene
        seen, met_by, known = self._as_met
        if seen is not scene or met_by is not sweep:  # the gate asks many times between two sweeps
            grid, there = robot.grid(), {o.name for o in movers(scene)} & self.avoided
            things = (as_met(o, sweep, grid) if o.name in there else o for o in scene.objects)
            known = replace(scene, objects=tuple(things))
            self._as_met = (scene, sweep, known)
        return known


@dataclass(frozen=True)
class _WaysNow:
    """Ways by what is seen when they are asked for."""

    task: TourTask
    scene: Callable[[], Scene]
    floor: Callable[[], OccupancyGrid]

    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        """As `planning.navigation.ways.Ways.way`."""
        return self._now().way(start, goals, yaws)

    def fits(self, places: Array, yaws: Array) -> Mask:
        """As `planning.navigation.ways.Ways.fits`."""
        return self._now().fits(places, yaws)

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        """As `planning.navigation.ways.Ways.walls`."""
        return self._now().walls(place, reach_m)

    def _now(self) -> Ways:
        return self.task.ways(self.scene(), self.floor())


def _on_the_spot(request: Request) -> bool:
    now, then = request.robot.base, request.predicted.base
    if now is None or then is None:
        return False
    return float(np.hypot(*np.subtract(now.position, then.position)[:2])) < ON_THE_SPOT_M
