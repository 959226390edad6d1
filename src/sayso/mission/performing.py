"""Doing a task with what was learned, where it was learned: the main flow over a practice.

The planner gives the next action: a plan is kept while its actions come out and the next one can
be done, and is made anew where it went otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sayso import pipeline
from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal, Plan, PlanStep, SymbolicState
from sayso.learning.feedback import Action as Tried
from sayso.learning.learner import Learner
from sayso.learning.teaching import Practice
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.monitor import Monitor, Progress
from sayso.logic.progression import progression_of
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.recovery import TaskLimits
from sayso.mission.stages import PlanRequest, ReportSkill, Stages
from sayso.planning.words import Cause, failure_text, violation
from sayso.reporting.events import Understanding

Step = tuple[str, tuple[str, ...]]
FindPlan = Callable[[tuple[Literal, ...], SymbolicState, frozenset[Step]], Sequence[Action]]
"""A way to a goal from a state without some ground operators (name, arguments). Raises `SaySoError`
where there is none.
"""


@dataclass(frozen=True)
class Contradiction:
    """An action of which all that it is known to need held, and that went well as far as the robot
    felt, but did not lead to what was learned of it.

    Attributes:
        failure: with the effects that were not observed.
        before, after: what was observed.
    """

    failure: Failure
    before: Scene
    after: Scene

    def words(self, predicates: Mapping[str, Predicate]) -> str:
        """What is asked: "I expected otherwise: ... Shall I learn from it?" """
        action = self.failure.action
        return (
            f"I did '{action.english or action}', and all that it is known to need held, but "
            f"{violation(self.failure, predicates)}. Shall I learn from that?"
        )


Offer = Callable[[str], bool]
"""Whether the person wants it to be learned from, asked in words."""


@dataclass(frozen=True)
class Performed:
    """What came of it.

    Attributes:
        reached: whether all of the goal was seen to hold in the end.
        failed: the first action that failed, as the robot felt or saw; '' if none did.
        plans: how many were made.
        trouble: why there was no plan any more, if that ended it.
    """

    reached: bool
    actions: tuple[Step, ...]
    failed: str
    plans: int
    trouble: SaySoError | None = None


def perform(
    words: str,
    practice: Practice,
    learner: Learner,
    plan: FindPlan,
    most_actions: int,
    offer: Offer = lambda _: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Performed:
    """Work for a goal until it is seen to be reached, or there is no way.

    Args:
        offer: what contradicts a learned operator is offered to the person; agreed to, it is a
            transition for the learner. By default nobody is asked.
        tell: is told in words why an action cannot be done or did not come out, before it is done
            otherwise.

    Raises:
        SaySoError: of the reader or the practice; NOT_UNDERSTOOD for words that need a predicate
            which was never learned.
    """
    stages = PracticeStages(practice, learner, plan, most_actions, offer, tell)
    limits = TaskLimits(failures=most_actions)
    outcome = pipeline.perform(words, stages, lambda _: None, limits)
    if not (outcome.succeeded or stages.given_up):
        raise SaySoError(outcome.code, outcome.message, hint=outcome.hint, choices=outcome.choices)
    done = tuple(stages.done)
    return Performed(outcome.succeeded, done, stages.failed, stages.plans, stages.trouble)


class PracticeStages(Stages):
    """One task in a practice, with what its learner knows; the practice raises CANCELLED.

    Each action is followed by one observation, which all that comes before the next action sees.

    Attributes:
        done: actions that were carried out.
        failed, plans, trouble: see `Performed`.
        given_up: whether no further action is to be tried.
    """

    def __init__(
        self,
        practice: Practice,
        learner: Learner,
        find_plan: FindPlan,
        most_actions: int,
        offer: Offer,
        tell: Callable[[str], None],
    ) -> None:
        self.done: list[Step] = []
        self.failed = ""
        self.plans = 0
        self.trouble: SaySoError | None = None
        self.given_up = False
        self._practice = practice
        self._learner = learner
        self._find_plan = find_plan
        self._most_actions = most_actions
        self._offer = offer
        self._tell = tell
        self._scene: Scene = practice.observe()
        self._goal: tuple[Literal, ...] = ()
        self._ahead: tuple[Action, ...] = ()

    def interpret(self, instruction: str) -> Understanding:
        self._goal = self._learner.read_goal(instruction, self._scene)
        for literal in self._goal:
            if literal.atom.predicate not in self._learner.library.predicates:
                raise SaySoError(
                    Code.NOT_UNDERSTOOD,
                    f"'{literal.atom.predicate}' was never learned.",
                    choices=self._learner.library.predicates,
                    hint="practise something that needs it first.",
                )
        formula = Eventually(conjunction(*map(of_literal, self._goal)))
        specification = Specification(instruction, formula, source="learner")
        return Understanding(GroundedSpecification(specification, formula), instruction)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        return self.interpret(words)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        predicates = self._learner.library.predicates
        task = progression_of(understanding.specification.formula, predicates)
        self._monitor = Monitor(task, predicates)
        self._see(self._scene)
        return self.observe()

    def observe(self) -> tuple[SymbolicState, Progress]:
        return self._state, self._progress

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """The next action, of a plan for all that remains."""
        if len(self.done) >= self._most_actions:
            raise self._giving_up(f"not done after {self._most_actions} actions.")
        if not self._ahead or self._is_prevented(self._ahead[0], request.state):
            self._ahead = self._planned(request)
        if not self._ahead:  # also for a goal of which a part is unknown
            raise self._giving_up("nothing is left to do, but the goal is not seen to be reached.")
        return Plan((PlanStep(self._ahead[0]),), "practice")

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        """A skill takes an operator's first parameters; those after them are only context."""
        before, needed = self._scene, _checked(self._needed(action), self._state)
        started(needed)
        args = tuple(action.args[: self._practice.skills[action.skill]])
        felt = self._practice.act(action.skill, args)
        self.done.append((action.skill, args))
        self._see(self._practice.observe())
        checks = _checked(map(Literal, sorted(action.add)), self._state)
        missing = tuple(c for c in checks if c.observed is False)
        if not felt or missing:
            self.failed = self.failed or f"{action.skill}({', '.join(args)})"
            self._ahead = ()
            failure = Failure(action, Code.POSTCONDITION, missing)
            if felt and all(c.observed for c in needed):
                self._contradicted(Contradiction(failure, before, self._scene))
            else:
                self._tell_why(failure)
            text = f"{action} did not have its effect."
            raise SaySoError(Code.POSTCONDITION, text, checks=missing)
        self._ahead = self._ahead[1:]
        return checks

    def _is_prevented(self, action: Action, state: SymbolicState) -> bool:
        """Whether the next action is seen to lack something; that is told."""
        lacking = [c for c in _checked(self._needed(action), state) if c.observed is False]
        if lacking:
            self._tell_why(Failure(action, Code.PRECONDITION, tuple(lacking)))
        return bool(lacking)

    def _tell_why(self, failure: Failure) -> None:
        self._tell(failure_text(failure, self._learner.library.predicates, Cause.EXPLICIT))

    def _needed(self, action: Action) -> list[Literal]:
        return sorted(action.needs(self._scene.by_name()))

    def _contradicted(self, found: Contradiction) -> None:
        """What the learner's operator did not foresee; learned from, if the person agrees."""
        if self._offer(found.words(self._learner.library.predicates)):
            skill, args = self.done[-1]
            self._learner.acted(Tried(skill, args), found.before, found.after, succeeded=True)

    def _planned(self, request: PlanRequest) -> tuple[Action, ...]:
        self.plans += 1
        try:
            return tuple(self._find_plan(self._goal, request.state, request.avoid))
        except SaySoError as error:
            self.given_up, self.trouble = True, error
            raise

    def _giving_up(self, why: str) -> SaySoError:
        self.given_up = True
        return SaySoError(Code.NO_PLAN, why)

    def _see(self, scene: Scene) -> None:
        self._scene, self._state = scene, self._learner.state(scene)
        self._progress = self._monitor.observe(self._state.truths, boundary=bool(self.done))


def _checked(literals: Iterable[Literal], state: SymbolicState) -> tuple[Check, ...]:
    return tuple(Check(x, state.holds(x)) for x in literals)
