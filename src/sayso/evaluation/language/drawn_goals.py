"""Constructs of what is to be done: single goals, orders, alternatives."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.evaluation.language.drawing import Construct, Draw, Drawn, goals_of, state_of, states_of
from sayso.evaluation.language.meanings import (
    Both,
    Either,
    Facts,
    Finally,
    Goal,
    HoldUntil,
    Never,
    NotUntil,
    Open,
    Ordered,
    Whenever,
)
from sayso.evaluation.language.phrases import Noun, Phrase, listed


def _actions(d: Draw, count: int) -> list[Phrase]:
    return [d.goal() for _ in range(count)]


def _goal(d: Draw) -> Drawn:
    a = d.goal()
    return a.goal(d.drives), {"a": a}


def _reason(d: Draw) -> Drawn:
    """What is said after "because" asks for nothing."""
    a, s = d.goal(), d.condition()
    return a.goal(d.drives), {"a": a, "s": s}


def _wish(d: Draw) -> Drawn:
    a = d.goal()
    return Open("wish", (a.goal(d.drives), Finally(state_of(a)))), {"a": a}


def _make_sure(d: Draw) -> Drawn:
    """A state to be left behind, or as good as that: brought about."""
    s = d.condition()
    return Open("wish", (Finally(state_of(s)), s.goal(d.drives))), {"s": s}


def _then(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Ordered(goals_of(d, a, b)), {"a": a, "b": b}


def _once_you_have(d: Draw) -> Drawn:
    """What has to be done first, or what may come to be done."""
    a, b = _actions(d, 2)
    goals = goals_of(d, a, b)
    states = (state_of(a), *([goals[0].beside] if goals[0].beside else []))
    whenever = tuple(Whenever(state, goals[1], once=True) for state in states)
    return Open("once", (Ordered(goals), *whenever)), {"a": a, "b": b}


def _then_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Ordered(goals_of(d, a, b, c)), {"a": a, "b": b, "c": c}


def _and(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Both(goals_of(d, a, b)), {"a": a, "b": b}


def _and_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Both(goals_of(d, a, b, c)), {"a": a, "b": b, "c": c}


def _shared_verb(d: Draw) -> Drawn:
    """ "Put the mug on the plate and the block on the tray"."""
    a, b = d.phrase(("put_on",)), d.phrase(("put_on",))
    fields = {"a": a, "z": b.x.text, "w": b.y.text if b.y else ""}
    return Both(goals_of(d, a, b)), fields


def _or(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Either(goals_of(d, a, b)), {"a": a, "b": b}


def _or_three(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Either(goals_of(d, a, b, c)), {"a": a, "b": b, "c": c}


def _goal_or_never(d: Draw) -> Drawn:
    a, f = d.goal(), d.ban()
    return Either((a.goal(d.drives), Never(states_of(f)))), {"a": a, "f": f}


def _instead_of_doing(d: Draw) -> Drawn:
    """What is done instead may be forbidden, or just not asked for."""
    a, f = d.goal(), d.ban()
    goal = a.goal(d.drives)
    return Open("instead", (goal, Both((goal, Never(states_of(f)))))), {"a": a, "f": f}


def _before(d: Draw) -> Drawn:
    a, b = _actions(d, 2)
    return Ordered(goals_of(d, a, b), held_back=1), {"a": a, "b": b}


def _not_before_and_goal(d: Draw) -> Drawn:
    """Beside a place counts as put there, or does not."""
    a, b = _actions(d, 2)
    first, goal = goals_of(d, a, b)
    never = NotUntil((goal.state,), first.state)
    beside = NotUntil((goal.beside or goal.state,), first.beside or first.state)
    return Both((goal, Open("put", (never, beside)))), {"a": a, "b": b}


def _later_before(d: Draw) -> Drawn:
    """ "X. A before B": from the start on, B is kept for what comes after X and A."""
    x, a, b = _actions(d, 3)
    return Ordered(goals_of(d, x, a, b), held_back=2), {"x": x, "a": a, "b": b}


def _before_any(d: Draw) -> Drawn:
    group = d.described("any", d.visited_group())
    b, a = d.going(group), d.goal()
    meaning = Ordered((a.goal(d.drives), Either(b.goals(d.drives))), held_back=1)
    return meaning, {"a": a, "b": b}


def _before_all(d: Draw) -> Drawn:
    """Each of the group is kept for afterwards."""
    b, a = d.going(d.described("all", d.visited_group())), d.goal()
    first = a.goal(d.drives)
    each = tuple(Ordered((first, goal), held_back=1) for goal in b.goals(d.drives))
    return Both(each), {"a": a, "b": b}


def _in_that_order(d: Draw) -> Drawn:
    x, goals = _places_in_turn(d)
    return Ordered(goals), {"a": x}


def _in_exact_order(d: Draw) -> Drawn:
    x, goals = _places_in_turn(d)
    return Ordered(goals, held_back=1), {"a": x}


def _places_in_turn(d: Draw) -> tuple[Phrase, tuple[Goal, ...]]:
    a, b = d.going(), d.going()
    both = Phrase(d.rng, a.verb, listed([a.x, b.x], "and"))
    return both, both.goals(d.drives)


def _ending_at(d: Draw) -> Drawn:
    a, b = d.goal(), d.phrase(("go",))
    return Ordered(goals_of(d, a, b)), {"a": a, "y": b.x.text}


def _by_way_of(d: Draw) -> Drawn:
    a, b = d.phrase(("go",)), d.phrase(("go",))
    return Ordered(goals_of(d, b, a)), {"a": a, "y": b.x.text}


def _put_in_front(d: Draw) -> Drawn:
    a, b, c = _actions(d, 3)
    return Ordered(goals_of(d, c, a, b)), {"a": a, "b": b, "c": c}


def _while_holding(d: Draw) -> Drawn:
    """Held when it gets there, at least."""
    a, h = d.phrase(("go",)), d.phrase(("pick",))
    return Goal(Facts((state_of(a), state_of(h)))), {"a": a, "x": h.x.text}


def _hold_until(d: Draw) -> Drawn:
    h, s = d.phrase(("pick",)), d.condition()
    held = HoldUntil(state_of(h), state_of(s))
    return held, {"x": h.x.text, "s": s}


def _for_me(d: Draw) -> Drawn:
    a = d.phrase(("bring",))
    return a.goal(d.drives), {"x": a.x.text, "y": a.y.text if a.y else ""}


def _inside(d: Draw) -> Drawn:
    """ "Open the drawer and put the mug inside"."""
    a, b = _opened_and_filled(d)
    return Both(goals_of(d, a, b)), {"a": a, "x": b.x.text}


def _then_inside(d: Draw) -> Drawn:
    a, b = _opened_and_filled(d)
    return Ordered(goals_of(d, a, b)), {"a": a, "x": b.x.text}


def _opened_and_filled(d: Draw) -> tuple[Phrase, Phrase]:
    drawer = d.noun(d.kinds.opened)
    filled = Phrase(d.rng, "put_in", d.noun(d.kinds.carried), drawer)
    return Phrase(d.rng, "open", drawer), filled


def _there(d: Draw) -> Drawn:
    """ "Go to the desk and put the mug there"."""
    a, b = _two_there(d)
    return Both(goals_of(d, a, b)), {"a": a, "x": b.x.text}


def _then_there(d: Draw) -> Drawn:
    a, b = _two_there(d)
    return Ordered(goals_of(d, a, b)), {"a": a, "x": b.x.text}


def _two_there(d: Draw) -> tuple[Phrase, Phrase]:
    """Where nobody drives, another thing was put there before."""
    if d.drives:
        place = d.noun(("desk", "bed", "sofa"))
        a, verb = Phrase(d.rng, "go", place), "bring"
    else:
        a, verb = d.phrase(("put_on",)), "put_on"
        place = a.y or Noun("", ())
    return a, Phrase(d.rng, verb, d.noun(d.kinds.carried), place)


CONSTRUCTS: Mapping[str, Construct] = {
    "goal": _goal, "wish": _wish, "polite": _goal, "reason": _reason, "make sure": _make_sure,
    "finally": _make_sure, "then": _then, "then three": _then_three,
    "once you have": _once_you_have, "and": _and, "and three": _and_three,
    "shared verb": _shared_verb, "or": _or, "or three": _or_three, "goal or never": _goal_or_never,
    "instead of doing": _instead_of_doing, "before": _before, "only after": _before,
    "later, before": _later_before,
    "not before, and a goal": _not_before_and_goal, "before any": _before_any,
    "before all": _before_all, "in that order": _in_that_order,
    "in that exact order": _in_exact_order,
    "put in front": _put_in_front, "hold until": _hold_until, "there": _there,
    "then there": _then_there,
}  # fmt: skip
ON_A_TABLE: Mapping[str, Construct] = {"inside": _inside, "then inside": _then_inside}
IN_A_FLAT: Mapping[str, Construct] = {
    "ending at": _ending_at, "by way of": _by_way_of, "while holding": _while_holding,
    "for me": _for_me,
}  # fmt: skip
