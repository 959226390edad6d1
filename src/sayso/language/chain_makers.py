"""Meanings of the grammar's alternatives that join clauses: conditions, topics, rows of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sayso.language.chains import IT, final, may_be_final, settled
from sayso.language.meaning import (
    ANY_COLOR,
    AT_END,
    LIMITED,
    RULES,
    Act,
    ActState,
    At,
    Avoid,
    Bound,
    Case,
    Chain,
    Condition,
    Conditional,
    Do,
    Item,
    Keep,
    Layers,
    LeaveAlone,
    Led,
    LedItem,
    Link,
    Named,
    Never,
    NeverState,
    NotThose,
    NumberOf,
    Occasion,
    Pronoun,
    Remark,
    Rule,
    Sentence,
    Shared,
    Thing,
    Things,
    has_pronoun,
    parts,
    renamed,
)
from sayso.language.thing_makers import (
    are_several,
    is_any,
    is_each,
    is_none,
    is_number,
    is_whole,
)

AFTER_THAT = "after that"
RUN_ON = "and "
"""Begins the kinds of joiners after which what comes may belong to a rule before it."""
_IT = (IT, (Pronoun("them"),))


def _led_item(kind: str) -> Callable[..., LedItem]:
    def make(at: At, then: Any, **parts: Any) -> LedItem:
        case: Case | None = parts.get("when") or parts.get("while")
        other = case.condition if case else parts.get("other") or parts["condition"]
        return LedItem(parts.get("order") or kind, other, then, at)

    return make


def _conditional(at: At, then: Chain, **parts: Any) -> Conditional:
    case = parts.get("if") or parts.get("when")
    assert case is not None
    return Conditional(
        case,
        then,
        parts.get("else"),
        parts.get("told"),
        parts.get("or", ""),
        parts.get("ahead", ""),
        at,
    )


def _tells_done(occasion: Occasion) -> bool:
    """ "you have touched the mug": of what has been so."""
    states = occasion.states if isinstance(occasion, Condition) else ()
    return any(isinstance(s, ActState) and s.act.form == "perfect" for s in states)


def _while_rule(at: At, then: Any, rest: tuple[Link, ...], **parts: Any) -> Chain | None:
    condition = parts["while"].condition
    if _tells_done(condition) and isinstance(then, Keep):
        return None
    if isinstance(then, Keep) and then.limit is None:
        return Chain(replace(then, limit=Bound("while", condition, at=at)), rest, at=at)
    return Chain(LedItem("while", condition, then, at), rest, at=at)


def _limited(_at: At, rule: Rule, limit: Bound) -> Rule | None:
    """ "until the drawer is open, do not touch the mug": as if the bound came last.

    A pronoun in the rule might stand for what the bound names, so it is not understood.
    """
    if not isinstance(rule, Never | Avoid | LeaveAlone | NeverState | Keep):
        return None
    if rule.limit is not None or has_pronoun(rule):
        return None
    return replace(rule, limit=limit)


def _led(at: At, order: str, other: Occasion, then: Chain) -> Led:
    return Led(order, other, then, at)


def _topic(
    at: At, topic: Things, first: Item, rest: tuple[Link, ...] = ()
) -> Chain | None:  # fmt: skip
    """ "the kitchen door, never close it": as if that was said of it in the first place."""
    if any(is_any(t) or is_number(t) or is_none(t) for t in topic.members):
        return None
    said = named_for_it(first, replace(topic, members=tuple(map(_that_one, topic.members))))
    return None if said is None else _chain(at, said, rest)


def _details(at: At, topic: Things, first: Item, rest: tuple[Link, ...]) -> Chain | None:
    """ "stack the blocks: the red one goes on the plate, ...": what it is told of each of them."""
    (kind, *more) = topic.members
    if more or not isinstance(kind, Thing):
        return None
    return _chain(at, Remark("story", kind, at=topic.at), (Link("comma", first), *rest))


def _each_in_turn(at: At, of: object, first: Named, rest: tuple[Named, ...]) -> Act | None:
    """ "put the blocks in the bowl: first the red one, then the green one and last the blue one":
    these, in this order."""
    of = of.what if isinstance(of, Act) else of
    if not isinstance(of, Do) or of.things is None or len(of.things.members) != 1:
        return None
    (whole,) = of.things.members
    if not isinstance(whole, Thing) or not whole.plural or whole.apart is not None:
        return None
    number = whole.determiner.number if isinstance(whole.determiner, NumberOf) else 0
    counted = {"the": 0, "both": 2}.get(str(whole.determiner), number)
    members = (first, *rest)
    known = isinstance(whole.determiner, NumberOf) or whole.determiner in ("the", "both")
    if not known or counted not in (0, len(members)) or any(map(_is_no_thing, members)):
        return None
    named = _all_renamed(Things(members, "and", at=at), whole)
    return Act(replace(of, things=named), marker="in turn", order="said", at=at)


def _is_no_thing(thing: Named) -> bool:
    return not isinstance(thing, Thing) or thing.plural


def _that_one(thing: Named) -> Named:
    """ "that drawer, close it": the drawer."""
    that = isinstance(thing, Thing) and thing.determiner == "that"
    return replace(thing, determiner="the") if isinstance(thing, Thing) and that else thing


def named_for_it(part: Any, topic: Things) -> Any:
    """The part with the topic in place of its first pronoun; None if it has none."""
    if isinstance(part, Things) and part.members in _IT:
        several = are_several(topic) or any(map(is_each, topic.members))
        fits = several == (part.members == _IT[1]) or any(map(is_whole, topic.members))
        return replace(topic, at=part.at) if fits else None
    if isinstance(part, tuple):
        for index, inner in enumerate(part):
            if (found := named_for_it(inner, topic)) is not None:
                return (*part[:index], found, *part[index + 1 :])
    elif is_dataclass(part) and not isinstance(part, type):
        for name in (f.name for f in fields(part)):
            if (found := named_for_it(getattr(part, name), topic)) is not None:
                return replace(part, **{name: found})
    return None


def _explained(at: At, thing: Things, what: object) -> Act | None:
    """ "clear the coaster, meaning take the mug off it": that is all that is to be done to it."""
    if not isinstance(what, Do):
        return None
    (place,) = thing.members
    named = isinstance(place, Thing) and any(
        isinstance(t, Thing) and t.noun == place.noun for t in parts(what)
    )
    said = what if named and not has_pronoun(what) else named_for_it(what, thing)
    return None if said is None else Act(said, at=at)


def _layers(
    at: At, layers: tuple[Any, ...], thing: Thing | None = None, on: Things | None = None,
    upwards: str = "",
) -> Layers | None:  # fmt: skip
    """ "blue at the bottom, then green, red on top", in whichever direction it is told."""
    (first, rest) = layers
    told = (first, *rest)
    if any(isinstance(t, Pronoun) for t, _ in told):
        return None
    levels = [level for _, level in told]
    if upwards and levels[0] == "next":
        levels[0] = "bottom"
    if levels[0] == "top" or (levels[0] == "middle" and levels[-1] == "bottom"):
        told, levels = told[::-1], levels[::-1]
    inner = set(levels[1:-1])
    if levels[0] != "bottom" or levels[-1] not in ("top", "next") or inner - {"middle", "next"}:
        return None
    if len(inner) > 1 or levels.count("middle") > 1:
        return None
    between = thing if thing is not None and thing.plural and len(told) == 2 else None
    if thing is not None and isinstance(thing.determiner, NumberOf):
        number = thing.determiner.number
        if not len(told) <= number <= max(3, len(told)):
            return None
        between = between if number > len(told) else None
    things = Things(tuple(t for t, _ in told), at=at)
    if thing is not None:
        things = _all_renamed(things, thing)
    return Layers(things.members, between, on, at=at)


def _rising(at: At, first: tuple[Any, ...], rest: tuple[Any, ...]) -> Layers | None:
    """ "blue goes at the bottom, yellow on top of blue": each on the one named before it."""
    below, told = first[0], [(first[0], "bottom")]
    for thing, on in rest:
        if isinstance(on, str):
            told.append((thing, on))
        elif _is_again(on, below):
            told.append((thing, "next"))
        else:
            return None
        below = thing
    layers = _layers(at, (told[0], tuple(told[1:])))
    return None if layers is None else replace(layers, told="yes")


def _is_again(thing: Named, named: Named) -> bool:
    """ "it", or "the blue one" for the blue block."""
    if isinstance(thing, Pronoun):
        return thing.kind == "it"
    if not isinstance(thing, Thing) or not isinstance(named, Thing):
        return False
    same = not thing.noun or not named.noun or thing.noun == named.noun
    return same and bool(thing.attributes or thing.noun) and thing.attributes == named.attributes


def _all_renamed(things: Things, kind: Thing) -> Things:
    """ "the green one" among the blocks: the green block."""
    of = Things((kind,))
    members = [renamed(Things((t,)), of).members[0] for t in things.members]
    single = (replace(t, plural=False) if isinstance(t, Thing) else t for t in members)
    return replace(things, members=tuple(single))


def _link(
    _at: At, joiner: str = "", item: Any = None, modifier: Any = None, order: str = "",
    told: Remark | None = None,
) -> Link | None:  # fmt: skip
    plain = (joiner or "").removeprefix(RUN_ON) if joiner == RUN_ON + AFTER_THAT else joiner or ""
    then, said = _from_then(plain, item)
    if plain != (joiner or "") and not isinstance(said, RULES):
        then = RUN_ON + then
    if then in ("at first", "at_first", "last") and isinstance(said, (*RULES, NotThose)):
        return None  # "but not the white one first": of the order, or of what is not to be done
    return None if said is None and item is not None else Link(then, said, modifier, order, told)


def _sentence(
    at: At, opening: str = "", body: Any = None, more: Any = None, joined: str = ".",
    **around: tuple[Any, ...],
) -> Sentence | None:  # fmt: skip
    if isinstance(body, Chain):
        if opening in ("when done", "when finished") and isinstance(body.first, LIMITED):
            _, first = _from_then(AFTER_THAT, body.first)
        else:
            opening, first = _from_then(opening, body.first)
        if first is None:
            return None
        body = replace(body, first=first)
    if joined == "besides":
        if not _is_apart(body, more):
            return None
        joined = "."
    opening = opening or ""
    told = tuple(r for said in around.values() for r in said if isinstance(r, Remark))
    ends = any(r.kind == AT_END for r in told)
    if isinstance(body, Chain) and (ends or opening == "at last"):
        body = _of_the_end(body, said_last=opening != "at last")
    if opening in (AFTER_THAT, "way back") and not isinstance(body, Chain):
        opening = "then"
    return Sentence(body, opening, more, joined, told, at)


def _is_apart(body: Any, more: Any) -> bool:
    """Whether what is forbidden beside a condition is of other things than that speaks of: "if the
    drawer is open, close it, and never touch the plate"."""
    rule = more.first
    if getattr(body, "otherwise", None) is not None:
        return False  # it may be forbidden in the other case only
    if not isinstance(rule, Never | Avoid | LeaveAlone | NeverState) or rule.limit is not None:
        return False
    said = [t for t in parts(more) if isinstance(t, Thing)]
    named = {(t.noun, t.attributes) for t in parts(body) if isinstance(t, Thing)}
    apart = all(t.noun and (t.noun, t.attributes) not in named for t in said)
    return bool(said) and apart and not has_pronoun(rule)


def _of_the_end(chain: Chain, *, said_last: bool) -> Chain:
    """ "at the end the drawer should be closed and the mug on the tray": each of them then; said
    last, of one of several wishes only, it may be meant of all of them."""
    items = [chain.first, *(link.item for link in chain.rest)]
    wishes = [i for i in items if i is not None and final(i) is not i]
    others = [i for i in items if not (may_be_final(i) or isinstance(i, Remark))]
    last = [i for i in items if i is not None and not isinstance(i, Remark)][-1:]
    unclear = wishes != last if said_last else bool(others)
    if unclear or any(link.modifier for link in chain.rest):
        return chain
    rest = (replace(x, item=final(x.item)) for x in chain.rest)
    return replace(chain, first=final(chain.first), rest=tuple(rest))


def _from_then(joiner: str, item: Any) -> tuple[str, Any]:
    """ "then never touch it": the rule holds from then on, what is to be done comes then.

    A rule "on the way back" is of that way alone, so it is not understood (None).
    """
    if joiner == "way back":
        return "then", (None if isinstance(item, RULES) else item)
    if joiner != AFTER_THAT:
        return joiner, item
    if isinstance(item, LIMITED) and (item.limit is None or item.limit.kind == "again"):
        item = replace(item, limit=Bound("from then", at=item.at))
    elif isinstance(item, LIMITED):
        return joiner, item  # refused: a rule has one limit
    return "then", item


def _one_before(at: At, first: Things, then: Things) -> Act | None:
    """ "the big one before the small one"."""
    if len(first.members) > 1 or len(then.members) > 1:
        return None
    return Act(Shared(Things((*first.members, *then.members), "and", at=at)), at=at)


def _chain(
    at: At, first: Item, rest: tuple[Link, ...] = (), begins: str | None = None
) -> Chain | None:
    links = settled((Link("", first), *rest))
    if links is None or links[0].item is None or _says_looks(links[0].item):
        return None
    return Chain(links[0].item, tuple(links[1:]), begins is not None, at)


def _says_looks(item: Item) -> bool:
    """ "Any color." of nothing that was named right before."""
    return isinstance(item, Remark) and item.kind == ANY_COLOR


def _not_both(at: At, of: Item) -> Chain | None:
    """ "either the mug or the bowl, but not both, should go on the tray"."""
    both = NotThose(Things((Pronoun("both of them"),), at=at), at=at)
    return _chain(at, of, (Link("but", both),))


CHAINS: Mapping[str, Callable[..., Any]] = {
    "LedItem": _led_item("after"), "WhenItem": _led_item("when"), "IfRule": _led_item("if"),
    "WhileItem": _led_item("while"), "OnlyAfterItem": _led_item("only after"),
    "Conditional": _conditional, "When": _conditional, "Limited": _limited,
    "WhileRule": _while_rule, "Led": _led, "Chain": _chain, "Topic": _topic,
    "Details": _details, "EachInTurn": _each_in_turn, "Explained": _explained, "Layers": _layers,
    "Rising": _rising,
    "Link": _link, "NotBoth": _not_both, "OneBefore": _one_before, "Sentence": _sentence,
}  # fmt: skip
"""What the arrows name that join clauses."""
