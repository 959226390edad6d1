"""Meanings of the grammar's alternatives for rules: what is kept, and what never is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sayso.language.clause_makers import do, fact_of
from sayso.language.meaning import (
    AT_ONCE,
    AT_ONE_TIME,
    BOTH_AT_ONCE,
    ActState,
    At,
    Bound,
    Condition,
    Do,
    Fact,
    Keep,
    Never,
    NeverState,
    NothingBut,
    NumberOf,
    Several,
    Tail,
    Thing,
    Things,
)
from sayso.language.thing_makers import (
    are_several,
    is_number,
    is_whole,
    names_none,
    what_is_denied,
    whole,
)


def _keep(at: At, things: Things, being: Any, limit: Bound | None = None) -> Keep | None:
    if names_none(things):
        return None  # "no block must stay on the plate": see `_none_left`
    fact = fact_of(at, things, being)
    assert fact is not None
    return Keep(Condition((fact,), "", at), limit, at)


def _not_leave(at: At, things: Things, left: Any, limit: Bound | None = None) -> Keep | None:
    """ "the mug must not leave the table": it stays on it."""
    return _keep(at, things, left, limit) if left[1] else None


def _keep_doing(at: At, act: Do, limit: Bound | None = None) -> Keep:
    return Keep(Condition((ActState(act),), "", at), limit, at)


def stay_near(at: At, things: Things, until: Bound) -> Keep:
    """ "stay near the sofa until the door is closed", where the library knows to be near."""
    return _keep_doing(at, Do("be near", "doing", things, (), at), until)


def _keep_state(at: At, state: Fact, limit: Bound | None = None) -> Keep:
    return Keep(Condition((state,), "", at), limit, at)


def _always_state(at: At, state: Condition) -> Keep:
    return Keep(state, None, at)


def _never(at: At, acts: Several, limit: Bound | None = None) -> Never:
    (act, *more) = acts.members
    if not more and act.things is not None:
        things, limit = _so_many_at_once(act.things, limit)
        acts = replace(acts, members=(replace(act, things=things),))
    return Never(acts, limit, at)


def _never_again(at: At, acts: Several) -> Never:
    return _never(at, acts, Bound("again", at=at))


def _one_at_a_time(at: At, verb: str, noun: str = "") -> Never:
    """ "only hold one at a time": never two of what was spoken of."""
    two = Thing(NumberOf(2, "at least"), (), noun, True, at=at)
    return Never(Several((do(at, verb, Things((two,), at=at)),)), at=at)


def _so_many_at_once(things: Things, limit: Bound | None) -> tuple[Things, Bound | None]:
    """ "never two blocks at once": never two or more."""
    (thing, *more) = things.members
    at_once = limit is not None and limit.kind in AT_ONE_TIME
    if not at_once or more or not isinstance(thing, Thing):
        return things, limit
    number = thing.determiner
    if not isinstance(number, NumberOf) or number.limit or number.definite or number.number < 2:
        return things, limit
    if limit is not None and limit.kind == BOTH_AT_ONCE and number.number != 2:
        return things, limit
    more_of = replace(thing, determiner=replace(number, limit="at least"))
    return replace(things, members=(more_of,)), None


def _never_state(
    at: At, things: Things, being: Any, limit: Bound | None = None, every: str = ""
) -> NeverState | None:
    """With "both" or "all" after the things: not all of them at once."""
    if every and (limit is not None or not are_several(things)):
        return None
    if every:
        things, limit = whole(things, every), Bound(AT_ONCE, at=at)
    things, limit = _so_many_at_once(things, limit)
    fact = fact_of(at, things, being)
    return NeverState(fact, limit, at) if fact and fact.positive else None


def _not_all_of_them(at: At, things: Things, being: Any) -> NeverState | None:
    """ "not all of the blocks should end up in the bowl": never all of them at once."""
    if not any(map(is_whole, things.members)):
        return None
    fact = fact_of(at, things, being)
    return NeverState(fact, Bound(AT_ONCE, at=at), at) if fact and fact.positive else None


def _never_done(
    at: At, things: Things, verb: str, tails: tuple[Tail, ...] | None = None,
    limit: Bound | None = None, every: str = "",
) -> Never | None:  # fmt: skip
    if verb == "leave":
        return None  # what may not be left somewhere is a state of the end
    if every and (limit is not None or not are_several(things)):
        return None
    if every:
        things, limit = whole(things, every), Bound(AT_ONCE, at=at)
    do = Do(verb, "done", things, tails or (), at)
    return Never(Several((do,)), limit, at)


def _not_left(at: At, things: Things, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "the mug must not stay on the plate": it may be there at first."""
    return _never_state(at, things, being, limit or Bound("finally", at=at))


def _none_is(at: At, things: Things, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "no block may be on the plate", "at most one block on the plate"."""
    denied = what_is_denied(things)
    return None if denied is None else _never_state(at, denied, being, limit)


def _none_left(at: At, things: Things, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "no block may stay on the plate"."""
    denied = what_is_denied(things)
    return None if denied is None else _not_left(at, denied, being, limit)


def none_done(
    at: At, things: Things, verb: str, tails: tuple[Tail, ...] | None = None,
    limit: Bound | None = None,
) -> Never | None:  # fmt: skip
    """ "none of the blocks may be touched"."""
    denied = what_is_denied(things)
    return None if denied is None else _never_done(at, denied, verb, tails, limit)


def _none_leave(at: At, things: Things, left: Any, limit: Bound | None = None) -> Keep | None:
    """ "none of the blocks may leave the table"."""
    denied = what_is_denied(things)
    if denied is None or any(is_number(t) for t in denied.members):
        return None
    every = tuple(replace(t, determiner="all") if isinstance(t, Thing) and t.determiner == "any"
                  else t for t in denied.members)  # fmt: skip
    return _not_leave(
        at, replace(denied, members=every, joiner="and" * (len(every) > 1)), left, limit
    )


def _holding(at: At, things: Things) -> Several:
    """ "while carrying the mug"."""
    return Several((Do("hold", "doing", things, (), at),))


def _nothing_but(
    at: At, verb: str, things: Things, tails: tuple[Tail, ...] | None = None
) -> NothingBut:
    return NothingBut(verb, "", things, tails or (), at)


def _nothing_is(
    at: At, things: Things, being: Any, limit: Bound | None = None
) -> NeverState | None:
    """ "only the mug may be on the plate"; "only one block" is a number."""
    if any(is_number(t) or (isinstance(t, Thing) and t.determiner == "a") for t in things.members):
        return None
    apart = replace(things, marker="") if things.members else None
    everything = Thing("all", (), "thing", True, (), apart, at=at)
    found = _never_state(at, Things((everything,), at=at), being)
    return replace(found, limit=limit) if found and limit else found


def _nothing_fact(at: At, being: Any) -> Fact | None:
    """ "nothing is in the bowl"."""
    return fact_of(at, Things((Thing("none", (), "thing", at=at),), at=at), being)


def _nothing_ever(at: At, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "nothing may be on the plate"."""
    return _nothing_is(at, Things((), at=at), being, limit)


def _nothing_left(at: At, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "nothing may stay on the plate"."""
    return _nothing_ever(at, being, limit or Bound("finally", at=at))


RULES: Mapping[str, Callable[..., Any]] = {
    "Keep": _keep,
    "KeepDoing": _keep_doing,
    "KeepState": _keep_state,
    "Never": _never,
    "AlwaysState": _always_state,
    "NeverState": _never_state,
    "NotAllOfThem": _not_all_of_them,
    "NotLeave": _not_leave,
    "NeverDone": _never_done,
    "NeverAgain": _never_again,
    "NothingBut": _nothing_but,
    "OneAtATime": _one_at_a_time,
    "NothingIs": _nothing_is,
    "NothingEver": _nothing_ever,
    "NothingFact": _nothing_fact,
    "NoneIs": _none_is,
    "NoneDone": none_done,
    "Holding": _holding,
    "NotLeft": _not_left,
    "NoneLeft": _none_left,
    "NothingLeft": _nothing_left,
    "NoneLeave": _none_leave,
}
"""What the arrows name in rules."""
