"""Meanings of the grammar's alternatives for clauses: verb phrases, states, occasions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sayso.language.chain_makers import RUN_ON
from sayso.language.everything import ANYTHING
from sayso.language.meaning import (
    Act,
    ActState,
    At,
    Condition,
    Count,
    Do,
    Fact,
    Goal,
    Item,
    NotState,
    Occasion,
    PlaceNamed,
    Pronoun,
    Remark,
    Several,
    Tail,
    Thing,
    Things,
)
from sayso.language.thing_makers import (
    SEVERAL,
    has_exception,
    is_compared,
    is_none,
    is_number,
    is_whole,
    lends_its_noun,
    of_each,
    says_none,
    what_is_denied,
    without_some,
)

_BENEATH = "beneath"
"""The coaster is beneath the mug: that is on it."""
INSIDE = "inside"
"""Marks the place that is left out in "put it inside"."""
SAME = "same"
"""The tail of things that go where the ones before went."""


def _word(_at: At, kind: str) -> str:
    return kind


def _going_on(_at: At, kind: str, but: str = "", **parts: Any) -> str:
    """How what comes is joined: with "and" it may belong to a rule before it, as in "never open
    the drawer and then touch the mug"."""
    return RUN_ON + kind if parts.get("and") and not but else kind


def _same(_at: At, **parts: Any) -> Any:
    return next(iter(parts.values()))


def _pair(_at: At, **parts: Any) -> tuple[Any, ...]:
    return tuple(parts.values())


def _joined(_at: At, what: Do, joiner: str = "or") -> tuple[str, Any]:
    return joiner, what


def _joined_state(_at: At, state: Any, joiner: str) -> tuple[str, Any]:
    return joiner, state


def _tail(_at: At, text: str, to: Things | None = None) -> Tail:
    return Tail(text, to)


def inside(at: At) -> Tail:
    """ "put it inside": in the only container that was mentioned."""
    return Tail("inside {1}", Things((Pronoun("it", at),), marker=INSIDE, at=at))


def _its_side(at: At, side: str) -> Tail:
    """ "to its left": left of it."""
    return Tail(f"{side} of {{1}}", Things((Pronoun("it", at),), at=at))


def _being_inside(at: At) -> Any:
    return "in", True, (Things((Pronoun("it", at),), at=at),)


def _tails(_at: At, first: Tail, rest: tuple[Any, ...] = ()) -> tuple[Tail, ...] | None:
    """ "on the plate or in the bowl", "on the plate or the bowl"; not "in or the bowl"."""
    found = [first]
    for more in rest:
        if isinstance(more, Tail):
            found.append(more)
            continue
        before = found[-1].to
        if before is None or found[-1] == inside(before.at):
            return None
        if lends_its_noun(more.members[0], before.members[-1]):
            return None
        found.append(Tail(first.text, more))
    return tuple(found)


def _same_tail(_at: At, to: Things) -> Things:
    return to


def do(
    at: At, verb: str, things: Things | None = None,
    tails: tuple[Tail, ...] | None = None, particle: str = "",
) -> Do:  # fmt: skip
    found = tails or ((Tail(particle),) if particle else ())
    return Do(verb, "", things, found, at)


def _do_except(at: At, apart: Things, **parts: Any) -> Do | None:
    """ "put all the blocks in the bowl except the red one"."""
    found = do(at, **parts)
    assert found.things is not None
    members = found.things.members
    nouns = {t.noun for t in apart.members if isinstance(t, Thing)}
    of = [t for t in members if len(members) == 1 or (isinstance(t, Thing) and {t.noun} == nouns)]
    thing = of[0] if len(of) == 1 else None
    several = isinstance(thing, Thing) and (thing.determiner in SEVERAL or thing.plural)
    if not isinstance(thing, Thing) or not several or thing.apart is not None:
        return None
    if any(has_exception(t.to) for t in found.tails):
        return None
    first = members[0]
    shared = first.determiner if isinstance(first, Thing) and not thing.determiner else ""
    of_all = replace(thing, apart=apart, determiner=thing.determiner or shared)
    kept = tuple(of_all if t is thing else t for t in members)
    return replace(found, things=replace(found.things, members=kept))


def _but_for(at: At, apart: Things, **parts: Any) -> Do | None:
    """ "except for the red one, put all the blocks in the bowl"; "apart from that" adds."""
    found = parts["things"].members
    kinds = {"", ANYTHING, *(t.noun for t in found if isinstance(t, Thing))}
    alike = all(isinstance(t, Thing) and t.noun in kinds for t in apart.members)
    return _do_except(at, apart, **parts) if alike else None


def _excepted(_at: At, of: Any, apart: Things) -> Any:
    """ "all the blocks should be in the bowl, except the red one"."""
    match of:
        case Act(Do(things=Things(members=(Thing() as thing,)) as things) as do):
            made = without_some(thing, apart)
            kept = made and replace(do, things=replace(things, members=(made,)))
            return kept and replace(of, what=kept)
        case Goal(
            Condition(
                (Fact(things=(Things(members=(Thing() as thing,)) as things, *more)) as fact,)
            ) as state
        ):
            made = without_some(thing, apart)
            told = made and replace(fact, things=(replace(things, members=(made,)), *more))
            return told and replace(of, state=replace(state, states=(told,)))
    return None


def _only_these(at: At, things: Things, **parts: Any) -> Act | None:
    """ "put only the red block in the bowl"; "only two" is a number."""
    return only_these(do(at, things=things, **parts))


def only_these(what: Do) -> Act | None:
    """Done with these and with nothing else; none for numbers and for what is done with nothing."""
    members = what.things.members if what.things else ()
    if any(is_number(t) or is_none(t) for t in members) or is_compared(what):
        return None
    return Act(what, only=True, at=what.at)


def _allowed(at: At, act: Act) -> Item:
    """ "you may touch the mug" asks for nothing; "you may touch it at most once" forbids more, and
    "you may go to the sofa or the bed" leaves a choice."""
    things = getattr(act.what, "things", None)
    if things is not None and things.joiner == "or":
        return act
    limits = [t.determiner.limit for t in (things.members if things else ()) if is_number(t)]
    limits += [act.count.limit] if act.count is not None else []
    return act if "at most" in limits else Remark("permission", at=at)


def _doing_none(at: At, things: Things, **parts: Any) -> Do | None:
    """ "touching neither the bowl nor the plate": without touching either."""
    if things.marker == "neither":
        return do(at, things=replace(things, marker="", joiner="or"), **parts)
    denied = what_is_denied(things)
    if denied is None or any(map(is_number, denied.members)):
        return None
    return do(at, things=denied, **parts)


def _several(_at: At, first: Do, rest: tuple[Any, ...] = ()) -> Several | None:
    joiners = {joiner for joiner, _ in rest}
    if len(joiners) > 1:
        return None
    return Several((first, *(d for _, d in rest)), next(iter(joiners), ""))


def _being(_at: At, predicate: str, holds: str, to: Things | None = None) -> Any:
    return predicate, holds == "yes", (to,) if to is not None else ()


def _beneath(_at: At, to: Things) -> Any:
    return _BENEATH, True, (to,)


def fact_of(at: At, things: Things, being: Any, **parts: str) -> Fact | None:
    predicate, positive, more = being
    negated = parts.get("not") == "yes"
    if predicate == _BENEATH:
        return Fact("on", positive and not negated, (*more, things), at)
    denied = negated or not positive
    if (negated and not positive) or (denied and says_none(things)):
        return None
    if (negated or parts.get("denied")) and any(map(is_whole, things.members)):
        return None  # "all the blocks are not there": none of them, or not all
    return Fact(predicate, positive and not negated, (things, *more), at)


def _fact_of_each(at: At, things: Things, being: Any, every: str) -> Fact | None:
    """ "the red and the blue block are both in it"."""
    if says_none(things):
        return None  # "no blocks are all on the tray": some may be
    named = of_each(things, every)
    return fact_of(at, named, being) if named is not None else None


def _has_fact(at: At, place: Things, on: str, things: Things | None = None) -> Fact | None:
    """ "the plate has something on it": something is on the plate; "has nothing on it"."""
    if says_none(place):
        return None  # "no plate has a block on it": some block may be on none
    nothing = Things((Thing("none", (), "thing", at=at),), at=at)
    return fact_of(at, things or nothing, (on, True, (place,)))


def _by_others(at: At, things: Things, being: Any) -> Fact | None:
    """ "until I have put the mug on the plate"; of several things with places of their own, each
    may go elsewhere."""
    single = len(things.members) == 1
    placed = any(isinstance(t, Thing) and t.relations for t in things.members)
    return fact_of(at, things, being) if single and not placed else None


def _asked_fact(at: At, things: Things, being: Any) -> Fact | None:
    """What is asked before "then ... it": of either of two things, "it" may be the other one; "is
    the mug on the tray and the plate in the bowl" asks two things."""
    placed = any(isinstance(t, Thing) and t.relations for t in things.members)
    if len(things.members) > 1 and (placed or things.joiner == "or"):
        return None
    return fact_of(at, things, being)


def _clause(
    at: At, predicate: str, holds: str, about: Things | None = None,
    to: Things | None = None, third: Things | None = None,
) -> Fact | None:  # fmt: skip
    things = tuple(t for t in (about, to, third) if t is not None)
    if holds != "yes" and any(map(says_none, things)):
        return None
    return Fact(predicate, holds == "yes", things, at)


def _condition(
    at: At, first: Any, rest: tuple[Any, ...] = (), kind: str = ""
) -> Condition | None:  # fmt: skip
    """States; after "either" they are joined by `kind` "or", after "both" by "and"."""
    joiners = {joiner for joiner, _ in rest}
    if len(joiners) > 1 or (kind and joiners != {kind}):
        return None
    return Condition((first, *(s for _, s in rest)), next(iter(joiners), ""), at)


def _perfect(_at: At, act: Do) -> Do:
    """ "you have put it away", which is done once."""
    return replace(act, form="perfect")


def _not_all(_at: At, of: Fact) -> NotState | None:
    """ "not all the blocks are on the tray": some of them may be."""
    if not of.things:
        return None
    every = of.things[0].marker == "both" or any(map(is_whole, of.things[0].members))
    return NotState(of) if every and of.positive else None


def _act_state(_at: At, act: Do, **parts: str) -> ActState:
    return ActState(act, parts.get("not") != "yes", parts.get("idle") == "yes")


def _occasion(_at: At, acts: Several | None = None, things: Things | None = None) -> Occasion:
    if acts is not None:
        return acts
    assert things is not None
    return PlaceNamed(things)


def _count(at: At, times: int, limit: str = "") -> Count:
    return Count(limit or "", times, at)


CLAUSES: Mapping[str, Callable[..., Any]] = {
    "Word": _word,
    "GoingOn": _going_on,
    "Same": _same,
    "DoingNone": _doing_none,
    "Tail": _tail,
    "AskedFact": _asked_fact,
    "Inside": inside,
    "ItsSide": _its_side,
    "BeingInside": _being_inside,
    "Tails": _tails,
    "SameTail": _same_tail,
    "Several": _several,
    "Joined": _joined,
    "Being": _being,
    "Beneath": _beneath,
    "Fact": fact_of,
    "HasFact": _has_fact,
    "FactOfEach": _fact_of_each,
    "ByOthers": _by_others,
    "Clause": _clause,
    "Condition": _condition,
    "JoinedState": _joined_state,
    "ActState": _act_state,
    "Perfect": _perfect,
    "Occasion": _occasion,
    "Count": _count,
    "DoExcept": _do_except,
    "ButFor": _but_for,
    "Excepted": _excepted,
    "OnlyThese": _only_these,
    "Allowed": _allowed,
    "Pair": _pair,
    "NotAll": _not_all,
}
"""What the arrows name in clauses."""
