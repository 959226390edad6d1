"""Labelled parts of the grammar's alternatives to meanings of clauses: what the arrows name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from sayso.language.asides import NAMING
from sayso.language.chain_makers import CHAINS, RUN_ON
from sayso.language.chains import THE_REST
from sayso.language.everything import ANYTHING
from sayso.language.meaning import (
    AMONG,
    ANY_ORDER,
    AT_END,
    AT_ONCE,
    AT_ONE_TIME,
    BOTH_AT_ONCE,
    CHOICE,
    COURTESY,
    IN_ORDER,
    REASON,
    Act,
    ActState,
    At,
    Avoid,
    Bound,
    Case,
    Condition,
    Count,
    Do,
    Edit,
    Empty,
    Fact,
    FromTo,
    Goal,
    HoldUntil,
    Item,
    Keep,
    KeepEmpty,
    LeaveAlone,
    LeftOut,
    Modifier,
    Never,
    NeverState,
    NothingBut,
    NotState,
    NotThose,
    NumberOf,
    Occasion,
    Patrol,
    PlaceNamed,
    Pronoun,
    PutBack,
    PutWhere,
    Question,
    Remark,
    Reversal,
    Revisit,
    Several,
    Shared,
    StopWord,
    Superlative,
    Swap,
    Tail,
    Thing,
    Things,
    Tower,
    Unordered,
)
from sayso.language.thing_makers import (
    SEVERAL,
    THINGS,
    are_several,
    has_exception,
    is_none,
    is_number,
    is_whole,
    lends_its_noun,
    names_none,
    says_none,
    what_is_denied,
    whole,
    without_some,
)

INSIDE = "inside"
"""Marks the place that is left out in "put it inside"."""
SAME = "same"
"""The tail of things that go where the ones before went."""


def _made(kind: type[Any]) -> Callable[..., Any]:
    names = {f.name for f in fields(kind)}

    def make(at: At, **parts: Any) -> Any:
        given = {k: v for k, v in parts.items() if v is not None}
        return kind(**given, at=at) if "at" in names else kind(**given)

    return make


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
    (thing, *more) = found.things.members
    several = isinstance(thing, Thing) and (thing.determiner in SEVERAL or thing.plural)
    if more or not isinstance(thing, Thing) or not several or thing.apart is not None:
        return None
    if any(has_exception(t.to) for t in found.tails):
        return None
    return replace(found, things=replace(found.things, members=(replace(thing, apart=apart),)))


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
    if any(is_number(t) or is_none(t) for t in members):
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


_BENEATH = "beneath"
"""The coaster is beneath the mug: that is on it."""


def _beneath(_at: At, to: Things) -> Any:
    return _BENEATH, True, (to,)


def _fact(at: At, things: Things, being: Any, **parts: str) -> Fact | None:
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


def _asked_fact(at: At, things: Things, being: Any) -> Fact | None:
    """What is asked before "then ... it": of either of two things, "it" may be the other one; "is
    the mug on the tray and the plate in the bowl" asks two things."""
    placed = any(isinstance(t, Thing) and t.relations for t in things.members)
    if len(things.members) > 1 and (placed or things.joiner == "or"):
        return None
    return _fact(at, things, being)


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


def _act(at: At, what: Any, only: Any = None, **parts: Any) -> Act | None:
    given = {k: v for k, v in parts.items() if v is not None}
    if only is not None and "count" in given and given["count"].limit:
        return None  # "only touch it exactly twice": one limit too many
    things = getattr(what, "things", None)
    if (only is not None or "marker" in given) and things is not None and says_none(things):
        return None  # "only touch no blocks", "either touch neither"
    return Act(what, only=only is not None, at=at, **given)


def _you_do(at: At, what: Do) -> Act | None:
    """ "you pick up the mug"; "you have the mug" rather tells how things are."""
    return None if what.verb.split()[0] in ("have", "hold", "carry", "see") else Act(what, at=at)


def _other_place(_at: At, tails: tuple[Tail, ...]) -> Shared | None:
    """ "put the mug on the tray, then on the plate"."""
    return Shared(None, tails) if all(t.to is not None for t in tails) else None


def _shared_place(_at: At, led: str, things: Things) -> Shared:
    """ "go to the sofa, then by the bed": after a verb that goes with "by"."""
    return Shared(replace(things, led=led))


def _all_there(_at: At, things: Things, tails: tuple[Tail, ...], every: str) -> Shared | None:
    """ "the mug and the plate, both on the tray"."""
    several = are_several(things) and things.joiner != "or"
    if every == "both" and len(things.members) > 2:
        return None
    return Shared(whole(things, every), tails) if several else None


def _same_again(_at: At, things: Things) -> Shared:
    return Shared(things, (Tail(SAME),))


def _keep(at: At, things: Things, being: Any, limit: Bound | None = None) -> Keep | None:
    if names_none(things):
        return None  # "no block must stay on the plate": see `_none_left`
    fact = _fact(at, things, being)
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
    fact = _fact(at, things, being)
    return NeverState(fact, limit, at) if fact and fact.positive else None


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
    return _fact(at, Things((Thing("none", (), "thing", at=at),), at=at), being)


def _nothing_ever(at: At, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "nothing may be on the plate"."""
    return _nothing_is(at, Things((), at=at), being, limit)


def _nothing_left(at: At, being: Any, limit: Bound | None = None) -> NeverState | None:
    """ "nothing may stay on the plate"."""
    return _nothing_ever(at, being, limit or Bound("finally", at=at))


def _goal_state(
    at: At, things: Things, being: Any, bare: str = "", every: str = ""
) -> Goal | None:  # fmt: skip
    if every and (things.joiner == "or" or not are_several(things)):
        return None
    fact = _fact(at, things, being)
    return None if fact is None else Goal(Condition((fact,), "", at), None, bare, at=at)


def _goal_condition(at: At, condition: Condition, count: Count | None = None) -> Goal | None:
    """None for "make sure that not all of them are there": never all of them, or at the end."""
    denied = (s.state for s in condition.states if isinstance(s, NotState))
    if any(is_whole(t) for s in denied if isinstance(s, Fact) for t in s.things[0].members):
        return None
    return Goal(condition, count, at=at)


def _remark(kind: str) -> Callable[..., Remark]:
    def make(at: At, **parts: Any) -> Remark:
        where, more = parts.pop("where", None), parts.pop("more", None) or ()
        name = parts.pop("kind", None)
        noun = None
        if name is not None:
            attributes, word = name
            noun = Thing("a", attributes, word.text, at=at)
        relations = (where, *more) if where is not None else ()
        return Remark(kind, noun=noun, relations=relations, at=at, **parts)

    return make


def _aside(at: At, **_parts: Any) -> Remark:
    """What asks for nothing and names nothing that later words stand for."""
    return Remark("aside", at=at)


def _reason(at: At, what: Thing | str) -> Remark:
    """Why something is wanted; "it" may be what that names."""
    if isinstance(what, Thing):
        return Remark(REASON, what, at=at)
    return Remark("report" if what == NAMING else "aside", at=at)


def _courtesy(at: At, **_parts: Any) -> Remark:
    """Words of a closed list that say nothing about the task."""
    return Remark(COURTESY, at=at)


def _report(at: At, **_parts: Any) -> Remark:
    """What may name things that are nobody's business here; see `Discourse.named_unknown`."""
    return Remark("report", at=at)


def _premise(at: At, what: Thing | str) -> Remark:
    """ "the green mug chips easily, so": "it" is the mug then, if nothing else was named."""
    if what == "":
        return _aside(at)
    return Remark("report", at=at) if isinstance(what, str) else Remark("story", what, at=at)


def _passes_none(at: At, things: Things) -> Avoid | None:
    """ "a way that passes neither the cat nor the dog"."""
    denied = what_is_denied(things)
    return None if denied is None or any(map(is_number, denied.members)) else Avoid(denied, at=at)


def _patrol_between(at: At, first: Things, second: Things) -> Patrol:
    """ "from the sofa to the bed and back, again and again"."""
    return Patrol(Things((*first.members, *second.members), "and", at=at), None, True, at)


def _patrol(at: At, things: Things, between: str | None = None) -> Patrol | None:
    """None for "the doors of the kitchen and the bedroom": those of both of these."""
    of = any(isinstance(t, Thing) and " of " in t.noun for t in things.members)
    if of and len(things.members) > 1:
        return None
    return Patrol(things, None, bool(between), at)


MAKERS: Mapping[str, Callable[..., Any]] = {
    **THINGS,
    **CHAINS,
    "Word": _word, "GoingOn": _going_on, "Same": _same,
    "DoingNone": _doing_none,
    "Tail": _tail,
    "AskedFact": _asked_fact, "Inside": inside, "BeingInside": _being_inside, "Tails": _tails,
    "SameTail": _same_tail,
    "Several": _several, "Joined": _joined, "Being": _being, "Beneath": _beneath,
    "Fact": _fact, "Clause": _clause,
    "Condition": _condition, "JoinedState": _joined_state, "ActState": _act_state,
    "Perfect": _perfect,
    "Occasion": _occasion, "Count": _count, "Act": _act, "YouDo": _you_do,
    "Keep": _keep, "KeepDoing": _keep_doing,
    "KeepState": _keep_state, "Never": _never,
    "AlwaysState": _always_state, "NeverState": _never_state, "NotLeave": _not_leave,
    "NeverDone": _never_done, "NeverAgain": _never_again,
    "NothingBut": _nothing_but, "OneAtATime": _one_at_a_time,
    "NothingIs": _nothing_is, "NothingEver": _nothing_ever,
    "NothingFact": _nothing_fact, "NoneIs": _none_is,
    "NoneDone": none_done, "Holding": _holding,
    "GoalState": _goal_state, "GoalCondition": _goal_condition,
    "Speaker": _remark("speaker"), "Told": _remark("told"), "Aside": _aside, "Reason": _reason,
    "Courtesy": _courtesy, "Choice": _remark(CHOICE), "AnyOrder": _remark(ANY_ORDER),
    "InOrder": _remark(IN_ORDER),
    "AtOnce": _remark(AT_ONCE), "AtEnd": lambda at: Remark(AT_END, at=at),
    "NoDuty": lambda at, **_parts: Remark("no duty", at=at),
    "Report": _report,
    "Premise": _premise, "NotLeft": _not_left, "NoneLeft": _none_left, "NothingLeft": _nothing_left,
    "NoneLeave": _none_leave,
    "Waiting": lambda at: Remark("waiting", at=at),
    "WaitingFor": lambda at, **_parts: Remark("waiting for", at=at),
    "Rest": _remark(THE_REST), "Listing": _remark("listing"),
    "Among": _remark(AMONG),
    "Liking": _remark("liking"), "Story": _remark("story"),
    "Located": _remark("located"),
    "LocatedIt": _remark("located it"),




    "DoExcept": _do_except, "ButFor": _but_for, "Excepted": _excepted,
    "OnlyThese": _only_these, "Allowed": _allowed,
    "Patrol": _patrol, "PatrolBetween": _patrol_between, "PassesNone": _passes_none,
    "Endless": _made(Patrol),
    "SameAgain": _same_again,
    "Pair": _pair,
    "NotThosePlace": lambda at, led, things: NotThose(replace(things, led=led), at=at),
    "AllThere": _all_there, "OtherPlace": _other_place, "SharedPlace": _shared_place,
    "NotAll": _not_all,
    "StopWord": lambda _at, **_parts: StopWord(),
    "Question": lambda _at, **_parts: Question(),
    **{
        kind.__name__: _made(kind)
        for kind in (
            Pronoun, Superlative, NotState, FromTo, Swap, Empty, PutBack, PutWhere, Tower,
            HoldUntil, Shared, Bound, Avoid, KeepEmpty, LeaveAlone, LeftOut, NotThose, Revisit,
            Reversal,
            Modifier, Unordered, Edit, Case,
        )
    },
}  # fmt: skip
"""What the arrows of `english.grammar` name."""
