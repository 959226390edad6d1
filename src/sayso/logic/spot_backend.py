"""From a formula to a deterministic automaton with Spot, where its Python module is installed.

Spot reads LTLf through an extra proposition "alive" (De Giacomo and Vardi 2013, section 4),
which `to_finite` removes again. Its strong next is written `X[!]`, its weak next `X`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.logic.determinise import Draft, minimise
from sayso.logic.diagrams import FALSE, TRUE, Diagrams, leaf
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

_ONE_AT_A_TIME = threading.Lock()  # Spot's decision diagrams are one table for the process


def available() -> bool:
    """Whether Spot's Python module is installed."""
    return find_spec("spot") is not None


def determinise(formula: Formula, index: Mapping[Prop, int]) -> Draft:
    """A minimal automaton for the formula; `index` orders the propositions.

    Raises:
        SaySoError: MISSING_DEPENDENCY without Spot.
    """
    try:
        spot = import_module("spot")
        buddy = import_module("buddy")  # comes with spot, which puts it on the path
    except ModuleNotFoundError as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            "the automaton backend 'spot' needs the module 'spot', which is not installed.",
            hint="pip install spottl, or choose the backend 'python'.",
        ) from error
    with _ONE_AT_A_TIME:
        infinite = spot.from_ltlf(_to_spot(formula, index))
        graph = spot.to_finite(spot.translate(infinite, "buchi", "sbacc", "deterministic"))
        return minimise(_Reader(spot, buddy, graph).draft())


def _to_spot(formula: Formula, index: Mapping[Prop, int]) -> str:
    """The formula in Spot's syntax, with the proposition number i as `pi`."""

    def text(f: Formula) -> str:
        return _to_spot(f, index)

    match formula:
        case Top():
            return "1"
        case Bottom():
            return "0"
        case Prop():
            return f"p{index[formula]}"
        case Not(a):
            return f"!{text(a)}"
        case And(args):
            return f"({' & '.join(('1', *map(text, args)))})"
        case Or(args):
            return f"({' | '.join(('0', *map(text, args)))})"
        case Next(a):
            return f"(X[!] {text(a)})"
        case WeakNext(a):
            return f"(X {text(a)})"
        case Eventually(a):
            return f"(F {text(a)})"
        case Always(a):
            return f"(G {text(a)})"
        case Until(left, right):
            return f"({text(left)} U {text(right)})"
        case Release(left, right):
            return f"({text(left)} R {text(right)})"
        case Quantified():
            raise not_grounded(formula)


class _Reader:
    """Copies a deterministic Spot automaton: state 0 a start that cannot end, then Spot's."""

    def __init__(self, spot: Any, buddy: Any, graph: Any) -> None:
        if not spot.is_deterministic(graph):
            raise SaySoError(Code.UNSUPPORTED, "Spot found no deterministic automaton.")
        self.buddy = buddy
        self.graph = graph
        self.letters = Diagrams()
        self.variables = {graph.register_ap(p): int(p.ap_name()[1:]) for p in graph.ap()}
        self._guards: dict[int, int] = {}
        self._memo: dict[tuple[int, int], int] = {}

    def draft(self) -> Draft:
        trap = self.graph.num_states() + 1
        roots = [self.root(s, trap) for s in range(trap - 1)]
        accepting = [bool(self.graph.state_is_accepting(s)) for s in range(trap - 1)]
        start = roots[self.graph.get_init_state_number()]
        return Draft(self.letters, (start, *roots, leaf(trap)), (False, *accepting, False))

    def root(self, state: int, trap: int) -> int:
        """The diagram of a state's edges; letters without an edge lead to the trap."""
        root = leaf(trap)
        for edge in self.graph.out(state):
            root = self.where(self.guard(edge.cond), leaf(edge.dst + 1), root)
        return root

    def guard(self, cond: Any) -> int:
        """Spot's Boolean diagram in our table, whatever the order of its variables."""
        if cond == self.buddy.bddfalse:
            return FALSE
        if cond == self.buddy.bddtrue:
            return TRUE
        done = self._guards.get(cond.id())
        if done is None:
            test = self.letters.literal(self.variables[self.buddy.bdd_var(cond)])
            low, high = self.buddy.bdd_low(cond), self.buddy.bdd_high(cond)
            done = self.where(test, self.guard(high), self.guard(low))
            self._guards[cond.id()] = done
        return done

    def where(self, test: int, then: int, otherwise: int) -> int:
        """`then` where the Boolean diagram `test` is true, `otherwise` elsewhere."""
        if test < 0 or then == otherwise:
            return then if test == TRUE else otherwise
        v = self.letters.top((test, then, otherwise))
        (t0, t1), (a0, a1), (b0, b1) = (
            self.letters.cofactors(v, d) for d in (test, then, otherwise)
        )
        return self.letters.node(v, self.where(t0, a0, b0), self.where(t1, a1, b1))
