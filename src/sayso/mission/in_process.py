"""The stages of a task in one process: the same in every world but for what is seen and done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import LanguageModel
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.logic.monitor import Progress
from sayso.logic.progression import progression_of
from sayso.mission.new_objects import NewObjectWatch
from sayso.mission.stages import Answer, Decision, PlanRequest, ReportSkill, Stages
from sayso.mission.understanding import TaskInterpreter
from sayso.planning.problem import PlanningProblem, TaskPlanner, observed_problem
from sayso.planning.relevance import FocusedPlanner
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from sayso.reporting.events import Understanding
from sayso.skills.watch import TaskWatch

Confirm = Callable[[Understanding], Answer]
"""The person's answer to the meaning read back."""


def say_yes(_: Understanding) -> Answer:
    """Nobody is asked."""
    return Answer(Decision.YES)


class InProcessStages(Stages):
    """One task, without messages between processes.

    A world gives `scene`, `look` and `act`; where it plans or reads words otherwise, it overrides
    those stages too.

    Args:
        library: of the words, predicates and operators.
        confirm: the person.
        planner: from what remains to a plan, which is validated.
    """

    def __init__(
        self, library: Library, confirm: Confirm = say_yes, planner: TaskPlanner | None = None
    ) -> None:
        self._confirm = confirm
        self._planner = planner or FocusedPlanner(SearchPlanner())
        self._watched: tuple[TaskWatch, NewObjectWatch] | None = None
        self._newest: tuple[SymbolicState, Progress] | None = None
        self._model: LanguageModel | None = None
        self.take_over(library)

    def take_over(self, library: Library) -> None:
        """From the next task on: its words, predicates and operators."""
        self.library = library
        self._interpreter = TaskInterpreter(library, self.look_for, self._model)

    def read_with(self, model: LanguageModel | None) -> None:
        """From the next task on: whoever reads what controlled English does not."""
        self._model = model
        self.take_over(self.library)

    # -- what a world gives ----------------------------------------------------------------

    @property
    @abstractmethod
    def scene(self) -> Scene:
        """What is known now."""

    @abstractmethod
    def look(self) -> None:
        """Look again; what is seen is handed to `take`."""

    @abstractmethod
    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Carry out an action, as `execute`."""

    def look_for(self, nouns: frozenset[str]) -> Scene:
        """All instances of some nouns that are seen; none: what is known already."""
        return self.scene

    def now_s(self) -> float:
        """On the clock of the scenes' stamps; states observed from now on have later ones."""
        return self.scene.stamp_s

    def take(self, scene: Scene) -> None:
        """Each new scene is a state for all who follow the task."""
        if self._watched is not None:
            self.take_state(symbolic_state(scene, self.library.predicates))

    def take_state(self, state: SymbolicState) -> None:
        """A state of the task that is watched, newer than those before."""
        self._newest = state, self.task_watch.observe(state)

    # -- words -----------------------------------------------------------------------------

    def interpret(self, instruction: str) -> Understanding:
        return self._interpreter.interpret(instruction)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        return self._interpreter.correct(understanding.specification.specification, words)

    def confirm(self, understanding: Understanding) -> Answer:
        return self._confirm(understanding)

    # -- watching --------------------------------------------------------------------------

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        predicates = self.library.predicates
        task = progression_of(understanding.specification.formula, predicates)
        new_objects = NewObjectWatch(understanding, self.scene.by_name(), self.library)
        self._watched = TaskWatch(task, predicates), new_objects
        return self.observe()

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        new_objects = self.new_objects
        new_objects.take_in(self.scene, self.task_watch.monitor.extend)
        return new_objects.understanding, new_objects.unannounced()

    def observe(self) -> tuple[SymbolicState, Progress]:
        self.look()
        return self.newest

    @property
    def newest(self) -> tuple[SymbolicState, Progress]:
        """The newest state and where the task stands in it. Raises GATE_CLOSED without a task."""
        if self._newest is None:
            raise _nothing_watched()
        return self._newest

    @property
    def task_watch(self) -> TaskWatch:
        """Follows the task. Raises GATE_CLOSED without one."""
        if self._watched is None:
            raise _nothing_watched()
        return self._watched[0]

    @property
    def new_objects(self) -> NewObjectWatch:
        """What turned up since the task was confirmed. Raises GATE_CLOSED without a task."""
        if self._watched is None:
            raise _nothing_watched()
        return self._watched[1]

    # -- planning and acting ---------------------------------------------------------------

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        words = understanding.specification.specification.instruction
        problem = replace(self.problem(request), words=words)
        plan = self._planner.solve(problem)
        validate(plan, problem)
        return plan

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        return self.problem(request)

    def problem(self, request: PlanRequest) -> PlanningProblem:
        """What remains of the task, with the library's operators but the excluded actions."""
        task, at = self.task_watch.monitor.task, request.progress.states
        return observed_problem(self.library, request.state, task, at, request.avoid)

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        try:
            return self.act(action, step, started)
        finally:
            self.task_watch.skill_finished(self.now_s())


def _nothing_watched() -> SaySoError:
    return SaySoError(Code.GATE_CLOSED, "no specification is being watched.")
