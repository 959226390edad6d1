"""The pipeline's stages over ROS: services of the other nodes, topics, and the motion gate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node
from rclpy.publisher import Publisher
from sayso_ros.srv import CompileTask, Correct, Interpret, PlanTask
from std_msgs.msg import String

from sayso.core.clock import SteadyClock
from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.logic.monitor import Progress
from sayso.logic.progression import progression_of
from sayso.mission.programs.wishes import wished
from sayso.mission.stages import Answer, Lesson, PlanRequest, ReportSkill, Stages
from sayso.mission.understanding import nouns_in
from sayso.planning.diagnose import lacking
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.repair import Repairer
from sayso.planning.search import Budget
from sayso.planning.validate import validate
from sayso.reporting.events import Understanding
from sayso.ros.messages.conversions import (
    action_to_msg,
    error_from_status,
    plan_from_msg,
    raise_unless_ok,
    state_to_msg,
)
from sayso.ros.messages.progress import progress_from_msg
from sayso.ros.messages.specifications import understanding_from_msg, understanding_to_msg
from sayso.ros.robot.senses import RosSenses
from sayso.ros.runtime.calls import LOOK_S, call
from sayso.ros.task.skill_runner import SkillRunner
from sayso.ros.teaching.lessons import Teaching
from sayso.skills.execute import SkillExecutor
from sayso.skills.watch import TaskWatch

SCENE_TIMEOUT_S = 20.0
"""Wall time to wait for an observation; a slow machine renders a few frames a second."""

DIAGNOSIS_S = 2.0
"""For finding out which skill a task is lacking that has no plan."""

TAKE_OVER_S = 20.0
"""In which the other nodes have to take over what was learned."""


@dataclass(frozen=True)
class Services:
    """Clients of the other nodes, shared by all tasks of the executor."""

    interpret: Client
    correct: Client
    compile_task: Client
    plan_task: Client
    cancel_reading: Publisher
    interpret_timeout_s: Callable[[], float]
    plan_timeout_s: Callable[[], float]

    @staticmethod
    def of(
        node: Node, interpret_timeout_s: Callable[[], float], plan_timeout_s: Callable[[], float]
    ) -> Services:
        group = ReentrantCallbackGroup()

        def client(kind: type, name: str) -> Client:
            return node.create_client(kind, name, callback_group=group)

        return Services(
            client(Interpret, "interpret"),
            client(Correct, "correct"),
            client(CompileTask, "compile_task"),
            client(PlanTask, "plan_task"),
            node.create_publisher(String, "interpret/cancel", 10),
            interpret_timeout_s,
            plan_timeout_s,
        )


@dataclass(frozen=True)
class TaskContext:
    """What the stages of one task work with.

    Attributes:
        runner: opens the gate for this task while a skill runs.
        confirm: gets the person's answer to the meaning read back.
        phase: told what a skill is doing now.
        teaching: who shows what a task is lacking; None where nobody does.
        asks_model: the repairer that asks a language model; None where none is asked.
    """

    task_id: str
    services: Services
    senses: RosSenses
    library: Library
    runner: SkillRunner
    confirm: Callable[[Understanding], Answer]
    phase: Callable[[str], None]
    cancelled: Callable[[], bool]
    teaching: Teaching | None = None
    asks_model: Repairer | None = None


class TaskStages(Stages):
    """The stages of one task that are the same for every robot."""

    def __init__(self, context: TaskContext) -> None:
        self._task_id = context.task_id
        self._services = context.services
        self._senses = context.senses
        self._library = context.library
        self._runner = context.runner
        self._confirm = context.confirm
        self._phase = context.phase
        self._cancelled = context.cancelled
        self._watching: TaskWatch | None = None

    def interpret(self, instruction: str) -> Understanding:
        self._senses.require_wanted()
        request = Interpret.Request(instruction=instruction)
        asked = self._ask_interpreter(self._services.interpret, request, instruction)
        return _understood(asked)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        request = Correct.Request(
            specification=understanding_to_msg(understanding), correction=words
        )
        return _understood(self._ask_interpreter(self._services.correct, request, words))

    def _ask_interpreter(self, client: Client, request: Any, words: str) -> Any:
        """The interpreter's response; where that is not waited for to its end, it is told so."""
        meanwhile = self._senses.requiring("interpreter")
        try:
            return call(client, request, self._services.interpret_timeout_s(), meanwhile)
        except SaySoError:
            self._services.cancel_reading.publish(String(data=words))
            raise

    def confirm(self, understanding: Understanding) -> Answer:
        return self._confirm(understanding)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        """Both watches begin: the automaton node's and the executor's own."""
        task = progression_of(understanding.specification.formula, self._library.predicates)
        request = CompileTask.Request(
            task_id=self._task_id, specification=understanding_to_msg(understanding)
        )
        meanwhile = self._senses.requiring("automaton")
        raise_unless_ok(call(self._services.compile_task, request, meanwhile=meanwhile).status)
        # Right after the start either may still be on its way to us.
        self._senses.scene_after(0.0, SCENE_TIMEOUT_S)
        state = self._senses.state_after(0.0, SCENE_TIMEOUT_S)
        self._watching = TaskWatch(task, self._library.predicates)
        self._runner.begin(self._task_id, self._watching, understanding, state, self._library)
        return state, self._progress_after(state.stamp_s)

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        """Both watches keep the prohibitions of what turned up, too."""
        now, told = self._runner.noticed()
        if now.specification.formula != understanding.specification.formula:
            request = CompileTask.Request(
                task_id=self._task_id, specification=understanding_to_msg(now)
            )
            raise_unless_ok(call(self._services.compile_task, request).status)
        return now, told

    def observe(self) -> tuple[SymbolicState, Progress]:
        state = self._senses.state_after(self._senses.now_s(), SCENE_TIMEOUT_S)
        return state, self._progress_after(state.stamp_s)

    def cancelled(self) -> bool:
        return self._cancelled()

    def _require(self) -> TaskWatch:
        if self._watching is None:
            raise SaySoError(Code.GATE_CLOSED, "no specification is being watched.")
        return self._watching

    def _progress_after(self, stamp_s: float) -> Progress:
        message = self._senses.progress_after(self._task_id, stamp_s, SCENE_TIMEOUT_S)
        return progress_from_msg(message)


class ArmStages(TaskStages):
    """One task of an arm that stands still: plans from the library's operators.

    Args:
        arm: carries actions out; checks them with the task's library.
    """

    def __init__(self, arm: SkillExecutor, context: TaskContext) -> None:
        super().__init__(context)
        self._arm = arm
        self._asks_model = context.asks_model
        self._teaching = context.teaching
        self._learned_s = float("-inf")
        arm.use(context.library)

    def interpret(self, instruction: str) -> Understanding:
        """Raises `SkillLackingError` where somebody shows what the words ask for."""
        while True:
            try:
                understood = super().interpret(instruction)
                if understood.trouble is None or not self._asks_for_skill(instruction, understood):
                    return understood
                error = understood.trouble
            except SaySoError as raised:
                error = raised
            if not self._is_new_to_others(error):
                raise self._lacking(instruction, error) from error
            threading.Event().wait(LOOK_S)

    def lesson(self, skill: str) -> Lesson | None:
        if self._teaching is None:
            return None
        return self._teaching.lesson(skill, self._library, self._take_over)

    def _take_over(self, library: Library) -> None:
        """What was learned is what this task goes on with; the states have to tell of it."""
        self._library = library
        self._arm.use(library)
        self._learned_s = time.monotonic()
        end_s = self._learned_s + TAKE_OVER_S
        while library.predicates.keys() - self._state().arities.keys():
            if time.monotonic() > end_s:
                text = "perception did not take over what was learned."
                raise SaySoError(Code.STALE, text, hint="set its parameter 'follow'.")

    def _state(self) -> SymbolicState:
        return self._senses.state_after(self._senses.now_s(), SCENE_TIMEOUT_S)

    def _is_new_to_others(self, error: SaySoError) -> bool:
        """Whether the interpreter may not have taken over yet what was learned just now."""
        just_now = time.monotonic() < self._learned_s + TAKE_OVER_S
        return just_now and error.code is Code.NOT_UNDERSTOOD

    def _asks_for_skill(self, instruction: str, understood: Understanding) -> bool:
        """Whether the words that were not understood are those of a skill that somebody shows."""
        asked = understood.specification.specification.asked
        if self._teaching is None or asked is None:
            return False
        wish = wished(instruction, self._library, nouns_in(self._senses.scene()))
        if wish is None or not any(wish.words in words.lower() for words in asked.words):
            return False
        return self.lesson(wish.words) is not None

    def _lacking(self, instruction: str, error: SaySoError) -> SaySoError:
        """The interpreter's error, as the lack of a skill if that is what it tells of."""
        if self._teaching is None or error.code not in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED):
            return error
        wish = wished(instruction, self._library, nouns_in(self._senses.scene()))
        return error if wish is None else wish.lacking(error)

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        timeout_s = self._services.plan_timeout_s()
        asked = PlanTask.Request(
            specification=understanding_to_msg(understanding),
            state=state_to_msg(request.state),
            clause_states=request.progress.states,
            avoid=[action_to_msg(a) for a in sorted(request.excluded, key=str)],
            timeout_s=timeout_s,
        )
        meanwhile = self._senses.requiring("planner")
        response = call(self._services.plan_task, asked, timeout_s + 10.0, meanwhile)
        try:
            raise_unless_ok(response.status)
        except SaySoError as error:
            if self._teaching is None:
                raise
            budget = Budget(SteadyClock(), DIAGNOSIS_S, self._cancelled)
            raise lacking(error, self._problem(request), budget) from error
        problem = self._problem(request)
        plan = plan_from_msg(response.plan, self._library.domain())
        validate(plan, problem)  # again, here: the gate trusts no other process's word for it
        return plan

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        return self._problem(request)

    def repairers(
        self, solve: Callable[[PlanningProblem], Plan], *, keep_plan: bool
    ) -> Sequence[Repairer]:
        """Those that need no model, then the model, before it is told that a skill is lacking."""
        *known, learn_skill = super().repairers(solve, keep_plan=keep_plan)
        return (*known, *filter(None, (self._asks_model,)), learn_skill)

    def _problem(self, request: PlanRequest) -> PlanningProblem:
        task, at = self._require().monitor.task, request.progress.states
        return observed_problem(self._library, request.state, task, at, request.avoid)

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        return self._runner.carry_out(
            lambda avoid: self._arm.execute(
                action,
                avoid,
                started=started,
                phase=self._phase,
                cancelled=self._cancelled,
                forbids=self._runner.would_violate,
            )
        )


def _understood(response: Any) -> Understanding:
    """What the interpreter made of words; with the trouble, if only the things are not clear."""
    if response.specification.formula and response.status.code not in SUCCESS_CODES:
        trouble = error_from_status(response.status)
        return understanding_from_msg(response.specification, trouble)
    raise_unless_ok(response.status)
    return understanding_from_msg(response.specification)
