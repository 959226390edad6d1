"""After failed skills: look again and repair the plan, without what keeps failing, or give up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.failure import Failure
from sayso.core.symbols import Action, Atom, Literal, Plan, SymbolicState
from sayso.mission.repair_chain import RepairChain, RepairStep
from sayso.mission.stages import Stages
from sayso.planning.hidden_things import lost_to_task, unknown_to_task
from sayso.planning.looking import Look, not_known
from sayso.planning.problem import PlanningProblem
from sayso.planning.relevance import FocusedPlanner
from sayso.planning.repair import NO_PROPOSAL, BrokenPlan
from sayso.planning.search import SearchPlanner
from sayso.planning.words import Cause, failure_text
from sayso.reporting.events import EventEmitter, EventKind

RECOVERABLE = frozenset(
    {
        Code.PRECONDITION,
        Code.POSTCONDITION,
        Code.EXECUTION,
        Code.UNREACHABLE,
        Code.OBJECT_LOST,
        Code.VETO,
    }
)
"""After these the world is observed anew and the plan repaired; others end the task."""


PLANNER = FocusedPlanner(SearchPlanner())
"""Of what remains otherwise than the stages plan it."""
AGAIN = ("again", "try again", "go on", "continue", "done", "ready", "it is done")
"""What a person says who has set right what stood in the way."""
MOST_ASKED = 3
"""Questions about one failure, if the answers are not understood."""


@dataclass(frozen=True)
class TaskLimits:
    """Bounds on corrections and recovery.

    Attributes:
        corrections: turns in which the person may correct the reading.
        failures: skills that may fail before the task is given up.
        attempts: times in a row that one action may fail of itself before plans must do without it:
            what it needs and was seen not to hold is no failure of the action.
        repeats: times that a step may lack the same from the same observed state.
    """

    corrections: int = 5
    failures: int = 6
    attempts: int = 2
    repeats: int = 4


_Way = tuple[str, frozenset[Literal], frozenset[Atom]]
"""How a step fails: what of its conditions or effects does not hold, and what was true before."""


class Recovery:
    """The failures of a task so far, and what follows from them.

    Args:
        events: are told what becomes of each repairer that is asked.
        ask: the person, where no repairer knows how to go on; gives their words.
        stages: say who repairs.
    """

    def __init__(
        self,
        limits: TaskLimits,
        events: EventEmitter,
        ask: Callable[[SaySoError], str],
        stages: Stages,
    ) -> None:
        self._limits = limits
        self._ask = ask
        self._stages = stages
        self._events = events
        self._chain = RepairChain(limits.attempts, self._tell)
        self._failures = 0
        self._failed: Counter[str] = Counter()
        self._tried: dict[str, Action] = {}
        self._done: list[Action] = []
        self._seen: list[SymbolicState] = []
        self._now: SymbolicState | None = None
        self._last: SaySoError | None = None
        self._broken: tuple[Failure, Plan, int] | None = None
        self._alike: Counter[_Way] = Counter()
        self._circles = ""

    @property
    def excluded(self) -> frozenset[Action]:
        """What failed so often that plans must do without it."""
        often = (a for a, n in self._failed.items() if n >= self._limits.attempts)
        return frozenset(self._tried[a] for a in often)

    def attempt(self, action: Action) -> int:
        """Which attempt at the action the next one is, from 1."""
        return self._failed[str(action)] + 1

    def skill_failed(self, plan: Plan, index: int, error: SaySoError) -> None:
        """Keep that a step of a plan failed, and why."""
        action = plan.actions[index]
        lacking = error.code is Code.PRECONDITION and error.checks
        if not (lacking and all(c.observed is False for c in error.checks)):
            self._failed[str(action)] += 1
            self._tried[str(action)] = action
        self._circles = ""
        if error.checks:  # others count as failures of the action, of which plans do without it
            true = self._now.exceptions if self._now else {}
            how = frozenset(c.literal for c in error.checks)
            way = str(action), how, frozenset(a for a, t in true.items() if t)
            self._alike[way] += 1
            if self._alike[way] >= self._limits.repeats:
                self._circles = f"{action} failed"
        self._last = error
        self._broken = Failure.of(action, error), plan, index

    def skill_done(self, action: Action) -> None:
        """Keep what was carried out: repairs do not undo what it reached."""
        self._done.append(action)
        if self._now is not None:
            self._seen.append(self._now)
        self._failed.pop(str(action), None)

    def observed(self, state: SymbolicState) -> None:
        """Keep what is seen now: a repair may look back on it."""
        self._now = state

    def _all_seen(self) -> tuple[SymbolicState, ...]:
        return (*self._seen, *filter(None, (self._now,)))

    def begin_round(self) -> None:
        """Forget all failures: in the next round of what recurs everything is tried anew."""
        self._failures = 0
        self._failed.clear()
        self._done.clear()
        self._seen.clear()
        self._forget()

    def _forget(self) -> None:
        """Everything may be tried anew."""
        self._chain.forget()
        self._alike.clear()
        self._circles = ""

    def next_plan(self, fresh: Callable[[], Plan], problem: PlanningProblem | None) -> Plan:
        """The plan that failed, repaired; a fresh one if none did.

        Args:
            fresh: makes a validated plan for what remains.
            problem: what remains; None where only `fresh` knows.

        Raises:
            SaySoError: why there is none, with the failure that led to it.
        """
        broken, self._broken = self._broken, None
        try:
            if problem is None:
                plan = fresh()
            elif broken is None:
                plan = self._fresh_or_look(fresh, problem)
            else:
                plan = self._repaired(broken, fresh, problem)
        except SaySoError as error:
            raise self._explained(error) from error
        self._last = self._last if self.excluded else None
        return plan

    def _fresh_or_look(self, fresh: Callable[[], Plan], problem: PlanningProblem) -> Plan:
        """Where there is no plan since something is not seen, or not known: what may show it."""
        try:
            return fresh()
        except SaySoError as error:
            open_ = lost_to_task(problem) or unknown_to_task(problem)
            if error.code not in (Code.NO_PLAN, Code.PLAN_TIMEOUT) or not open_:
                raise
            self._events.emit(EventKind.MESSAGE, "recover", error.message, code=error.code)
            try:
                look = partial(Look.before_giving_up, problem)
                return self._chain.asked(Look.name, look, problem)
            except SaySoError as nothing:
                if nothing.code not in NO_PROPOSAL:
                    raise
            raise

    def _repaired(
        self, broken: tuple[Failure, Plan, int], fresh: Callable[[], Plan], problem: PlanningProblem
    ) -> Plan:
        failure, plan, index = broken
        steps = self._stages.meant_now(plan.steps[index:])
        failure = replace(failure, action=steps[0].action)
        rest = BrokenPlan(failure, steps, problem, tuple(self._done), self._all_seen())

        def solve(wanted: PlanningProblem) -> Plan:
            return fresh() if wanted is problem else PLANNER.solve(wanted)

        look = (Look(),) if any(not_known(rest)) else ()
        seek = (Look(for_task=True),) if not look and lost_to_task(problem) else ()
        repairers = (*look, *self._stages.repairers(solve, keep_plan=plan.from_words), *seek)
        try:
            mended = self._chain.repaired(rest, repairers)
        except SaySoError as error:
            if error.code not in NO_PROPOSAL | RECOVERABLE or not self._set_right(rest, error):
                raise
        else:
            if mended.planner == Look.name:  # the failure is judged by what is seen then
                self._broken = broken
            return mended
        self._broken = broken
        self._failed.clear()
        self._forget()
        raise SaySoError(failure.code, f"{failure.action} failed; a person has set it right.")

    def _set_right(self, broken: BrokenPlan, error: SaySoError) -> bool:
        """Whether the person has seen to what stands in the way."""
        cause = failure_text(broken.failure, broken.problem.predicates, Cause.EXPLICIT)
        hint = f"Set it right by hand and say '{AGAIN[0]}', or say 'no' to give up."
        for _ in range(MOST_ASKED):
            question = SaySoError(
                error.code, f"{cause} {error.message}", hint=hint, choices=AGAIN[:1]
            )
            words = self._ask(question).strip(" .!").lower()
            if words in ("", *AGAIN):
                return bool(words)
            hint = f"'{words}' was not understood: say '{AGAIN[0]}' once it is set right, or 'no'."
        return False

    def _tell(self, step: RepairStep) -> None:
        self._events.emit(EventKind.PLAN, "recover", step.reason, plan=step.plan, code=step.code)

    def _explained(self, error: SaySoError) -> SaySoError:
        """The planner's error, told together with the failures that led to it."""
        if (
            self._last is None
            or error.code not in NO_PROPOSAL
            or isinstance(error, SkillLackingError)
        ):
            return error
        names = ", ".join(sorted(map(str, self.excluded)))
        tried = f"{names} failed {self._limits.attempts} times and is not tried again; without it: "
        return SaySoError(
            error.code,
            f"{tried if names else ''}{error.message} The last failure: {self._last.message}",
            hint=self._last.hint or error.hint,
            choices=error.choices,
        )

    def go_on_after(self, error: SaySoError) -> None:
        """Return where a new plan from what is observed may help, or raise to give up.

        A step that lacks the same from the same state again and again ends the task, whatever made
        the plans: somebody may undo each time what it needs.
        """
        self._failures += 1
        if error.code not in RECOVERABLE or isinstance(error, SkillLackingError):
            raise error
        if self._failures > self._limits.failures:
            raise SaySoError(
                error.code,
                f"given up after {self._failures} failed skills; the last: {error.message}",
                hint=error.hint,
                choices=error.choices,
            ) from error
        if self._circles:
            raise SaySoError(
                error.code,
                f"{self._circles} {self._limits.repeats} times from the same state: to go on would "
                f"be to go round in circles. {error.message}",
                hint=error.hint,
                choices=error.choices,
                checks=error.checks,
            ) from error
