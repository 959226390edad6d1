"""The pipeline's stages for the arm at the simulated table, in one process.

Everything is real but the transport: words are read, plans made and checked, every motion passes
the gate, and what came about is known from observation alone.
"""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.evaluation.table_run.robot import TableSenses
from sayso.logic.monitor import Progress
from sayso.logic.progression import progression_of
from sayso.mission.new_objects import NewObjectWatch, untouchable
from sayso.mission.stages import ReportSkill, Stages
from sayso.mission.understanding import TaskInterpreter
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from sayso.reporting.events import Understanding
from sayso.skills.conditions import fresh_scene, task_conditions
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.watch import TaskWatch

FRESH_S = 1.5
"""Age at which a scene is too old to move by."""
SCENE_TIMEOUT_S = 10.0


class TableStages(Stages):
    """The stages of one task; the person says yes.

    Args:
        gate: opens for each skill, and for nothing else.
        before: called with each action before it is carried out.
    """

    def __init__(
        self,
        senses: TableSenses,
        gate: MotionGate,
        executor: SkillExecutor,
        library: Library,
        before: Callable[[Action], None] = lambda _: None,
    ) -> None:
        self._senses, self._gate, self._executor = senses, gate, executor
        self._library = library
        self._before = before
        self._interpreter = TaskInterpreter(library, lambda _: self._look())
        self._watched: tuple[TaskWatch, NewObjectWatch] | None = None
        self._newest: tuple[SymbolicState, Progress] | None = None
        senses.on_scene = self._take

    def interpret(self, instruction: str) -> Understanding:
        return self._interpreter.interpret(instruction)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        return self._interpreter.correct(understanding.specification.specification, words)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        predicates = self._library.predicates
        task = progression_of(understanding.specification.formula, predicates)
        new_objects = NewObjectWatch(understanding, self._look().by_name(), self._library)
        self._watched = TaskWatch(task, predicates), new_objects
        return self.observe()

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        watch, new_objects = self._require()
        new_objects.take_in(self._senses.scene(), watch.monitor.extend)
        return new_objects.understanding, new_objects.unannounced()

    def observe(self) -> tuple[SymbolicState, Progress]:
        self._look()
        if self._newest is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._newest

    def plan(
        self,
        understanding: Understanding,
        state: SymbolicState,
        progress: Progress,
        excluded: frozenset[Action],
    ) -> Plan:
        problem = self.remaining(state, progress, excluded)
        plan = SearchPlanner().solve(problem)
        validate(plan, problem)
        return plan

    def remaining(
        self, state: SymbolicState, progress: Progress, excluded: frozenset[Action]
    ) -> PlanningProblem:
        avoid = frozenset((a.name, a.args) for a in excluded)
        task = self._require()[0].monitor.task
        return observed_problem(self._library, state, task, progress.states, avoid)

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        watch, new_objects = self._require()
        self._before(action)
        conditions = (fresh_scene(self._senses, FRESH_S), *task_conditions(watch, self._senses))
        avoid = untouchable(new_objects.understanding)
        try:
            with self._gate.authorised(conditions):
                return self._executor.execute(action, avoid, started=started)
        finally:
            watch.skill_finished(self._senses.now_s())

    def _look(self) -> Scene:
        return self._senses.scene_after(self._senses.now_s(), SCENE_TIMEOUT_S)

    def _take(self, scene: Scene) -> None:
        """Each scene is a state for the watch."""
        if self._watched is not None:
            state = symbolic_state(scene, self._library.predicates)
            self._newest = state, self._watched[0].observe(state)

    def _require(self) -> tuple[TaskWatch, NewObjectWatch]:
        if self._watched is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._watched
