"""Finding out what is not known before a failure is judged: a repairer that only looks."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal, PlanStep, in_words
from sayso.planning.achieving import Situation, achieve
from sayso.planning.hidden_things import lost_to_task, showing, unknown_to_task
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import BrokenPlan, Proposal, effects_of
from sayso.planning.words import fact, joined


class Look:
    """An action after which what the step needs is known, or a thing that it is about may be seen.

    Things may be in what is shut; which actions show that, `planning.hidden_things` knows.

    Args:
        for_task: look for what the rest of the task is about, not only for what the step is about.
    """

    name = "look"

    def __init__(self, *, for_task: bool = False) -> None:
        self._for_task = for_task

    def propose(self, broken: BrokenPlan) -> Proposal:
        unknown, lost = not_known(broken)
        if self._for_task:
            lost = tuple(sorted({*lost, *lost_to_task(broken.problem)}))
        return looked_into(broken.problem, unknown, lost)

    @staticmethod
    def before_giving_up(problem: PlanningProblem) -> Proposal:
        """Where no step failed, and there is no plan: for all that is left of the task.

        Raises:
            SaySoError: NO_PLAN where there is nothing to be found out.
        """
        unknown, lost = unknown_to_task(problem), lost_to_task(problem)
        return looked_into(problem, sorted(unknown), sorted(lost))


def looked_into(problem: PlanningProblem, unknown: Sequence[Atom], lost: Sequence[str]) -> Proposal:
    """The shortest way to an action that may show what is not known, or things that are not seen.

    Raises:
        SaySoError: NO_PLAN where no action shows anything new.
    """
    here = Situation.of(problem)
    ways = [
        (*way, action)
        for action in showing(problem, unknown, bool(lost))
        if here.lacks(effects_of(action))  # else there is nothing new to be seen
        and (way := achieve(action.preconditions, here, problem)) is not None
    ]
    if not ways:
        raise SaySoError(Code.NO_PLAN, "there is nothing to be found out by looking.")
    facts = [f"it is not known whether {fact(Literal(a), problem.predicates)}" for a in unknown]
    reason = joined([*(f"{in_words(name)} is not seen" for name in lost), *facts])
    steps = tuple(PlanStep(a, reason) for a in min(ways, key=len))
    return Proposal(steps, f"{reason}: {steps[-1].action} may show it", looks=True)


def not_known(broken: BrokenPlan) -> tuple[tuple[Atom, ...], tuple[str, ...]]:
    """What is unknown still of what did not hold, and which things of the step are not seen."""
    lost = sorted(set(broken.failure.things) - set(broken.problem.objects))
    open_ = (x.atom for x in broken.failure.literals if x.atom in broken.problem.unknown)
    return tuple(a for a in open_ if set(lost).isdisjoint(a.args)), tuple(lost)
