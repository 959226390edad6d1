"""Edits of a task's formula: another thing, a step elsewhere, a thing left out.

What is not clear, or would change more than was asked for, is refused (NOT_UNDERSTOOD).
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.language.events import Sequence, State, achieve
from sayso.logic.english import describe
from sayso.logic.formula import (
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Referent,
    Relation,
    Top,
    Until,
    WeakNext,
    conjunction,
    conjuncts,
    disjunction,
    map_referents,
    propositions,
    referents_of,
    walk,
)
from sayso.logic.progression import is_endless

_MOMENTARY = (Prop, Not, And, Or, Top, Bottom)
_ANEW = "say the whole instruction in the new order."


@dataclass(frozen=True)
class Steps:
    """A task taken apart.

    `F(a & F(b)) & G(c)` has the steps a, b in order and the rest `G(c)`; `F(a) & F(b)` has the
    steps a, b in no order. `F(a & b)` has them too, in the order in which they are written.
    """

    steps: tuple[Formula, ...]
    rest: tuple[Formula, ...]
    ordered: bool

    @staticmethod
    def of(formula: Formula) -> Steps:
        members = conjuncts(formula)
        tasks = [m.arg for m in members if isinstance(m, Eventually)]
        rest = tuple(m for m in members if not isinstance(m, Eventually))
        if len(tasks) != 1:
            return Steps(tuple(tasks), rest, False)
        steps = _spine(tasks[0])
        if len(steps) == 1 and isinstance(steps[0], And):
            return Steps(steps[0].args, rest, True)
        return Steps(steps, rest, True)

    @property
    def endless(self) -> bool:
        """Whether something is to happen again and again, so that nothing comes after all."""
        return any(map(is_endless, self.rest))


def _spine(body: Formula) -> tuple[Formula, ...]:
    if isinstance(body, And) and isinstance(body.args[-1], Eventually):
        return (conjunction(*body.args[:-1]), *_spine(body.args[-1].arg))
    if isinstance(body, Eventually):
        return _spine(body.arg)
    return (body,)


def chain(steps: Seq[Formula]) -> Formula:
    """One step after the other."""
    return achieve(Sequence(tuple(State(s) for s in steps)))


def is_about(part: Formula, thing: Referent) -> bool:
    """Whether a proposition is about the thing itself, not only about something next to it."""
    return any(thing in p.args for p in propositions(part))


# -- another thing ------------------------------------------------------------------------


def replaced(formula: Formula, old: Referent, new: Referent) -> Formula:
    """The formula about another thing, landmarks included."""
    return map_referents(formula, lambda r: new if r == old else _inside(r, old, new))


def _inside(referent: Referent, old: Referent, new: Referent) -> Referent:
    relations = tuple(
        Relation(r.comparator, tuple(new if o == old else _inside(o, old, new) for o in r.others))
        for r in referent.relations
    )
    return replace(referent, relations=relations)


# -- another order ------------------------------------------------------------------------


def moved(formula: Formula, pivot: Referent, subject: Referent | None, *, after: bool) -> Formula:
    """The steps about the subject after, or before, those about the pivot.

    Without a subject it is the one thing that stands on the wrong side of the pivot, or the only
    other one where the steps have no order yet.
    """
    task = Steps.of(formula)
    _require_plain(task)
    held = [s for s in task.steps if is_about(s, pivot)]
    if not held:
        raise _unclear(f"no step is about {describe(pivot)}.")
    moving = _moving(task, held, subject, after)
    for clause in task.rest:
        ordering = not isinstance(clause, Always) and is_about(clause, pivot)
        if ordering and any(is_about(clause, thing) for thing in _things(moving)):
            raise _unclear("a rule about the order of these says otherwise.")
    pair = [*held, *moving] if after else [*moving, *held]
    if not task.ordered:
        others = [Eventually(s) for s in task.steps if s not in pair]
        return conjunction(chain(pair), *others, *task.rest)
    left = [s for s in task.steps if s not in moving]
    at = left.index(held[-1]) + 1 if after else left.index(held[0])
    return conjunction(chain([*left[:at], *moving, *left[at:]]), *task.rest)


def _require_plain(task: Steps) -> None:
    plain = all(isinstance(f, _MOMENTARY) for s in task.steps for f in walk(s))
    if len(task.steps) < 2 or not plain or len(set(task.steps)) < len(task.steps):
        raise _unclear("these steps cannot be put in another order one by one.")


def _moving(
    task: Steps, held: list[Formula], subject: Referent | None, after: bool
) -> list[Formula]:
    if subject is not None:
        moving = [s for s in task.steps if is_about(s, subject) and s not in held]
        if not moving:
            raise _unclear(f"no other step is about {describe(subject)}.")
        return moving
    first, last = task.steps.index(held[0]), task.steps.index(held[-1])
    wrong = task.steps[:first] if after else task.steps[last + 1 :]
    moving = [s for s in task.steps if s not in held] if not task.ordered else list(wrong)
    if not moving:
        raise _unclear("that is the order already.")
    if not set.intersection(*({p.args[:1] for p in propositions(s)} for s in moving)):
        raise _unclear("it is not clear which step is meant.")
    return moving


def _things(steps: Seq[Formula]) -> set[Referent]:
    return {r for s in steps for r in referents_of(s)}


# -- a thing left out ---------------------------------------------------------------------


def without(formula: Formula, thing: Referent) -> Formula:
    """The task without every step and every rule that is about the thing.

    What would forbid more than before is not made: of "never hold the toy near the cat" nothing
    is left without the cat. Of alternatives the others are left.
    """
    if not is_about(formula, thing):
        raise _unclear(
            f"{describe(thing)} only says where another thing is.",
            "say which thing you mean, in other words.",
        )
    left = _without(formula, thing)
    if left is None:
        raise _unclear(
            f"nothing would be left without {describe(thing)}.", "say no, or a new task."
        )
    return left


def _without(formula: Formula, thing: Referent) -> Formula | None:
    """None where nothing is left."""
    match formula:
        case _ if not is_about(formula, thing):
            return formula
        case And(args):
            kept = [k for a in args if (k := _without(a, thing)) is not None]
            return conjunction(*kept) if kept else None
        case Or(args):
            kept = [k for a in args if (k := _without(a, thing)) is not None]
            conditional = any(isinstance(a, Not) and is_about(a, thing) for a in args)
            return None if conditional or not kept else disjunction(*kept)
        case Not(Or(args)):
            kept = [a for a in args if not is_about(a, thing)]
            return Not(disjunction(*kept)) if kept else None
        case Eventually(a) | Always(a) | Next(a) | WeakNext(a):
            inner = _without(a, thing)
            if inner is None or (isinstance(formula, Eventually) and isinstance(inner, Eventually)):
                return inner
            return type(formula)(inner)
        case Until(left, right):
            return _without_in_until(left, right, thing)
        case Prop() | Not():
            return None
        case _:
            raise _unclear(f"{describe(thing)} cannot be left out of this rule alone.")


def _without_in_until(left: Formula, right: Formula, thing: Referent) -> Formula | None:
    if not is_about(right, thing):
        kept = _without(left, thing)
        return Eventually(right) if kept is None else Until(kept, right)
    if _without(right, thing) is not None:
        raise _unclear(f"a rule holds until more than {describe(thing)} is reached.")
    return None


def _unclear(cause: str, hint: str = _ANEW) -> SaySoError:
    return SaySoError(Code.NOT_UNDERSTOOD, cause, hint=hint)
