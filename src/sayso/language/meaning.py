"""What sentences say, before it is known what their words refer to: one dataclass for each part.

`english.grammar` names these after its arrows. `at` is which of the sentence's words a part was
said with; it does not tell meanings apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sayso.language.nouns import Noun

At: TypeAlias = "tuple[int, int]"


def _at() -> Any:
    return field(default=(0, 0), compare=False)


# -- things -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pronoun:
    """ "it", "the rest", "another one" and the like, by kind."""

    kind: str
    at: At = _at()


@dataclass(frozen=True)
class Ordinal:
    """ "the second item I mentioned": `index` from 0, -1 for the last one."""

    index: int
    of_places: bool = False
    at: At = _at()


@dataclass(frozen=True)
class Purpose:
    """ "something to drink": a kind of thing named by what it is for."""

    noun: str
    at: At = _at()


@dataclass(frozen=True)
class NumberOf:
    """ "two", "at least two", "the two", "two other"."""

    number: int
    limit: str = ""
    definite: bool = False
    different: bool = False


@dataclass(frozen=True)
class Superlative:
    kind: str
    to: Thing | Pronoun | Ordinal | None = None


@dataclass(frozen=True)
class Relation:
    """`kind` is a comparator; "isin" for what there is no comparator."""

    kind: str
    others: tuple[Thing | Pronoun | Ordinal, ...]


@dataclass(frozen=True)
class Thing:
    """A description of a thing or of several.

    Attributes:
        determiner: "" | the | a | any | some | all | each | both | none | another | the other |
            the rest | any other | the same | that | those, or a number.
        noun: "" where "one" stands for it.
    """

    determiner: str | NumberOf = ""
    attributes: tuple[str, ...] = ()
    noun: str = ""
    plural: bool = False
    relations: tuple[Relation, ...] = ()
    apart: Things | None = None
    superlative: Superlative | None = None
    at: At = _at()


Named: TypeAlias = "Thing | Pronoun | Ordinal | Purpose"


@dataclass(frozen=True)
class Things:
    """Things mentioned together. `joiner` is "and", "or" or ''; `marker` a word before them."""

    members: tuple[Named, ...]
    joiner: str = ""
    marker: str = ""
    at: At = _at()


# -- actions and states -------------------------------------------------------------------


@dataclass(frozen=True)
class Tail:
    """What follows the thing that is handled: `text` as the library words it, "on {1}"."""

    text: str
    to: Things | None = None


@dataclass(frozen=True)
class Do:
    """A verb with its things; `tails` are alternatives. Empty verb: that of the clause before."""

    verb: str
    form: str = "verb"
    things: Things | None = None
    tails: tuple[Tail, ...] = ()
    at: At = _at()


@dataclass(frozen=True)
class Several:
    """Actions joined by "and" or by "or"."""

    members: tuple[Do, ...]
    joiner: str = ""


@dataclass(frozen=True)
class Fact:
    """A clause of a predicate about things, or its negation."""

    predicate: str
    positive: bool
    things: tuple[Things, ...]
    at: At = _at()


@dataclass(frozen=True)
class NotState:
    state: Fact | NotState | ActState


@dataclass(frozen=True)
class ActState:
    """The state that an action leads to."""

    act: Do
    positive: bool = True


@dataclass(frozen=True)
class Condition:
    """States joined by "and" or by "or"."""

    states: tuple[Fact | NotState | ActState, ...]
    joiner: str = ""
    at: At = _at()


@dataclass(frozen=True)
class PlaceNamed:
    """ "after the sofa": what is done there is not said."""

    things: Things


Occasion: TypeAlias = "Condition | Several | PlaceNamed"


@dataclass(frozen=True)
class Count:
    limit: str
    times: int
    at: At = _at()


# -- items --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Act:
    """Something to be done.

    Attributes:
        marker: "either" or "both" before it.
        only: "only visit X once": the count is a limit, too.
        order: any | said | strict | single.
    """

    what: Do | Shared | FromTo
    marker: str = ""
    only: bool = False
    count: Count | None = None
    order: str = ""
    at: At = _at()


@dataclass(frozen=True)
class Shared:
    """Things, or where to, with the verb of the clause before."""

    things: Things | None = None
    tails: tuple[Tail, ...] = ()


@dataclass(frozen=True)
class FromTo:
    first: Things
    second: Things


@dataclass(frozen=True)
class Swap:
    one: Named
    other: Named
    at: At = _at()


@dataclass(frozen=True)
class Bound:
    """How far a rule goes."""

    kind: str
    what: Occasion | None = None
    count: Count | None = None
    things: Things | None = None
    at: At = _at()


@dataclass(frozen=True)
class Never:
    acts: Several
    limit: Bound | None = None
    at: At = _at()


@dataclass(frozen=True)
class Avoid:
    things: Things
    limit: Bound | None = None
    at: At = _at()


@dataclass(frozen=True)
class NeverState:
    fact: Fact
    limit: Bound | None = None
    at: At = _at()


@dataclass(frozen=True)
class NothingBut:
    """Of all things only these."""

    verb: str
    form: str
    things: Things
    tails: tuple[Tail, ...] = ()
    at: At = _at()


@dataclass(frozen=True)
class Revisit:
    things: Things | Pronoun
    at: At = _at()


@dataclass(frozen=True)
class Keep:
    """A state that has to hold; an action stands for its outcome."""

    state: Condition
    limit: Bound | None = None
    at: At = _at()


@dataclass(frozen=True)
class Goal:
    """A state that has to come about."""

    state: Condition
    count: Count | None = None
    at: At = _at()


@dataclass(frozen=True)
class Patrol:
    """Places again and again; `what` where another verb than "patrol" says so."""

    things: Things | None = None
    what: Do | None = None
    between: bool = False
    at: At = _at()


Rule: TypeAlias = "Never | Avoid | NeverState | NothingBut | Revisit | Keep"


@dataclass(frozen=True)
class Remark:
    """What is told; `kind` says which of the parts are there."""

    kind: str
    thing: Named | None = None
    things: Things | None = None
    relations: tuple[Relation, ...] = ()
    noun: Thing | None = None
    at: At = _at()


@dataclass(frozen=True)
class LedItem:
    """ "after visiting X, ...", "while carrying X, ...", in the middle of a sentence."""

    kind: str
    other: Occasion
    then: Item
    at: At = _at()


@dataclass(frozen=True)
class Modifier:
    """What limits the steps before it."""

    kind: str
    other: Occasion | None = None
    forbidden: Several | None = None
    things: Things | None = None
    at: At = _at()


Item: TypeAlias = "Act | Rule | Goal | Patrol | Remark | Swap | LedItem"


@dataclass(frozen=True)
class Link:
    """A further item and how it is joined, or what modifies those before it."""

    joiner: str = ""
    item: Item | None = None
    modifier: Modifier | None = None


# -- sentences ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    first: Item
    rest: tuple[Link, ...] = ()
    at: At = _at()


@dataclass(frozen=True)
class Case:
    """The head of a conditional: if, unless, whenever, when, while or only if."""

    kind: str
    condition: Occasion
    at: At = _at()


@dataclass(frozen=True)
class Conditional:
    case: Case
    then: Chain
    otherwise: Chain | None = None
    at: At = _at()


@dataclass(frozen=True)
class Led:
    """ "before X, ...", "after X, ..."."""

    kind: str
    other: Occasion
    then: Chain
    at: At = _at()


@dataclass(frozen=True)
class Unordered:
    then: Chain
    at: At = _at()


@dataclass(frozen=True)
class Sentence:
    body: Chain | Conditional | Led | Unordered | None = None
    opening: str = ""
    at: At = _at()


@dataclass(frozen=True)
class StopWord:
    """The whole sentence asks to stop at once."""


@dataclass(frozen=True)
class Question:
    """Nothing is asked for, but something is asked."""


# -- makers: labelled parts to meanings -----------------------------------------------------


def _made(kind: type) -> Callable[..., Any]:
    names = set(kind.__dataclass_fields__)

    def make(start: int, end: int, **parts: Any) -> Any:
        given = {k: v for k, v in parts.items() if v is not None}
        return kind(**given, at=(start, end)) if "at" in names else kind(**given)

    return make


def _word(start: int, end: int, kind: str) -> str:
    return kind


def _same(start: int, end: int, **parts: Any) -> Any:
    return next(iter(parts.values()))


def _number(start: int, end: int, number: str | int) -> int:
    return int(number)


def _number_of(
    start: int, end: int, number: str | int, limit: str = "", definite: str = "",
    different: str = "",
) -> NumberOf | None:  # fmt: skip
    if int(number) < 1 or (int(number) == 1 and not (limit or definite)):
        return None
    return NumberOf(int(number), limit or "", bool(definite), bool(different))


def _thing(
    start: int, end: int, determiner: str | NumberOf = "", adjectives: tuple[str, ...] = (),
    noun: Noun | str | None = None, relations: tuple[Relation, ...] | None = None,
    apart: Things | None = None, superlative: Superlative | None = None, one: str = "",
) -> Thing | None:  # fmt: skip
    name, plural = ("", False) if noun is None else (
        (noun, determiner == "all") if isinstance(noun, str) else (noun.text, noun.plural)
    )  # fmt: skip
    attributes = tuple(sorted(set(adjectives)))
    if determiner == "a" and plural and not one:
        return None  # "a blocks"
    return Thing(
        determiner, attributes, name, plural, relations or (), apart, superlative, (start, end)
    )


def _landmark(start: int, end: int, inner: Relation | None = None, **parts: Any) -> Thing | None:
    return _thing(start, end, relations=(inner,) if inner else (), **parts)


def _variants(
    start: int, end: int, determiner: str | NumberOf, first: str, rest: tuple[Any, ...],
    noun: Noun, relations: tuple[Relation, ...] | None = None,
) -> Things | None:  # fmt: skip
    joiners = {joiner for joiner, _ in rest}
    if len(joiners) != 1 or isinstance(determiner, NumberOf):
        return None
    adjectives = (first, *(a for _, a in rest))
    plural = noun.plural and determiner not in ("the", "both")
    members = tuple(
        Thing(determiner if determiner != "both" else "the", (a,), noun.text, plural,
              relations or (), at=(start, end))
        for a in adjectives
    )  # fmt: skip
    return Things(members, joiners.pop(), at=(start, end))


def _things(
    start: int, end: int, first: Named | Things, rest: tuple[Any, ...] = (), marker: str = "",
) -> Things | None:  # fmt: skip
    """None where it is not clear how the things are joined."""
    members: list[Named] = []
    joiners: set[str] = set()
    for joiner, thing in (("", first), *rest):
        joiners |= {joiner} - {""}
        if isinstance(thing, Things):
            joiners.add(thing.joiner)
            members += thing.members
        else:
            members.append(thing)
    if len(members) > 1 and isinstance(members[0], Thing):
        shared = members[0].determiner
        if shared in ("a", "any", "some", "one"):
            members = [members[0], *(_sharing(m, shared) for m in members[1:])]
    kinds = {"nor": "or"}
    said = {kinds.get(j, j) for j in joiners} - {"comma"}
    wanted = {"either": "or", "both": "and", "neither": "or"}.get(marker)
    if len(said) > 1 or (wanted and said != {wanted}) or ("nor" in joiners and marker != "neither"):
        return None
    if "comma" in joiners and not said:
        return None if not all(m.at[0] for m in members) else Things(
            tuple(members), "list", marker, (start, end)
        )
    return Things(tuple(dict.fromkeys(members)), next(iter(said), ""), marker, (start, end))


def _sharing(thing: Named, determiner: str | NumberOf) -> Named:
    """ "an apple and water bottle": the second is any, too."""
    if isinstance(thing, Thing) and thing.determiner == "" and not thing.plural:
        return replace(thing, determiner=determiner)
    return thing


def _one(start: int, end: int, thing: Named) -> Things:
    return Things((thing,), at=(start, end))


def _relation(
    start: int, end: int, kind: str, to: Any, other: Any = None
) -> Relation:
    return Relation(kind, (to,) if other is None else (to, other))


def _relations(
    start: int, end: int, first: Relation, more: tuple[Relation, ...] = ()
) -> tuple[Relation, ...]:
    return (first, *more)


def _ordinal(start: int, end: int, ordinal: int, of_places: str = "") -> Ordinal:
    return Ordinal(ordinal, bool(of_places), (start, end))


def _purpose(start: int, end: int, purpose: str) -> Purpose:
    return Purpose(purpose, (start, end))


def _pair(start: int, end: int, **parts: Any) -> tuple[Any, ...]:
    return tuple(parts.values())


def _joined(start: int, end: int, what: Do, joiner: str = "or") -> tuple[str, Any]:
    return joiner, what


def _joined_state(start: int, end: int, state: Any, joiner: str) -> tuple[str, Any]:
    return joiner, state


def _more_thing(start: int, end: int, joiner: str, thing: Any) -> tuple[str, Any]:
    return joiner, thing


def _variant(start: int, end: int, joiner: str, adjective: str) -> tuple[str, str]:
    return joiner, adjective


def _tail(start: int, end: int, text: str, to: Things | None = None) -> Tail:
    return Tail(text, to)


def _tails(start: int, end: int, first: Tail, rest: tuple[Any, ...] = ()) -> tuple[Tail, ...]:
    """ "on the plate or in the bowl", "on the plate or the bowl"."""
    found = [first]
    for more in rest:
        found.append(more if isinstance(more, Tail) else Tail(first.text, more))
    return tuple(found)


def _same_tail(start: int, end: int, to: Things) -> Things:
    return to


def do(
    start: int, end: int, verb: str, things: Things | None = None,
    tails: tuple[Tail, ...] | None = None, particle: str = "",
) -> Do:  # fmt: skip
    found = tails or ((Tail(particle),) if particle else ())
    return Do(verb, "", things, found, (start, end))


def to_clean(things: Things) -> bool:
    """Whether these are what a purpose names: where it is wanted may have been told before."""
    return len(things.members) == 1 and isinstance(things.members[0], Purpose)


def _several(start: int, end: int, first: Do, rest: tuple[Any, ...] = ()) -> Several | None:
    joiners = {joiner for joiner, _ in rest}
    if len(joiners) > 1:
        return None
    return Several((first, *(d for _, d in rest)), next(iter(joiners), ""))


def _being(start: int, end: int, predicate: str, holds: str, to: Things | None = None) -> Any:
    return predicate, holds == "yes", (to,) if to is not None else ()


def _fact(start: int, end: int, things: Things, being: Any, **parts: str) -> Fact | None:
    predicate, positive, more = being
    negated = parts.get("not") == "yes"
    if negated and not positive:
        return None
    return Fact(predicate, positive and not negated, (things, *more), (start, end))


def _clause(
    start: int, end: int, predicate: str, holds: str, about: Things | None = None,
    to: Things | None = None, third: Things | None = None,
) -> Fact:  # fmt: skip
    things = tuple(t for t in (about, to, third) if t is not None)
    return Fact(predicate, holds == "yes", things, (start, end))


def _condition(start: int, end: int, first: Any, rest: tuple[Any, ...] = ()) -> Condition | None:
    joiners = {joiner for joiner, _ in rest}
    if len(joiners) > 1:
        return None
    return Condition((first, *(s for _, s in rest)), next(iter(joiners), ""), (start, end))


def _act_state(start: int, end: int, act: Do, **parts: str) -> ActState:
    return ActState(act, parts.get("not") != "yes")


def _occasion(
    start: int, end: int, acts: Several | None = None, things: Things | None = None
) -> Occasion:
    if acts is not None:
        return acts
    assert things is not None
    return PlaceNamed(things)


def _count(start: int, end: int, times: int, limit: str = "") -> Count:
    return Count(limit or "", times, (start, end))


def _act(start: int, end: int, what: Any, only: Any = None, **parts: Any) -> Act:
    given = {k: v for k, v in parts.items() if v is not None}
    return Act(what, only=only is not None, at=(start, end), **given)


def _same_again(start: int, end: int, things: Things) -> Shared:
    return Shared(things, (Tail("same"),))


def _keep(start: int, end: int, things: Things, being: Any, limit: Bound | None = None) -> Keep:
    fact = _fact(start, end, things, being)
    assert fact is not None
    return Keep(Condition((fact,), "", (start, end)), limit, (start, end))


def _keep_doing(start: int, end: int, act: Do, limit: Bound | None = None) -> Keep:
    return Keep(Condition((ActState(act),), "", (start, end)), limit, (start, end))


def _always_state(start: int, end: int, state: Condition) -> Keep:
    return Keep(state, None, (start, end))


def _never_state(
    start: int, end: int, things: Things, being: Any, limit: Bound | None = None
) -> NeverState | None:
    fact = _fact(start, end, things, being)
    return NeverState(fact, limit, (start, end)) if fact and fact.positive else None


def _never_done(
    start: int, end: int, things: Things, verb: str, tails: tuple[Tail, ...] | None = None,
    limit: Bound | None = None,
) -> Never:  # fmt: skip
    do = Do(verb, "done", things, tails or (), (start, end))
    return Never(Several((do,)), limit, (start, end))


def _nothing_but(
    start: int, end: int, verb: str, things: Things, tails: tuple[Tail, ...] | None = None
) -> NothingBut:
    return NothingBut(verb, "", things, tails or (), (start, end))


def _goal_state(start: int, end: int, things: Things, being: Any) -> Goal:
    fact = _fact(start, end, things, being)
    assert fact is not None
    return Goal(Condition((fact,), "", (start, end)), None, (start, end))


def _goal_condition(
    start: int, end: int, condition: Condition, count: Count | None = None
) -> Goal:
    return Goal(condition, count, (start, end))


def _remark(kind: str) -> Callable[..., Remark]:
    def make(start: int, end: int, **parts: Any) -> Remark:
        where, more = parts.pop("where", None), parts.pop("more", None) or ()
        name = parts.pop("kind", None)
        noun = None
        if name is not None:
            attributes, word = name
            noun = Thing("a", attributes, word.text, at=(start, end))
        relations = (where, *more) if where is not None else ()
        return Remark(kind, noun=noun, relations=relations, at=(start, end), **parts)

    return make


def _led_item(kind: str) -> Callable[..., LedItem]:
    def make(start: int, end: int, then: Any, **parts: Any) -> LedItem:
        other = parts.get("other") or parts.get("condition")
        case = parts.get("when") or parts.get("while")
        return LedItem(parts.get("order") or kind, other or case.condition, then, (start, end))

    return make


def _conditional(start: int, end: int, then: Chain, **parts: Any) -> Conditional:
    case = parts.get("if") or parts.get("when")
    assert case is not None
    return Conditional(case, then, parts.get("else"), (start, end))


def _while_rule(start: int, end: int, then: Any, rest: tuple[Link, ...], **parts: Any) -> Chain:
    led = LedItem("while", parts["while"].condition, then, (start, end))
    return Chain(led, rest, (start, end))


def _led(start: int, end: int, order: str, other: Occasion, then: Chain) -> Led:
    return Led(order, other, then, (start, end))


def _patrol(start: int, end: int, things: Things, between: str | None = None) -> Patrol:
    return Patrol(things, None, bool(between), (start, end))


def _chain(start: int, end: int, first: Item, rest: tuple[Link, ...] = ()) -> Chain | None:
    """A rule takes no modifier."""
    last: object = first
    for link in rest:
        if link.modifier is not None and isinstance(last, RULES):
            return None
        last = link.item if link.item is not None else last
    return Chain(first, rest, (start, end))


RULES = (Never, Avoid, NeverState, NothingBut, Revisit, Keep)

MAKERS: Mapping[str, Callable[..., Any]] = {
    "Word": _word, "Same": _same, "Number": _number, "NumberOf": _number_of, "Thing": _thing,
    "Landmark": _landmark, "Variants": _variants, "Variant": _variant, "Things": _things,
    "MoreThing": _more_thing, "One": _one, "Relation": _relation, "Relations": _relations,
    "Ordinal": _ordinal, "Purpose": _purpose, "Tail": _tail, "Tails": _tails,
    "SameTail": _same_tail, "Several": _several, "Joined": _joined, "Being": _being,
    "Fact": _fact, "Clause": _clause, "Condition": _condition, "JoinedState": _joined_state,
    "ActState": _act_state, "Occasion": _occasion, "Count": _count, "Act": _act, "Keep": _keep,
    "KeepDoing": _keep_doing, "AlwaysState": _always_state, "NeverState": _never_state,
    "NeverDone": _never_done, "NothingBut": _nothing_but, "GoalState": _goal_state,
    "GoalCondition": _goal_condition, "Speaker": _remark("speaker"),
    "Told": _remark("told"), "Listing": _remark("listing"), "Liking": _remark("liking"),
    "Story": _remark("story"), "Located": _remark("located"), "LocatedIt": _remark("located it"),
    "LedItem": _led_item("after"), "WhenItem": _led_item("when"), "IfRule": _led_item("if"),
    "WhileItem": _led_item("while"), "Conditional": _conditional, "When": _conditional,
    "WhileRule": _while_rule, "Led": _led, "Chain": _chain, "Patrol": _patrol,
    "Endless": _made(Patrol), "SameAgain": _same_again,
    **{
        kind.__name__: _made(kind)
        for kind in (
            Pronoun, Superlative, NotState, FromTo, Swap, Shared, Bound, Never, Avoid, Revisit,
            Modifier, Link, Unordered, Sentence, StopWord, Question, Case,
        )
    },
}  # fmt: skip
"""What the arrows of `english.grammar` name."""
