"""Repairs of a plan that met a failure: what to do instead of the rest of it.

What failed (`BrokenPlan`), what is proposed (`Proposal`) and who proposes (`Repairer`), with what
several of these judge of the step that failed. Whoever takes a proposal has it validated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sayso.core.errors import Code
from sayso.core.failure import Failure
from sayso.core.symbols import Action, Literal, PlanStep, SymbolicState
from sayso.logic.monitor import prop_atom
from sayso.planning.achieving import Situation
from sayso.planning.problem import PlanningProblem

Steps: TypeAlias = tuple[PlanStep, ...]
Meant: TypeAlias = Callable[[Steps], Steps]
"""Each step of a plan as the action that it is from the present state on."""


@dataclass(frozen=True)
class BrokenPlan:
    """A plan in which a step failed, and the world as it was observed after that.

    Attributes:
        rest: what was still to be done; the step that failed comes first.
        problem: the observed state, all that remains of the task, and what may be used.
        done: what was carried out of the plan before.
        seen: what was observed before each of these, and now; empty where nobody kept it.
    """

    failure: Failure
    rest: tuple[PlanStep, ...]
    problem: PlanningProblem
    done: tuple[Action, ...] = ()
    seen: tuple[SymbolicState, ...] = ()

    def needs(self, action: Action) -> frozenset[Literal]:
        """What an action needs beforehand; of the one that could not begin what it lacked, too,
        which may be about the now."""
        failure = self.failure
        if failure.code is not Code.PRECONDITION or action != failure.action:
            return action.preconditions
        return action.preconditions.union(failure.literals)


@dataclass(frozen=True)
class Proposal:
    """What to do from here on in place of the rest of a plan.

    Attributes:
        reason: why, a clause in English.
        keeps_plan: whether it is the plan still, mended.
        looks: whether it only finds out what is to be known before the failure can be judged.
    """

    steps: tuple[PlanStep, ...]
    reason: str
    keeps_plan: bool = False
    looks: bool = False


class Repairer(Protocol):
    """Proposes how to go on.

    Attributes:
        name: what it is called in reports.
    """

    name: str

    def propose(self, broken: BrokenPlan) -> Proposal:
        """What to do instead.

        Raises:
            SaySoError: NO_PLAN or another of `NO_PROPOSAL` where it knows nothing, saying why.
        """
        ...


NO_PROPOSAL = frozenset(
    {
        Code.NO_PLAN,
        Code.PLAN_TIMEOUT,
        Code.PLAN_INVALID,
        Code.UNSUPPORTED,
        Code.NOT_UNDERSTOOD,
        Code.MODEL_UNAVAILABLE,
        Code.MODEL_TIMEOUT,
        Code.MODEL_REPLY,
    }
)
"""After these the next repairer is asked; others, such as CANCELLED or STALE, end the task."""


def effects_of(action: Action) -> frozenset[Literal]:
    """What holds after an action by its doing."""
    added = {Literal(a) for a in action.add}
    return frozenset(added | {Literal(a, False) for a in action.delete - action.add})


def is_done(action: Action, at: Situation, problem: PlanningProblem) -> bool:
    """Whether an action would change nothing, nor show meanwhile what the task speaks of."""
    effects = effects_of(action)
    shown = action.during.intersection(map(prop_atom, problem.task.propositions))
    return bool(effects) and not shown and not at.lacks(effects)


def is_over(action: Action, lacking: frozenset[Literal], problem: PlanningProblem) -> bool:
    """Whether an action that has its effects lacks something because of them, or nothing at all."""
    ended = {Literal(x.atom, not x.positive) for x in effects_of(action)}
    avoided = (action.name, action.args) in problem.avoid
    return avoided or not lacking or bool(lacking & ended)


def is_pointless(broken: BrokenPlan) -> bool:
    """Whether the step that failed would end what never held since the plan began.

    Nobody says so, unless they forgot to say what brings it about, or do not know how things stand.
    """
    action = broken.failure.action
    ended = {Literal(x.atom, not x.positive) for x in effects_of(action)}
    over = ended & Situation.of(broken.problem).lacks(broken.needs(action))
    seen = broken.seen if broken.done else ()
    return bool(over and seen) and not any(state.holds(x) for state in seen for x in over)
