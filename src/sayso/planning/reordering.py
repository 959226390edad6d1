"""Repair by another order: two steps of a plan changed places, or one came too soon or too late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import inf

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import PlanStep
from sayso.planning.achieving import Situation
from sayso.planning.bridging import Bridge
from sayso.planning.coherence import About, things_of, unlikely
from sayso.planning.repair import BrokenPlan, Meant, Proposal, Steps, effects_of

MOST_ORDERS = 12
"""Orders of a plan that are bridged for comparison."""


class Reorder:
    """The rest of the plan in another order, in which all of its steps can be taken.

    The step that failed changes places with a later one, or else comes after some later ones, or
    else one of these before it; of several such orders that can be taken the one with the fewest
    steps that serve nothing, as one that walks away at the end; then the one in which most steps
    about the same things follow one another.
    Where the plan is all that is known of the task, and a later step of it brings about what the
    one that failed lacks, an order will do, too, in which less has to be bridged than in this one,
    unless the bridge does what failed once more than was said.

    Args:
        meant: of the steps of a plan.
        about: what a step says that it is about.
    """

    name = "reorder"

    def __init__(self, meant: Meant = lambda steps: steps, about: About = things_of) -> None:
        self._meant, self._about = meant, about

    def propose(self, broken: BrokenPlan) -> Proposal:
        """Raises NO_PLAN where the step lacked nothing that is known: it may be tried again."""
        if not Situation.of(broken.problem).lacks(broken.needs(broken.failure.action)):
            raise SaySoError(Code.NO_PLAN, f"{broken.failure.action} lacked nothing that is known.")
        for orders in _orders(broken.rest):
            able = ((o, s) for o in orders if _can_be_taken(s := self._meant(o.steps), broken))
            best = min(
                able,
                key=lambda found: unlikely(found[1], broken.problem, self._about),
                default=None,
            )
            if best is not None:
                order, steps = best
                return Proposal(steps, order.reason, keeps_plan=True)
        return self._bridged(broken)

    def _bridged(self, broken: BrokenPlan) -> Proposal:
        """Raises NO_PLAN where no order needs fewer changes than this one."""
        problem = broken.problem
        at = Situation.of(problem)
        lacking = at.lacks(broken.needs(broken.failure.action))
        brought = [n for n, s in enumerate(broken.rest) if n and effects_of(s.action) & lacking]
        best, least = None, inf
        if brought and problem.task.is_done(at.states):
            orders = (o for o in chain(*_orders(broken.rest)) if o.number >= brought[0])
            least, _ = _bridge(broken, self._meant)
            for order in islice(orders, MOST_ORDERS):
                rest = self._meant(order.steps)
                changes, mended = _bridge(replace(broken, rest=rest), self._meant)
                if mended is not None and changes < least and not _said_again(broken, mended):
                    least, best = changes, (order, mended)
        if best is None:
            raise SaySoError(Code.NO_PLAN, "the steps can be taken in no other order.")
        order, mended = best
        return replace(mended, reason=f"{order.reason}; {mended.reason}")


@dataclass(frozen=True)
class _Order:
    """The steps of a plan in another order.

    Attributes:
        number: where the first of them comes now, or the step before it came.
    """

    steps: Steps
    number: int
    reason: str


def _orders(rest: Steps) -> Iterator[Iterator[_Order]]:
    """First those in which the first step changes places with another, then those in which it
    comes later, then those in which another comes sooner."""
    first, *later = rest
    numbered = tuple(enumerate(later, start=1))
    yield (
        _Order(
            (step, *later[: n - 1], first, *later[n:]), n,
            f"{first.action} and {step.action} change places",
        )
        for n, step in numbered
    )  # fmt: skip
    yield (
        _Order((*later[:n], first, *later[n:]), n, f"{first.action} comes after {step.action}")
        for n, step in numbered
    )
    yield (
        _Order(
            (step, first, *later[: n - 1], *later[n:]), n,
            f"{step.action} comes before {first.action}",
        )
        for n, step in numbered
    )  # fmt: skip


def _bridge(broken: BrokenPlan, meant: Meant) -> tuple[float, Proposal | None]:
    """A bridge over a plan, with how many steps it adds or leaves out; None where none is found."""
    try:
        mended = Bridge(meant=meant).propose(broken)
    except SaySoError as error:
        if error.code is not Code.NO_PLAN:
            raise
        return inf, None
    was, now = (Counter(s.action for s in steps) for steps in (broken.rest, mended.steps))
    return ((was - now) + (now - was)).total(), mended


def _said_again(broken: BrokenPlan, mended: Proposal) -> bool:
    """Whether the step that failed is done more often than the plan says, in whatever way."""
    failed = broken.failure.action

    def times(steps: Steps) -> int:
        actions = (s.action for s in steps)
        return sum((a.skill, a.args[:1]) == (failed.skill, failed.args[:1]) for a in actions)

    return times(mended.steps) > times(broken.rest)


def _can_be_taken(steps: Iterable[PlanStep], broken: BrokenPlan) -> bool:
    """Whether all of some steps can be taken one after the other."""
    problem = broken.problem
    at = Situation.of(problem)
    for action in (step.action for step in steps):
        if at.lacks(broken.needs(action)) or (action.name, action.args) in problem.avoid:
            return False
        at = at.after(action, problem.task)
    return True
