"""An independent check of plans: replays each action against operators and specification.

It shares nothing with the planners but the meaning of atoms and of the specification, so that an
error in a planner cannot hide here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom, Plan
from sayso.logic.formula import Prop
from sayso.planning.problem import PlanningProblem

COST_TOLERANCE = 1e-6


def validate(plan: Plan, problem: PlanningProblem, *, to_the_end: bool = True) -> None:
    """Returns if every step may be taken and the whole satisfies the specification.

    Args:
        to_the_end: whether the task has to be done by the plan; else it must only not be broken,
            and be possible still.

    Raises:
        SaySoError: PLAN_INVALID naming the first step at fault, and why.
    """
    worlds = [_World(problem, assumed) for assumed in _assumptions(problem)]
    known = _Known(problem.initial, problem.unknown - problem.initial)
    for number, step in enumerate(plan.actions, start=1):
        where = f"step {number}, {step}, "
        action = _instance(step, problem, where)
        known = known.after(action, where)
        for world in worlds:
            world.take(action, where)
    for world in worlds if to_the_end else ():
        world.check_end()
    cost = sum(a.cost for a in plan.actions)
    if abs(cost - plan.cost) > COST_TOLERANCE * max(1.0, cost):
        raise _invalid(f"the plan says that it costs {plan.cost:g}, its steps cost {cost:g}.")


@dataclass(frozen=True)
class _Known:
    """What is known to be true, and what is not known."""

    true: frozenset[Atom]
    unknown: frozenset[Atom]

    def after(self, action: Action, where: str) -> _Known:
        for literal in sorted(action.preconditions):
            if literal.atom in self.unknown:
                raise _invalid(f"{where}needs {literal}, which is not known then.")
            if (literal.atom in self.true) != literal.positive:
                raise _invalid(f"{where}needs {literal}, which does not hold then.")
        after = action.apply(self.true)
        return _Known(after, self.unknown - action.delete - after)


class _World:
    """One way that the unknown propositions may be: a full state and the specification's."""

    def __init__(self, problem: PlanningProblem, assumed: frozenset[Atom]) -> None:
        self._task = problem.task
        self._props = [
            (p, Atom(p.predicate, tuple(map(str, p.args)))) for p in self._task.propositions
        ]
        self._state = problem.initial | assumed
        if problem.states is None:
            self._at = self._task.initial
            self._read(self._state, "what holds at the start ")
        else:
            self._at = problem.states

    def take(self, action: Action, where: str) -> None:
        """Read what is seen while the action runs, if it differs, and what holds after it."""
        *while_running, after = action.trace(self._state)
        for seen in while_running:
            if self._valuation(seen) != self._valuation(self._state):
                self._read(seen, where)
        self._read(after, where)
        self._state = after

    def check_end(self) -> None:
        if not self._task.is_done(self._at):
            raise _invalid("after the last step the task is not done.")

    def _valuation(self, state: frozenset[Atom]) -> frozenset[Prop]:
        return frozenset(p for p, atom in self._props if atom in state)

    def _read(self, state: frozenset[Atom], where: str) -> None:
        self._at = self._task.step(self._at, self._valuation(state))
        if not self._task.can_go_on(self._at):
            raise _invalid(f"{where}breaks the task.")


def _assumptions(problem: PlanningProblem) -> Iterator[frozenset[Atom]]:
    """Every choice of which unknown propositions are true."""
    atoms = {Atom(p.predicate, tuple(map(str, p.args))) for p in problem.task.propositions}
    unknown = sorted((atoms & problem.unknown) - problem.initial)
    for choice in product((False, True), repeat=len(unknown)):
        yield frozenset(a for a, chosen in zip(unknown, choice, strict=True) if chosen)


def _instance(action: Action, problem: PlanningProblem, where: str) -> Action:
    """The action as its operator has it among the things of the problem.

    One that came in a message does not know which these are, that it ends something of all alike.
    """
    operator = next((op for op in problem.domain.operators if op.name == action.name), None)
    if operator is None:
        raise _invalid(f"{where}is of no known operator.")
    if len(action.args) != len(operator.parameters):
        raise _invalid(f"{where}is not an instance of its operator.")
    whole = operator.ground(*action.args, objects=problem.objects)
    if action not in (whole, operator.ground(*action.args)):
        raise _invalid(f"{where}is not an instance of its operator.")
    for thing, types in zip(action.args, operator.types, strict=False):
        if not problem.may_be(thing, types):
            what = problem.vocabulary.described(types)
            kind = problem.categories[thing]
            raise _invalid(f"{where}needs {what}, which {thing} ({kind}) is not.")
    if strange := set(action.args) - set(problem.objects):
        raise _invalid(f"{where}is about '{min(strange)}', which is not in the scene.")
    if len(set(action.args)) < len(action.args):
        raise _invalid(f"{where}names one object twice.")
    if (action.name, action.args) in problem.avoid:
        raise _invalid(f"{where}was to be avoided.")
    return whole


def _invalid(message: str) -> SaySoError:
    return SaySoError(
        Code.PLAN_INVALID,
        message[0].upper() + message[1:],
        hint="nothing moved; plan again, or with another planner.",
    )
