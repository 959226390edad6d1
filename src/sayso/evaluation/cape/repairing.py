"""Carries a plan out in VirtualHome and has it mended where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import process_time

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.symbols import Action, Plan, SymbolicState
from sayso.evaluation.cape.trial import Trial
from sayso.logic.formula import Always, Top
from sayso.logic.progression import progression_of
from sayso.mission.repair_chain import RepairChain
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.repair import Bridge, BrokenPlan, LeaveOut, Proposal, Repairer, Replan
from sayso.planning.search import SearchPlanner
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.planning import RelevantPlanner, about
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import action_of, foreseen, lacking, step_of

MOST_CORRECTIONS = 20
"""After so many a plan is given up."""


class LeaveOutUndoable:
    """The rest of the plan, bridged, without its first steps, as few as will do: where the goal is
    not known, the last thing that can be done for the steps after one that nothing makes possible.
    """

    name = "leave out what cannot be done"

    def propose(self, broken: BrokenPlan) -> Proposal:
        for start in range(1, len(broken.rest) + 1):
            try:
                onward = Bridge().propose(replace(broken, rest=broken.rest[start:]))
            except SaySoError as error:
                if error.code is not Code.NO_PLAN:
                    raise
            else:
                return Proposal(
                    onward.steps, f"nothing known makes {broken.failure.action} possible"
                )
        raise SaySoError(Code.NO_PLAN, "no end of the plan can be carried out.")


@dataclass
class Course:
    """How carrying out a plan went.

    Attributes:
        executable: every step could be taken in the end.
        as_is: no step failed, and nothing was missing at the end.
        corrections: repairs of failed steps.
        completed: whether the goal was not reached at the plan's end, and was planned for.
        repair_s: of each repair, the processor's time of finding it.
        reasons: what was repaired, and how.
    """

    executable: bool = True
    corrections: int = 0
    completed: bool = False
    repair_s: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def carry_out(trial: Trial, steps: Sequence[Step], *, goal_known: bool) -> Course:
    """Takes the steps of a plan, repaired without a model.

    Args:
        goal_known: the repairs see the goal, and what it wants beyond the plan is planned for; else
            they see the plan alone.
    """
    return _Run(trial, goal_known).follow(steps)


class _Run:
    def __init__(self, trial: Trial, goal_known: bool) -> None:
        self._trial, self._goal_known = trial, goal_known
        self._course = Course()
        self._chain = RepairChain()
        planner = RelevantPlanner(SearchPlanner())
        self._solve = planner.solve
        last: Repairer = Replan(planner.solve) if goal_known else LeaveOutUndoable()
        self._repairers = (LeaveOut(), Bridge(planner.solve), last)

    def follow(self, steps: Sequence[Step]) -> Course:
        rest = list(steps)
        try:
            while rest:
                rest = self._after(rest)
            if self._goal_known and not self._trial.correct:
                self._complete()
        except SaySoError as error:
            self._course.executable = False
            self._course.reasons.append(str(error))
        return self._course

    def _after(self, rest: list[Step]) -> list[Step]:
        """What is left after the first step was taken, or mended."""
        state = self._trial.world.observe()
        action = action_of(rest[0], state)
        try:
            self._trial.take(action)
        except SaySoError as error:
            if error.code not in (Code.PRECONDITION, Code.EXECUTION):
                raise
            failure = Failure(action, error.code, lacking(action, state), error.message)
            return self._mended(failure, rest, state)
        return rest[1:]

    def _mended(self, failure: Failure, rest: list[Step], state: SymbolicState) -> list[Step]:
        if self._course.corrections >= MOST_CORRECTIONS:
            raise SaySoError(failure.code, f"{failure.message} It is the last of too many.")
        self._course.corrections += 1
        things = {thing for step in (*rest, *self._trial.world.done) for thing in step.things}
        problem = about(self._problem(state), things)
        done = (_on(action, problem) for action in self._trial.taken)
        broken = BrokenPlan(
            replace(failure, action=_on(failure.action, problem)),
            foreseen(rest, state, problem.objects), problem, tuple(done),
        )  # fmt: skip
        started_s = process_time()
        plan = self._chain.repaired(broken, self._repairers)
        self._course.repair_s.append(process_time() - started_s)
        self._course.reasons.append(f"{failure.message} ({plan.planner})")
        return [step_of(a) for a in plan.actions]

    def _complete(self) -> None:
        self._course.completed = True
        problem = about(self._problem(self._trial.world.observe()), ())
        plan: Plan = self._solve(problem)
        self._course.reasons.append("the goal was not reached at the end of the plan")
        for action in plan.actions:
            self._trial.take(action)

    def _problem(self, state: SymbolicState) -> PlanningProblem:
        if self._goal_known:
            return observed_problem(library(), state, self._trial.goal, self._trial.states)
        return observed_problem(library(), state, progression_of(Always(Top())), None)


def _on(action: Action, problem: PlanningProblem) -> Action:
    """An action on the things of a problem."""
    operator = problem.domain.operator(action.name)
    return operator.ground(*action.args, objects=problem.objects)
