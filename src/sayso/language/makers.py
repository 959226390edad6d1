"""Labelled parts of the grammar's alternatives to meanings: what the arrows name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from sayso.language.asides import NAMING
from sayso.language.chain_makers import CHAINS
from sayso.language.chains import THE_REST
from sayso.language.clause_makers import CLAUSES, SAME, fact_of
from sayso.language.meaning import (
    AMONG,
    ANY_COLOR,
    ANY_ORDER,
    AT_END,
    AT_ONCE,
    CHOICE,
    COURTESY,
    IN_ORDER,
    REASON,
    Act,
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
    KeepEmpty,
    LeaveAlone,
    LeftOut,
    Modifier,
    NotState,
    NotThose,
    Patrol,
    Pronoun,
    PutBack,
    PutWhere,
    Question,
    Remark,
    Reversal,
    Revisit,
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
from sayso.language.rule_makers import RULES
from sayso.language.thing_makers import (
    THINGS,
    is_number,
    is_whole,
    of_each,
    only_pronouns,
    says_none,
    what_is_denied,
)


def _made(kind: type[Any]) -> Callable[..., Any]:
    names = {f.name for f in fields(kind)}

    def make(at: At, **parts: Any) -> Any:
        given = {k: v for k, v in parts.items() if v is not None}
        return kind(**given, at=at) if "at" in names else kind(**given)

    return make


def _act(at: At, what: Any, only: Any = None, **parts: Any) -> Act | None:
    given = {k: v for k, v in parts.items() if v is not None}
    if only is not None and "count" in given and given["count"].limit:
        return None  # "only touch it exactly twice": one limit too many
    things = getattr(what, "things", None)
    if (only is not None or "marker" in given) and things is not None and says_none(things):
        return None  # "only touch no blocks", "either touch neither"
    if given.get("marker") == "both" and things is not None and only_pronouns(things):
        return None  # "and both put them in the bowl" is no English
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
    all_of_them = of_each(things, every)
    return Shared(all_of_them, tails) if all_of_them is not None else None


def _wanted_elsewhere(
    at: At, tails: tuple[Tail, ...], again: Thing | None = None
) -> Shared | None:  # fmt: skip
    """ "my son wants that one in the bowl, so bowl please": that place, named once more."""
    where = tails[0].to.members[0] if len(tails) == 1 and tails[0].to else None
    if again is not None and getattr(where, "noun", None) != again.noun:
        return None
    return Shared(Things((Pronoun("it"),), at=at), tails)


def _done_with_each(at: At, what: object, every: str) -> Act | None:
    """ "take the mugs to the table, both of them"."""
    if not isinstance(what, Do) or what.things is None:
        return None
    (thing, *_) = what.things.members
    number = getattr(getattr(thing, "determiner", None), "number", 2)
    things = of_each(what.things, every) if every != "both" or number == 2 else None
    return None if things is None else Act(replace(what, things=things), at=at)


def _from_there(_at: At, what: Do) -> Do | None:
    """ "put the block on the plate, then move it from there to the tray": the block."""
    if not isinstance(what, Do) or what.things is None:
        return what
    members = tuple(
        replace(t, kind="it moved") if isinstance(t, Pronoun) and t.kind == "it" else t
        for t in what.things.members
    )
    return replace(what, things=replace(what.things, members=members))


def _same_again(_at: At, things: Things) -> Shared:
    return Shared(things, (Tail(SAME),))


def _goal_state(
    at: At, things: Things, being: Any, bare: str = "", every: str = ""
) -> Goal | None:  # fmt: skip
    if every and of_each(things, every) is None:
        return None
    fact = fact_of(at, things, being)
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


def _premise(at: At, what: Thing | str | tuple[str, Thing]) -> Remark:
    """ "the green mug chips easily, so": "it" is the mug then, if nothing else was named."""
    if isinstance(what, tuple):
        return Remark(what[0], what[1], at=at)
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
    **CLAUSES,
    **RULES,
    "Act": _act, "YouDo": _you_do,
    "GoalState": _goal_state, "GoalCondition": _goal_condition,
    "Speaker": _remark("speaker"), "Told": _remark("told"), "Aside": _aside, "Reason": _reason,
    "Courtesy": _courtesy, "Choice": _remark(CHOICE),
    "AnyColor": _remark(ANY_COLOR), "AnyOrder": _remark(ANY_ORDER),
    "InOrder": _remark(IN_ORDER),
    "AtOnce": _remark(AT_ONCE), "AtEnd": lambda at: Remark(AT_END, at=at),
    "NoDuty": lambda at, **_parts: Remark("no duty", at=at),
    "Report": _report,
    "Premise": _premise,
    "Waiting": lambda at: Remark("waiting", at=at),
    "WaitingFor": lambda at, **_parts: Remark("waiting for", at=at),
    "Rest": _remark(THE_REST), "Listing": _remark("listing"),
    "Among": _remark(AMONG),
    "Liking": _remark("liking"), "Story": _remark("story"),
    "Located": _remark("located"),
    "LocatedIt": _remark("located it"),
    "Patrol": _patrol, "PatrolBetween": _patrol_between, "PassesNone": _passes_none,
    "Endless": _made(Patrol),
    "SameAgain": _same_again,
    "NotThosePlace": lambda at, led, things: NotThose(replace(things, led=led), at=at),
    "AllThere": _all_there, "DoneWithEach": _done_with_each,
    "FromThere": _from_there, "WantedElsewhere": _wanted_elsewhere,
    "OtherPlace": _other_place, "SharedPlace": _shared_place,
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
