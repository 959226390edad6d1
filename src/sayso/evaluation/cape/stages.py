"""A plan in words as a task of the main flow: it is to be said to its end, and the goal reached.

What a strategy does about a step that cannot be taken decides what is said next; where it repairs,
the flow's own recovery mends the rest of the plan.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from time import process_time

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.ports import LanguageModel
from sayso.core.symbols import Action, Atom, Check, Plan, PlanStep, SymbolicState, Truths
from sayso.evaluation.cape.asking import Said, SoFar, Words
from sayso.evaluation.cape.repairing import LeaveOutUndoable, left_of, simulated_person
from sayso.evaluation.cape.strategies import Strategy
from sayso.evaluation.cape.trial import MOST_EXPANSIONS, Trial
from sayso.evaluation.cape.wordings import english
from sayso.logic.formula import Always, Eventually, Formula, Prop, Top, conjunction
from sayso.logic.progression import progression_of
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.model_repair import AskModel
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.planning.bridging import Bridge
from sayso.planning.hindsight import Hindsight, Remembered
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.reordering import Reorder
from sayso.planning.repair import Repairer
from sayso.planning.repairers import LeaveOut, Replan
from sayso.planning.words import Cause, failure_text
from sayso.reporting.events import Event, EventKind, Understanding
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.planning import RelevantPlanner, about
from sayso.worlds.virtualhome.stages import VirtualHomeStages
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import action_of, lacking, named, step_of

MOST_CORRECTIONS = 20
"""After so many a plan is given up."""
MOST_STEPS = 150
"""A plan is not longer; a third of it is, in the data set's own."""
MOST_REPEATED = 10
"""A plan that says the same so often from one state goes on for ever."""
_ALL_SAID = Atom("said_to_its_end")


@dataclass
class Course:
    """How carrying out a plan went.

    Attributes:
        executable: every step could be taken in the end.
        correct: whether the goal was reached where the plan is judged: at its end, or where its
            first step could not be taken and nothing was done about that.
        refused: steps that could not be taken when they were tried.
        corrections: repairs of failed steps, replies asked for anew, further translations tried.
        completed: whether the goal was not reached at the plan's end, and was planned for.
        asked: how often the person was.
        code: why carrying out ended early.
        repair_s: of each repair, the processor's time of finding it.
        reasons: what was repaired, and how.
    """

    executable: bool = True
    correct: bool | None = None
    refused: int = 0
    corrections: int = 0
    completed: bool = False
    asked: int = 0
    code: Code = Code.OK
    repair_s: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Refusal:
    """A step that could not be taken; no failure where the words mean no action."""

    text: str
    failure: Failure | None = None

    def explained(self, cause: Cause) -> str:
        """As much of it as a cause says."""
        if self.failure is not None:
            return failure_text(self.failure, library().predicates, cause)
        why = " because there is no such action" if cause is Cause.EXPLICIT else ""
        return "Task failed." if cause is Cause.SUCCESS_ONLY else f"I cannot {self.text}{why}."


class WordsStages(VirtualHomeStages):
    """The stages of one plan in words.

    Args:
        goal_known: the goal is part of the task, and whoever repairs sees it.
        model: for a strategy that asks one for repairs.
        rng: of the errors of affordances.

    Attributes:
        course: how it went so far.
        person: who is asked, if the strategy asks anybody; simulated.
        stopped: whether it was ended though every step that was chosen could be taken.
    """

    def __init__(
        self, trial: Trial, words: Words, strategy: Strategy, *, goal_known: bool,
        model: LanguageModel | None, rng: random.Random,
    ) -> None:  # fmt: skip
        super().__init__(trial.world, planner=RelevantPlanner(MOST_EXPANSIONS))
        self._trial, self._words, self._strategy = trial, words, strategy
        self._goal_known, self._rng = goal_known, rng
        self.course, self.person, self.stopped = Course(), simulated_person(trial), False
        self._chain = tuple(self._asked_in_turn(model))
        self._heard: tuple[Said, ...] = ()
        self._tried = 0
        self._all_said = self._mended_to_the_goal = self._person_was_asked = False
        self._said: list[str] = []
        self._refused: tuple[str, ...] = ()
        self._plan, self._left = Plan(()), tuple[Action, ...]()
        self._failure: Failure | None = None
        self._repair_began_s = 0.0
        self._repeated: Counter[tuple[frozenset[Atom], str]] = Counter()

    # -- what is to be done ----------------------------------------------------------------

    def interpret(self, instruction: str) -> Understanding:
        """That the plan is said to its end; and the goal, where it is known."""
        self._listen()
        formula: Formula = Eventually(Prop(_ALL_SAID.predicate))
        if self._goal_known:
            formula = conjunction(self._trial.goal.formula, formula)
        spec = Specification(instruction, formula, "a plan in words")
        return Understanding(GroundedSpecification(spec, formula), instruction)

    def look(self) -> None:
        """What holds, and whether all is said."""
        state = self.world.observe()
        arities = {**state.arities, _ALL_SAID.predicate: 0}
        true = {**state.exceptions, **({_ALL_SAID: True} if self._all_said else {})}
        self.take_state(replace(state, truths=Truths(state.objects, arities, true)))

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        """What is said next, after the steps of a plan, or after one of them failed."""
        failure = self._failure
        if failure is not None:
            self._heed(_Refusal(english(step_of(failure.action)), failure))
        if failure is None or not self._strategy.repairs:
            self._listen()
        return understanding, ""

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """What was said: all of it where it is repaired, else its next step; after its end, what
        the goal wants besides."""
        if self._all_said:
            return self._completing(request)
        if not self._strategy.repairs:
            return _in_words([self._chosen(self._heard[0])], request.state)
        steps = [s.steps[0] for s in takewhile(lambda s: s.steps, self._heard)]
        self._heard = self._heard[len(steps) :]
        return _in_words(steps, request.state)

    def problem(self, request: PlanRequest) -> PlanningProblem:
        """What is observed, with the goal where it is known; what failed may be tried again."""
        seen = self.world.observe()
        if self._goal_known:
            return observed_problem(library(), seen, self._trial.goal, self._trial.states)
        return observed_problem(library(), seen, progression_of(Always(Top())), None)

    def _completing(self, request: PlanRequest) -> Plan:
        if self.course.completed:
            raise self._stop(Code.NO_PLAN, "what was planned for at the end does not reach it.")
        self.course.completed = self._mended_to_the_goal = True
        self.course.reasons.append("the goal was not reached at the end of the plan")
        return self._planner.solve(about(self.problem(request), ()))

    # -- what is said ----------------------------------------------------------------------

    def _listen(self) -> None:
        """Goes on to a step that means an action, or to the end of all that is said."""
        while not self._all_said:
            self._heard = self._heard or self._more()
            if not self._heard:
                self._all_said = True
            elif self._heard[0].steps:
                return
            else:
                text = self._heard[0].text
                self._require_end(text)
                self.course.refused += 1
                self._heed(_Refusal(text))

    def _more(self) -> tuple[Said, ...]:
        if self._mended_to_the_goal:
            return ()
        used = (thing for step in self.world.done for thing in step.things)
        more = self._words.more(SoFar(tuple(self._said), self._refused, tuple(used)))
        alone = self._strategy.asks_person and not self._goal_known and not self._person_was_asked
        if more or not alone or self._trial.correct:
            return more
        self._person_was_asked = True
        self.person.asked += 1
        return tuple(Said(english(step), (step,)) for step in left_of(self._trial))

    def _chosen(self, said: Said) -> Step:
        """The translation to try."""
        wrong = self._strategy.affordance_error
        if wrong is None:
            return said.steps[self._tried]
        state = self.world.observe()
        for step in said.steps:
            if (not lacking(action_of(step, state), state)) != (self._rng.random() < wrong):
                return step
        text = f"no action like '{said.text}' is said to be possible."
        raise self._stop(Code.NO_PLAN, text)

    def _heed(self, refusal: _Refusal) -> None:
        """What a strategy does about a step that could not be taken, but for repairing the plan."""
        strategy = self._strategy
        if strategy.repairs:
            self._correct()
            if refusal.failure is None:
                self._refused += (refusal.explained(Cause.EXPLICIT),)
                self._heard = self._heard[1:]
                why = f"'{refusal.text}' is like no action, and is left out"
                self.course.reasons.append(why)
        elif strategy.cause is not None:
            self._correct()
            self._refused += (refusal.explained(strategy.cause),)
            self._heard = ()
        elif self._tried + 1 < min(strategy.tries, len(self._heard[0].steps)):
            self._correct()
            self._tried += 1
        elif strategy.tries > 1:
            message = refusal.explained(Cause.EXPLICIT)
            raise SaySoError(Code.PRECONDITION, f"{message} It is the last of what was said.")
        else:
            self._leave(refusal)

    def _leave(self, refusal: _Refusal) -> None:
        """Goes on as though the step had been taken; the plan is judged by what was reached."""
        if self.course.correct is None:
            self.course.correct = self._trial.correct
            self.course.executable = False
        self._next(refusal.text)

    def _next(self, text: str) -> None:
        """A step of the plan is behind."""
        self._said.append(text)
        if not self._strategy.repairs:
            self._heard, self._tried = self._heard[1:], 0

    def _correct(self) -> None:
        """Counts a correction. Raises NO_PLAN for one too many."""
        if self.course.corrections >= MOST_CORRECTIONS:
            raise SaySoError(Code.NO_PLAN, f"the plan was corrected {MOST_CORRECTIONS} times.")
        self.course.corrections += 1

    def _require_end(self, text: str) -> None:
        """Raises PLAN_INVALID where the plan is too long, or says the same again and again."""
        key = (self.world.observe().true_atoms(), text)
        self._repeated[key] += 1
        steps = len(self._trial.taken) + self.course.refused
        if steps >= MOST_STEPS or self._repeated[key] > MOST_REPEATED:
            text = f"the plan has no end: '{text}' after {steps} steps"
            raise self._stop(Code.PLAN_INVALID, text)

    def _stop(self, code: Code, text: str) -> SaySoError:
        self.stopped = True
        return SaySoError(code, text)

    # -- what is done ----------------------------------------------------------------------

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """The simulator's step, whatever the operators say of it.

        Raises:
            SaySoError: PRECONDITION or EXECUTION where the simulator refuses; PLAN_INVALID.
        """
        before = self.world.observe()
        action = action_of(step_of(action), before)
        self._failure = None
        self._require_end(english(step_of(action)))
        started(())
        try:
            self._trial.take(action)
        except SaySoError as error:
            if error.code in (Code.PRECONDITION, Code.EXECUTION):
                self.course.refused += 1
                error.checks = lacking(action, before)
                self._failure = Failure.of(action, error)
                self._left = self._plan.actions[step:]
            raise
        self.take_state(before.changed(dict.fromkeys(action.during, True)))
        self._refused = ()
        self._next(english(step_of(action)))
        return ()

    # -- repairs ---------------------------------------------------------------------------

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        """About what the plan speaks of, and the person's; None where nobody repairs."""
        if not self._strategy.repairs:
            return None
        self._repair_began_s = process_time()
        person = self.world.task.program if self.person in self._chain else ()
        steps = (*map(step_of, self._left), *self.world.done, *person)
        problem = about(self.problem(request), {t for s in steps for t in s.things})
        self._things = frozenset(problem.objects)
        return self._foreseeing(problem)

    def repairers(
        self, solve: Callable[[PlanningProblem], Plan], *, keep_plan: bool
    ) -> Sequence[Repairer]:
        return self._chain

    def _asked_in_turn(self, model: LanguageModel | None) -> Iterator[Repairer]:
        strategy, task, solve = self._strategy, self.world.task, self._planner.solve
        reorder = Remembered(Reorder(self.meant_now, named))
        yield LeaveOut()
        yield Hindsight(solve, self.meant_each, reorder, named)
        yield reorder
        yield Bridge(solve, self.meant_now)
        if self._goal_known:
            yield Replan(solve)
        if strategy.asks_model and model:
            yield AskModel(model, f"{task.title}. {task.words}")
        if strategy.asks_person:
            yield self.person
        if not self._goal_known:
            yield LeaveOutUndoable(self.meant_now)

    def listen(self, event: Event) -> None:
        """Takes down which plan is carried out, and how one was repaired."""
        if event.kind is not EventKind.PLAN or event.plan is None or event.code is not Code.OK:
            return
        if not event.is_repair:
            self._plan = event.plan
            return
        self.course.repair_s.append(process_time() - self._repair_began_s)
        why = self._failure.message if self._failure else ""
        self.course.reasons.append(f"{why} ({event.plan.planner})")
        self._failure = None
        failed = step_of(self._left[0])
        if failed not in map(step_of, event.plan.actions):  # else it would be said again
            self._said.append(english(failed))
        self._mended_to_the_goal = self._goal_known


def _in_words(steps: Iterable[Step], state: SymbolicState) -> Plan:
    """Which of a verb's operators each is turns out in its turn."""
    found = tuple(PlanStep(action_of(step, state)) for step in steps)
    cost = sum(s.action.cost for s in found)
    return Plan(found, "said", cost, from_words=True, step_by_step=True)
