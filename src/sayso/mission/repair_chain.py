"""Repairers asked one after the other; what one proposes is taken if the validator agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.symbols import Action, Atom, Plan
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import NO_PROPOSAL, BrokenPlan, Proposal, Repairer
from sayso.planning.validate import validate


@dataclass(frozen=True)
class RepairStep:
    """What became of asking one repairer.

    Attributes:
        reason: why this is what to do, or why there is no proposal or it was refused.
        plan: what was proposed; its `planner` is the repairer. Empty if nothing was.
        code: OK if the proposal was taken.
    """

    reason: str
    plan: Plan
    code: Code

    @property
    def taken(self) -> bool:
        return self.code is Code.OK


class RepairChain:
    """Mends plans; remembers what it tried, so that it does not go round in circles.

    Each repairer is asked at most once for a failure. A proposal is taken only if the validator
    finds that it fulfils the whole of the remaining task and breaks no part of it; of one that only
    looks, that it breaks none.

    Args:
        tries: how often the same proposal may be taken from the same observed state.
        listen: is told what became of each repairer's proposal.
    """

    def __init__(
        self, tries: int = 2, listen: Callable[[RepairStep], None] = lambda _: None
    ) -> None:
        self._tries = tries
        self._listen = listen
        self._taken: Counter[tuple[frozenset[Atom], tuple[Action, ...]]] = Counter()

    def forget(self) -> None:
        """Everything may be tried anew."""
        self._taken.clear()

    def repaired(self, broken: BrokenPlan, repairers: Sequence[Repairer]) -> Plan:
        """What to do in place of the rest of a plan.

        Raises:
            SaySoError: where no repairer has a proposal that will do: that a skill is lacking,
                why there is no plan, or the failure; and what is none of `repair.NO_PROPOSAL`.
        """
        refusals: list[tuple[str, SaySoError]] = []
        for repairer in repairers:
            try:
                return self.asked(repairer.name, partial(repairer.propose, broken), broken.problem)
            except SaySoError as error:
                if error.code not in NO_PROPOSAL:
                    raise
                refusals.append((repairer.name, error))
        raise _given_up(broken, refusals)

    def asked(self, name: str, propose: Callable[[], Proposal], problem: PlanningProblem) -> Plan:
        """What one repairer proposes, if it will do; what became of it is told.

        Raises:
            SaySoError: of `repair.NO_PROPOSAL` where it will not do; others as `propose`.
        """
        plan, began_s = Plan((), name), perf_counter()
        try:
            proposal = propose()
            plan = _plan(name, proposal, perf_counter() - began_s)
            self._require_new(plan, problem)
            validate(plan, problem, to_the_end=not proposal.looks)
        except SaySoError as error:
            if error.code in NO_PROPOSAL:
                self._listen(RepairStep(error.message, plan, error.code))
            raise
        self._taken[_key(plan, problem)] += 1
        self._listen(RepairStep(proposal.reason, plan, Code.OK))
        return plan

    def _require_new(self, plan: Plan, problem: PlanningProblem) -> None:
        if (times := self._taken[_key(plan, problem)]) >= self._tries:
            raise SaySoError(
                Code.PLAN_INVALID,
                f"the same was done {times} times from the same state, and failed each time.",
            )


def _key(plan: Plan, problem: PlanningProblem) -> tuple[frozenset[Atom], tuple[Action, ...]]:
    return problem.initial, plan.actions


def _plan(name: str, proposal: Proposal, time_s: float) -> Plan:
    cost = sum(s.action.cost for s in proposal.steps)
    return Plan(proposal.steps, name, cost, time_s, from_words=proposal.keeps_plan)


def _given_up(broken: BrokenPlan, refusals: Sequence[tuple[str, SaySoError]]) -> SaySoError:
    """A skill that is lacking; else the planner's word, which knows whether there is a way."""
    said = dict(refusals)
    lacking, planner = said.get("learn skill"), said.get("replan")
    if isinstance(lacking, SkillLackingError):
        return lacking
    if planner is not None and planner.code is not Code.PLAN_INVALID:
        return planner
    why = "; ".join(f"{name}: {error.message}" for name, error in refusals)
    return SaySoError(
        broken.failure.code,
        f"{broken.failure.message} No repair was found ({why}).",
        hint="set right by hand what stands in the way, then ask again; or teach a skill for it.",
        checks=broken.failure.checks,
    )
