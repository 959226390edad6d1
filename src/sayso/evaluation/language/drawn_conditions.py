"""Constructs of when, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sayso.evaluation.language.drawing import (
    PLACING,
    Construct,
    Draw,
    Drawn,
    never_put,
    state_of,
    states_of,
)
from sayso.evaluation.language.meanings import (
    Facts,
    If,
    NotUntil,
    Open,
    State,
    Times,
    Whenever,
)
from sayso.evaluation.language.phrases import Phrase


def _if(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return If(state_of(s), a.goal(d.drives)), {"s": s, "a": a}


def _if_several(d: Draw) -> Drawn:
    (s, state), a = _about_several(d), d.goal()
    return If(state, a.goal(d.drives)), {"s": s, "a": a}


def _whenever_several(d: Draw) -> Drawn:
    (s, state), a = _about_several(d), d.goal()
    return Whenever(state, a.goal(d.drives)), {"s": s, "a": a}


def _not_until_all(d: Draw) -> Drawn:
    (s, state), f = _about_several(d), d.ban()
    return NotUntil(states_of(f), state), {"s": s, "f": f}


def _about_several(d: Draw) -> tuple[Phrase, State]:
    """All of a group are somewhere, one of them is, or none."""
    how: Literal["all", "any", "none"] = d.rng.choice(("all", "any", "none"))
    s = d.phrase(PLACING, d.described(how, d.group(2)))
    return s, Facts(states_of(s), how)


def _if_both(d: Draw) -> Drawn:
    s, t, a = d.condition(), d.condition(), d.goal()
    both = Facts((state_of(s), state_of(t)))
    return If(both, a.goal(d.drives)), {"s": s, "t": t, "a": a}


def _if_either(d: Draw) -> Drawn:
    s, t, a = d.condition(), d.condition(), d.goal()
    either = Facts((state_of(s), state_of(t)), "any")
    return If(either, a.goal(d.drives)), {"s": s, "t": t, "a": a}


def _if_otherwise(d: Draw) -> Drawn:
    s, a, b = d.condition(), d.goal(), d.goal()
    meaning = If(state_of(s), a.goal(d.drives), b.goal(d.drives))
    return meaning, {"s": s, "a": a, "b": b}


def _unless(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return If(state_of(s, true=False), a.goal(d.drives)), {"s": s, "a": a}


def _only_if(d: Draw) -> Drawn:
    """Otherwise it may be forbidden, or just not asked for."""
    s, a = d.condition(), d.goal()
    goal = a.goal(d.drives)
    options = (If(state_of(s), goal), If(state_of(s), goal, never_put(d, a)))
    return Open("only if", options), {"s": s, "a": a}


def _whenever(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Whenever(state_of(s), a.goal(d.drives)), {"s": s, "a": a}


def _as_soon_as(d: Draw) -> Drawn:
    s, a = d.condition(), d.goal()
    return Whenever(state_of(s), a.goal(d.drives), once=True), {"s": s, "a": a}


def _counted(d: Draw) -> Phrase:
    return d.phrase(("go", "pick") if d.drives else ("touch", "open"))


def _twice(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((2, 3))
    state = state_of(a)
    how = Open("twice", (Times(state, n, "at least"), Times(state, n, "exactly")))
    return how, {"a": a, "n": d.words["times"][n]}


def _exactly_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((1, 2, 3))
    return Times(state_of(a), n, "exactly"), {"a": a, "n": d.words["times"][n]}


def _at_least_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), 2
    return Times(state_of(a), n, "at least"), {"a": a, "n": d.words["times"][n]}


def _at_most_so_often(d: Draw) -> Drawn:
    a, n = _counted(d), d.rng.choice((1, 2))
    return Times(state_of(a), n, "at most"), {"a": a, "n": d.words["times"][n]}


CONSTRUCTS: Mapping[str, Construct] = {
    "if": _if, "if, several": _if_several, "if both": _if_both, "if either": _if_either,
    "if, otherwise": _if_otherwise, "unless": _unless, "if not": _unless, "only if": _only_if,
    "whenever": _whenever, "whenever, several": _whenever_several, "not until all": _not_until_all,
    "as soon as": _as_soon_as, "twice": _twice, "exactly so often": _exactly_so_often,
    "at least so often": _at_least_so_often, "at most so often": _at_most_so_often,
}  # fmt: skip
