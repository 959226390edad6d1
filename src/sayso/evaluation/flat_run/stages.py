"""The pipeline's stages for the mobile robot of the simulated flat, in one process.

Everything is real but the transport: words are read, things found, tours planned and checked,
every motion passes the gate, and what came about is known from observation alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.evaluation.flat_run.moving import GatedSurveyor
from sayso.evaluation.flat_run.robot import STEP_S, FlatRobot
from sayso.events import Understanding
from sayso.guards import living, nobody_in_the_way, way_is_free
from sayso.logic.analysis import forbidden
from sayso.logic.automaton import compile_formula
from sayso.logic.formula import Prop, propositions
from sayso.logic.monitor import Progress, Verdict, prop_atom
from sayso.logic.task_trace import TaskTrace
from sayso.pipeline import Answer, Decision, ReportSkill
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.lookout import next_lookout
from sayso.planning.navigation.tour import plan_tour
from sayso.skills.conditions import task_conditions
from sayso.skills.driving import Straight, StraightState
from sayso.skills.gate import Condition
from sayso.skills.poses import yaw_of
from sayso.skills.wariness import Wariness
from sayso.skills.watch import TaskWatch
from sayso.touring import TourTask
from sayso.understander import Understander

FRESH_S = 1.0
"""Age at which a scene is too old to move by."""
SCENE_TIMEOUT_S = 10.0
PATIENCE_S = 12.0
"""How long the robot waits for somebody to walk by."""
CLOSE_M, BACK_M = 1.0, 0.4
"""The robot gives way to somebody nearer to its middle than this, by backing off so far."""
LOOKOUTS = 6
"""Places from which a lost thing is looked for."""


def _solve(outset: Outset, _: Scene) -> Tour:
    return plan_tour(outset)


@dataclass(frozen=True)
class _Watched:
    """One task that was begun."""

    task: TourTask
    watch: TaskWatch
    trace: TaskTrace
    wariness: Wariness
    names: frozenset[str]
    avoid: frozenset[str]

    def observe(self, scene: Scene, state: SymbolicState) -> Progress:
        self.wariness.observe(scene)
        self.watch.observe(state)
        self.task.observe(state)
        return self.trace.observe(state)

    def skill_finished(self, stamp_s: float) -> None:
        for follower in (self.watch, self.task, self.trace):
            follower.skill_finished(stamp_s)


class FlatStages:
    """`pipeline.Stages` of one task.

    Args:
        understand: words to an understanding; by default controlled English about what the
            robot sees.
        confirm: the person; says yes by default.
        told: what a skill is doing now.
    """

    def __init__(
        self,
        robot: FlatRobot,
        understander: Understander | None = None,
        confirm: Callable[[Understanding], Answer] = lambda _: Answer(Decision.YES),
        told: Callable[[str], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._robot = robot
        self._understander = understander or Understander(robot.library, self._look_for)
        self._confirm = confirm
        self._told = told
        self._cancelled = cancelled
        self._watched: _Watched | None = None
        self._newest: tuple[SymbolicState, Progress] | None = None
        self._blocked = self._held_up = False
        robot.senses.on_scene(self._take)

    # -- words -----------------------------------------------------------------------------

    def interpret(self, instruction: str) -> Understanding:
        return self._understander.interpret(instruction)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        return self._understander.correct(understanding.specification.specification, words)

    def confirm(self, understanding: Understanding) -> Answer:
        return self._confirm(understanding)

    def cancelled(self) -> bool:
        return self._cancelled()

    def _look_for(self, nouns: frozenset[str]) -> Scene:
        self._robot.sight.look_for(nouns)
        senses = self._robot.senses
        return senses.scene_after(senses.now_s(), SCENE_TIMEOUT_S) if nouns else senses.scene()

    # -- watching --------------------------------------------------------------------------

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        formula, library = understanding.specification.formula, self._robot.library
        automaton = compile_formula(formula, predicates=library.predicates)
        names = frozenset(str(a) for p in propositions(formula) for a in p.args)
        never = forbidden(formula)
        self._robot.sight.keep(frozenset(str(a) for p in never for a in p.args))
        self._watched = _Watched(
            TourTask(formula, library.predicates),
            TaskWatch(automaton, library.predicates),
            TaskTrace(automaton, library.predicates),
            Wariness(names | {o.name for o in living(self._robot.senses.scene())}),
            names,
            frozenset(str(p.args[0]) for p in never if p.predicate in ("touching", "holding")),
        )
        self._newest = None
        return self.observe()

    def observe(self) -> tuple[SymbolicState, Progress]:
        senses = self._robot.senses
        asked_s = senses.now_s()
        senses.scene_after(asked_s, SCENE_TIMEOUT_S)
        if self._newest is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._newest

    def _take(self, scene: Scene) -> None:
        """Each scene is a state for all who follow the task."""
        watched = self._watched
        if watched is None:
            return
        state = state_of(scene, watched.trace.automaton.propositions, self._robot.library)
        progress = watched.observe(scene, state)
        if watched.task.endless and progress.verdict is Verdict.SATISFIED:
            progress = replace(progress, verdict=Verdict.POSSIBLE)
        self._newest = state, progress

    # -- planning --------------------------------------------------------------------------

    def plan(
        self,
        understanding: Understanding,
        state: SymbolicState,
        progress: Progress,
        excluded: frozenset[Action],
    ) -> Plan:
        watched = self._require()
        self._let_pass(watched)
        self._give_way(watched)
        self._look_out(watched)
        self._find_again(watched)
        out_of_reach = frozenset(a.args[0] for a in excluded if a.name == "pick")
        senses, sight = self._robot.senses, self._robot.sight
        return watched.task.plan(senses.scene(), sight.grid(), _solve, out_of_reach)

    def _let_pass(self, watched: _Watched) -> None:
        """Wait, for a while, until nobody walks who may come into the way."""
        senses = self._robot.senses
        end_s = senses.now_s() + PATIENCE_S
        if watched.wariness.walking():
            self._told("wait for somebody to pass")
        while watched.wariness.walking() and senses.now_s() < end_s:
            senses.wait(STEP_S)

    def _give_way(self, watched: _Watched) -> None:
        """Back off from somebody right before the robot, who may be waiting for it to go."""
        scene = self._robot.senses.scene()
        base = scene.robot.base
        if base is None or not self._blocked:
            return
        self._blocked = False
        x, y, _ = base.position
        if all(o.distance_to((x, y, o.position[2])) > CLOSE_M for o in living(scene)):
            return
        yaw = yaw_of(base)
        behind = np.array([[x - BACK_M * np.cos(yaw), y - BACK_M * np.sin(yaw)]])
        if not Footing(self._robot.sight.grid()).fits(behind, np.array([yaw])).all():
            return
        self._told("give way")
        back = Straight(StraightState(x, y, yaw), -BACK_M)
        try:
            with self._robot.gate.authorised(self._conditions(watched)):
                self._robot.gate.drive(back, self._robot.senses, self._cancelled)
        except SaySoError as error:
            if error.code not in (Code.EXECUTION, Code.VETO, Code.LIMIT):
                raise

    def _look_out(self, watched: _Watched) -> None:
        """Turn to see where those are who went out of sight, if that held the robot up."""
        surveyor = GatedSurveyor(self._robot, self._cancelled)
        if not (self._held_up and watched.wariness.out_of_sight() and surveyor.can_turn()):
            return
        self._held_up = False
        self._told("look out for " + ", ".join(sorted(watched.wariness.out_of_sight())))
        try:
            with self._robot.gate.authorised(self._conditions(watched)):
                self._robot.skills.stow(self._cancelled)
                surveyor.look_around()
        except SaySoError as error:
            if error.code not in (Code.EXECUTION, Code.VETO, Code.LIMIT, Code.UNREACHABLE):
                raise

    def _find_again(self, watched: _Watched) -> None:
        """Look around for what the task speaks of and is not where it was.

        Raises:
            SaySoError: OBJECT_LOST where it is not found; what the gate raises.
        """
        if not self._lost(watched):
            return
        self._told("look around for " + ", ".join(sorted(self._lost(watched))))
        looked: list[tuple[float, float]] = []
        robot = self._robot
        with robot.gate.authorised(self._conditions(watched)):
            robot.skills.stow(self._cancelled)
            surveyor = GatedSurveyor(robot, self._cancelled)
            while self._lost(watched) and len(looked) < LOOKOUTS:
                if looked or not surveyor.can_turn():
                    path = next_lookout(self._outset(watched), looked)
                    if path is None:
                        break
                    surveyor.drive(path)
                surveyor.look_around()
                looked.append(surveyor.position())
        if lost := self._lost(watched):
            raise SaySoError(
                Code.OBJECT_LOST,
                f"{', '.join(sorted(lost))} is not where it was, and was not found anywhere else.",
                hint="say where it is, or put it back.",
            )

    def _lost(self, watched: _Watched) -> frozenset[str]:
        return watched.names - self._robot.senses.scene().by_name().keys()

    def _outset(self, watched: _Watched) -> Outset:
        """Of a search: what the task speaks of but is lost is nowhere."""
        return watched.task.outset(self._robot.senses.scene(), self._robot.sight.grid())

    # -- acting ----------------------------------------------------------------------------

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        watched, robot = self._require(), self._robot
        scene, grid = robot.senses.scene(), robot.sight.grid()
        try:
            path = watched.task.path(step, scene, grid) if action.skill == "go" else None
            with robot.gate.authorised(self._conditions(watched)):
                return robot.skills.execute(
                    action,
                    path,
                    _WaysNow(robot, watched.task),
                    watched.avoid,
                    started=started,
                    phase=self._told,
                    cancelled=self._cancelled,
                )
        except SaySoError as error:
            self._blocked = error.code in (Code.EXECUTION, Code.UNREACHABLE)
            self._held_up = error.code is Code.VETO
            raise
        finally:
            watched.skill_finished(robot.senses.now_s())

    def _conditions(self, watched: _Watched) -> Sequence[Condition]:
        senses = self._robot.senses
        return (
            Condition(
                "no verdict against",
                lambda _: "the specification was observed to be broken" if self._broken() else None,
                Code.VIOLATED,
            ),
            *task_conditions(watched.watch, senses, FRESH_S),
            watched.wariness.condition(watched.watch.would_violate, senses),
            nobody_in_the_way(senses.scene),
            way_is_free(self._robot.sight.grid),
        )

    def _broken(self) -> bool:
        return self._newest is not None and self._newest[1].verdict is Verdict.VIOLATED

    def _require(self) -> _Watched:
        if self._watched is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._watched


def state_of(scene: Scene, props: Iterable[Prop], library: Library) -> SymbolicState:
    """What is observed of some propositions; of all others it says nothing."""
    view = SceneView(scene, library.predicates)
    truths = {atom: view.truth(atom) for atom in map(prop_atom, props)}
    return SymbolicState(scene.stamp_s, view.objects(), truths)


@dataclass(frozen=True)
class _WaysNow:
    """Ways by what is seen when they are asked for."""

    robot: FlatRobot
    task: TourTask

    def way(self, start: tuple[float, float], goals: Array) -> Array | None:
        """As `planning.navigation.ways.Ways.way`."""
        scene, grid = self.robot.senses.scene(), self.robot.sight.grid()
        return self.task.ways(scene, grid).way(start, goals)
