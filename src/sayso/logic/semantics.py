"""What a formula means: its truth on one finite trace, straight from the definition.

This is the reference that automata are tested against (De Giacomo and Vardi, "Linear temporal
logic and linear dynamic logic on finite traces", IJCAI 2013, section 2).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sayso.core.errors import Code, SaySoError
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
    Quantified,
    Release,
    Top,
    Until,
    WeakNext,
    not_grounded,
)

Trace = Sequence[Collection[Prop]]
"""The propositions that are true at each step; all others are false."""


def satisfies(formula: Formula, trace: Trace) -> bool:
    """Whether a trace satisfies a formula. Raises INVALID for an empty trace."""
    if not trace:
        raise SaySoError(Code.INVALID, "a trace has at least one step, this one has none.")
    return _holds(formula, trace)[0]


def _holds(formula: Formula, trace: Trace) -> list[bool]:
    """The formula's truth at every step of the trace."""
    match formula:
        case Top():
            return [True] * len(trace)
        case Bottom():
            return [False] * len(trace)
        case Prop():
            return [formula in step for step in trace]
        case Not(a):
            return [not now for now in _holds(a, trace)]
        case And(args):
            return [all(now) for now in _columns(args, trace)]
        case Or(args):
            return [any(now) for now in _columns(args, trace)]
        case Next(a):
            return [*_holds(a, trace)[1:], False]
        case WeakNext(a):
            return [*_holds(a, trace)[1:], True]
        case Eventually(a):
            return _until([True] * len(trace), _holds(a, trace))
        case Always(a):
            return _release([False] * len(trace), _holds(a, trace))
        case Until(left, right):
            return _until(_holds(left, trace), _holds(right, trace))
        case Release(left, right):
            return _release(_holds(left, trace), _holds(right, trace))
        case Quantified():
            raise not_grounded(formula)


def _columns(formulas: Sequence[Formula], trace: Trace) -> list[tuple[bool, ...]]:
    rows = [_holds(f, trace) for f in formulas]
    return [tuple(row[i] for row in rows) for i in range(len(trace))]


def _until(left: list[bool], right: list[bool]) -> list[bool]:
    later, result = False, []
    for keeps, arrives in zip(reversed(left), reversed(right), strict=True):
        later = arrives or (keeps and later)
        result.append(later)
    return result[::-1]


def _release(left: list[bool], right: list[bool]) -> list[bool]:
    later, result = True, []
    for frees, keeps in zip(reversed(left), reversed(right), strict=True):
        later = keeps and (frees or later)
        result.append(later)
    return result[::-1]
