"""The pipeline's stages for the mobile robot of the simulated flat, in one process.

Everything is real but the transport: words are read, things found, tours planned and checked,
every motion passes the gate, and what came about is known from observation alone. How the robot
goes about its task is `mission`, as over ROS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.evaluation.flat_run.robot import FlatRobot
from sayso.logic.formula import Prop
from sayso.logic.monitor import Progress, prop_atom
from sayso.logic.progression import Verdict, progression_of
from sayso.mission.new_objects import NewObjectWatch
from sayso.mission.stages import Answer, Decision, ReportSkill, Stages
from sayso.mission.tour_execution import PersonChannel, TourExecution
from sayso.mission.understanding import TaskInterpreter
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.tour import plan_tour
from sayso.reporting.events import Understanding
from sayso.skills.conditions import Condition, fresh_scene, task_conditions
from sayso.skills.watch import TaskWatch

FRESH_S = 1.0
"""Age at which a scene is too old to move by."""
SCENE_TIMEOUT_S = 10.0


def _solve(outset: Outset, _: Scene) -> Tour:
    return plan_tour(outset)


@dataclass(frozen=True)
class _Watched:
    """One task that was begun."""

    execution: TourExecution
    watch: TaskWatch

    def observe(self, state: SymbolicState) -> Progress:
        progress = self.watch.observe(state)
        self.execution.observe(state)
        return progress

    def skill_finished(self, stamp_s: float) -> None:
        self.watch.skill_finished(stamp_s)


class FlatStages(Stages):
    """The stages of one task.

    Args:
        understand: words to an understanding; by default controlled English about what the
            robot sees.
        confirm: the person; says yes by default.
        on_phase: what a skill is doing now.
        planner: of the way of each leg of a tour.
    """

    def __init__(
        self,
        robot: FlatRobot,
        interpreter: TaskInterpreter | None = None,
        confirm: Callable[[Understanding], Answer] = lambda _: Answer(Decision.YES),
        on_phase: Callable[[str], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        planner: PathPlanner = GRID,
    ) -> None:
        self._robot = robot
        self._interpreter = interpreter or TaskInterpreter(robot.library, self._look_for)
        self._confirm = confirm
        self._on_phase = on_phase
        self._cancelled = cancelled
        self._planner = planner
        self._watched: _Watched | None = None
        self._new_objects: NewObjectWatch | None = None
        self._newest: tuple[SymbolicState, Progress] | None = None
        robot.senses.on_scene(self._take)

    @property
    def execution(self) -> TourExecution | None:
        """What goes about the task; None before it is watched."""
        return None if self._watched is None else self._watched.execution

    # -- words -----------------------------------------------------------------------------

    def interpret(self, instruction: str) -> Understanding:
        return self._interpreter.interpret(instruction)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        return self._interpreter.correct(understanding.specification.specification, words)

    def confirm(self, understanding: Understanding) -> Answer:
        return self._confirm(understanding)

    def cancelled(self) -> bool:
        watched = self._watched
        return self._cancelled() if watched is None else watched.execution.cancelled()

    def possible_violations(self) -> tuple[str, ...]:
        return () if self._watched is None else self._watched.execution.possible_violations()

    def _look_for(self, nouns: frozenset[str]) -> Scene:
        self._robot.sight.look_for(nouns)
        senses = self._robot.senses
        return senses.scene_after(senses.now_s(), SCENE_TIMEOUT_S) if nouns else senses.scene()

    # -- watching --------------------------------------------------------------------------

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        formula, library = understanding.specification.formula, self._robot.library
        task = progression_of(formula, library.predicates)
        watch = TaskWatch(task, library.predicates)
        self._new_objects = NewObjectWatch(
            understanding, self._robot.senses.scene().by_name(), library
        )
        execution = TourExecution(
            self._robot,
            watch.monitor,
            library,
            watch.would_violate,
            self._conditions,
            PersonChannel(self._on_phase, self._cancelled),
            self._planner,
        )
        self._robot.sight.keep(frozenset(execution.avoided))
        self._watched = _Watched(execution, watch)
        self._newest = None
        return self.observe()

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        if self._new_objects is None or self._watched is None:
            return understanding, ""
        self._new_objects.take_in(self._robot.senses.scene(), self._watched.watch.monitor.extend)
        return self._new_objects.understanding, self._new_objects.unannounced()

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
        state = state_of(scene, watched.watch.monitor.task.propositions, self._robot.library)
        self._newest = state, watched.observe(state)

    # -- planning --------------------------------------------------------------------------

    def plan(
        self,
        understanding: Understanding,
        state: SymbolicState,
        progress: Progress,
        excluded: frozenset[Action],
    ) -> Plan:
        execution = self._require().execution
        execution.prepare()
        return execution.plan(_solve, excluded)

    # -- acting ----------------------------------------------------------------------------

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        watched = self._require()
        try:
            return watched.execution.execute(action, step, started)
        finally:
            watched.skill_finished(self._robot.senses.now_s())

    def _conditions(self) -> Sequence[Condition]:
        return (
            Condition(
                "no verdict against",
                lambda _: "the specification was observed to be broken" if self._broken() else None,
                Code.VIOLATED,
            ),
            fresh_scene(self._robot.senses, FRESH_S),
            *task_conditions(self._require().watch, self._robot.senses),
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
