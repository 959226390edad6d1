"""Meanings of the grammar's alternatives that join clauses: conditions, topics, rows of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sayso.language.everything import ANYTHING
from sayso.language.meaning import (
    AMONG,
    AT_END,
    LIMITED,
    RULES,
    TOLD,
    WISHED,
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
    FromTo,
    Goal,
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
    NothingBut,
    NotThose,
    NumberOf,
    Occasion,
    PlaceNamed,
    Pronoun,
    Remark,
    Rule,
    Sentence,
    Shared,
    Thing,
    Things,
    parts,
    renamed,
)
from sayso.language.thing_makers import (
    SEVERAL,
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
_IT = ((Pronoun("it"),), (Pronoun("them"),))
THE_REST = "the rest"
"""What is told of things that may be wherever there is room."""


def _led_item(kind: str) -> Callable[..., LedItem]:
    def make(at: At, then: Any, **parts: Any) -> LedItem:
        case: Case | None = parts.get("when") or parts.get("while")
        other = case.condition if case else parts.get("other") or parts["condition"]
        return LedItem(parts.get("order") or kind, other, then, at)

    return make


def _conditional(at: At, then: Chain, **parts: Any) -> Conditional:
    case = parts.get("if") or parts.get("when")
    assert case is not None
    return Conditional(case, then, parts.get("else"), parts.get("told"), parts.get("or", ""), at)


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
    if rule.limit is not None or _has_pronoun(rule):
        return None
    return replace(rule, limit=limit)


def _has_pronoun(part: object) -> bool:
    if isinstance(part, tuple):
        return any(map(_has_pronoun, part))
    if isinstance(part, Pronoun) or not is_dataclass(part):
        return isinstance(part, Pronoun)
    return any(_has_pronoun(getattr(part, f.name)) for f in fields(part))


def _led(at: At, order: str, other: Occasion, then: Chain) -> Led:
    return Led(order, other, then, at)


def _topic(
    at: At, topic: Things, first: Item, rest: tuple[Link, ...] = ()
) -> Chain | None:  # fmt: skip
    """ "the kitchen door, never close it": as if that was said of it in the first place."""
    if any(is_any(t) or is_number(t) or is_none(t) for t in topic.members):
        return None
    said = _named_for_it(first, replace(topic, members=tuple(map(_that_one, topic.members))))
    return None if said is None else _chain(at, said, rest)


def _that_one(thing: Named) -> Named:
    """ "that drawer, close it": the drawer."""
    that = isinstance(thing, Thing) and thing.determiner == "that"
    return replace(thing, determiner="the") if isinstance(thing, Thing) and that else thing


def _named_for_it(part: Any, topic: Things) -> Any:
    """The part with the topic in place of its first pronoun; None if it has none."""
    if isinstance(part, Things) and part.members in _IT:
        several = are_several(topic) or any(map(is_each, topic.members))
        fits = several == (part.members == _IT[1]) or any(map(is_whole, topic.members))
        return replace(topic, at=part.at) if fits else None
    if isinstance(part, tuple):
        for index, inner in enumerate(part):
            if (found := _named_for_it(inner, topic)) is not None:
                return (*part[:index], found, *part[index + 1 :])
    elif is_dataclass(part) and not isinstance(part, type):
        for name in (f.name for f in fields(part)):
            if (found := _named_for_it(getattr(part, name), topic)) is not None:
                return replace(part, **{name: found})
    return None


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
    return Layers(things.members, between, on, at)


def _all_renamed(things: Things, kind: Thing) -> Things:
    """ "the green one" among the blocks: the green block."""
    of = Things((kind,))
    members = [renamed(Things((t,)), of).members[0] for t in things.members]
    single = (replace(t, plural=False) if isinstance(t, Thing) else t for t in members)
    return replace(things, members=tuple(single))


def _link(
    _at: At, joiner: str = "", item: Any = None, modifier: Any = None, order: str = ""
) -> Link | None:
    plain = (joiner or "").removeprefix(RUN_ON) if joiner == RUN_ON + AFTER_THAT else joiner or ""
    then, said = _from_then(plain, item)
    if plain != (joiner or "") and not isinstance(said, RULES):
        then = RUN_ON + then
    if then in ("at first", "at_first", "last") and isinstance(said, (*RULES, NotThose)):
        return None  # "but not the white one first": of the order, or of what is not to be done
    return None if said is None and item is not None else Link(then, said, modifier, order)


def _sentence(
    at: At, opening: str = "", body: Any = None, more: Any = None, **around: tuple[Any, ...]
) -> Sentence | None:
    if isinstance(body, Chain):
        if opening in ("when done", "when finished") and isinstance(body.first, LIMITED):
            _, first = _from_then(AFTER_THAT, body.first)
        else:
            opening, first = _from_then(opening, body.first)
        if first is None:
            return None
        body = replace(body, first=first)
    opening = opening or ""
    told = tuple(r for said in around.values() for r in said if isinstance(r, Remark))
    ends = any(r.kind == AT_END for r in told)
    if isinstance(body, Chain) and (ends or opening == "at last"):
        body = _of_the_end(body, said_last=opening != "at last")
    if opening in (AFTER_THAT, "way back") and not isinstance(body, Chain):
        opening = "then"
    return Sentence(body, opening, more, told, at)


def _of_the_end(chain: Chain, *, said_last: bool) -> Chain:
    """ "at the end the drawer should be closed and the mug on the tray": each of them then; said
    last, of one of several wishes only, it may be meant of all of them."""
    items = [chain.first, *(link.item for link in chain.rest)]
    wishes = [i for i in items if i is not None and _final(i) is not i]
    others = [i for i in items if not (_may_be_final(i) or isinstance(i, Remark))]
    last = [i for i in items if i is not None and not isinstance(i, Remark)][-1:]
    unclear = wishes != last if said_last else bool(others)
    if unclear or any(link.modifier for link in chain.rest):
        return chain
    rest = (replace(x, item=_final(x.item)) for x in chain.rest)
    return replace(chain, first=_final(chain.first), rest=tuple(rest))


def _final(item: Any) -> Any:
    """Of an order "at the end" only says when it is carried out."""
    told = isinstance(item, Act) and isinstance(item.what, Do) and item.what.form in (TOLD, WISHED)
    return replace(item, final=True) if told or isinstance(item, Goal) else item


def _may_be_final(item: Any) -> bool:
    """Whether it may be said of the end: a wish, or what holds anyway."""
    return item is None or isinstance(item, (Remark, *RULES)) or _final(item) is not item


def _with_end(links: Sequence[Link]) -> list[Link]:
    """ "..., and at the end the drawer closed and the mug on the tray": each of them then."""
    begins = next((i for i, x in enumerate(links) if x.joiner.endswith("at last")), len(links))
    ends = begins + 1
    while ends < len(links) and links[ends].joiner in ("and", "comma", ""):
        ends += 1
    said = links[begins:ends]
    if any(x.modifier for x in said) or not all(_may_be_final(x.item) for x in said):
        return list(links)
    final = (replace(x, item=_final(x.item)) for x in said)
    return [*links[:begins], *final, *links[ends:]]


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


def _chain(
    at: At, first: Item, rest: tuple[Link, ...] = (), begins: str | None = None
) -> Chain | None:
    """A rule takes no modifier, and "the rest wherever" no exception; "of the blocks, only the red
    one" would say nothing of other things."""
    of_two = _with_one_before(_with_choice([Link("", first), *rest]))
    begun = None if of_two is None else _with_first(of_two)
    ordered = None if begun is None else _with_last(begun)
    if ordered is None:
        return None
    links = _with_end(_only_after(ordered))
    assert links[0].item is not None
    first, rest = links[0].item, tuple(links[1:])
    among = isinstance(first, Remark) and first.kind == AMONG
    if any(isinstance(x.item, Remark) and x.item.kind == AMONG for x in rest):
        return None  # "stay clear of the cat, and of the dog": of that, too
    if among and (not rest or any(_says_only(x.item) for x in rest)):
        return None
    if among and any(isinstance(p, Pronoun) and p.kind in OTHERS for x in rest for p in parts(x)):
        return None  # "of the two cups, the red one to the desk and the other to the bed"
    if among and isinstance(first, Remark):
        of_those = [_of_those(link, first.things) for link in rest]
        rest = tuple(x for x in of_those if x is not None)
        if len(rest) < len(of_those):
            return None
    if rest and rest[0].joiner == "comma" and _speaks_of_all(first) and _says_it(rest[0].item):
        return None  # "everything on the tray, put it in the bowl": nothing is put on the tray
    last: object = first
    for link, before in zip(rest, (Link("", first), *rest), strict=False):
        if _is_unclear_place(link, before) or _may_tell(link, before) or _passes(link, before):
            return None
        if link.joiner in ("comma", "at first", "at_first") and _is_named_again(link, before):
            return None
        if link.modifier is not None and isinstance(last, RULES):
            return None
        if isinstance(last, Remark) and last.kind == THE_REST and _excepts(link):
            return None
        last = link.item if link.item is not None else last
    return Chain(first, rest, begins is not None, at)


OTHERS = ("the other", "the rest")


def _passes(link: Link, before: Link) -> bool:
    """ "to the sofa by way of the table and then the desk": that is passed, too, or comes after."""
    way = before.modifier is not None and isinstance(before.modifier.other, PlaceNamed)
    what = link.item.what if isinstance(link.item, Act) else None
    named = what.things if isinstance(what, Shared) and not what.tails else None
    return way and named is not None and not named.led


def _is_named_again(link: Link, before: Link) -> bool:
    """ "the red block and the blue block, the blue one ...": something is said of its order, but
    it is not one more step."""
    act, said = before.item, link.item
    things = act.what.things if isinstance(act, Act) and isinstance(act.what, Do) else None
    what = said.what if isinstance(said, Act) else None
    one = what.things if isinstance(what, Shared) and not what.tails else None
    if things is None or one is None or len(one.members) > 1 or len(things.members) < 2:
        return False
    thing = one.members[0]
    return isinstance(thing, Thing) and _one_of(thing, things) is not None


def _with_choice(links: Sequence[Link]) -> list[Link]:
    """ "bring me a mug, the red one or the white one": one of these."""
    found: list[Link] = []
    for link in links:
        before = found[-1].item if found else None
        what = link.item.what if isinstance(link.item, Act) else None
        act = before.what if isinstance(before, Act) else None
        named = act.things if isinstance(act, Do) else None
        of = what.things if isinstance(what, Shared) and not what.tails else None
        if link.joiner != "comma" or named is None or of is None or of.joiner != "or":
            found.append(link)
            continue
        single = [_of_kind(Things((t,)), named).members[0] for t in of.members]
        nouns = {t.noun for t in single if isinstance(t, Thing)}
        if not _is_one(named) or nouns != {getattr(named.members[0], "noun", None)}:
            found.append(link)
            continue
        assert isinstance(before, Act)
        chosen = replace(named, members=tuple(single), joiner="or")
        found[-1] = replace(found[-1], item=_with_things(before, chosen))
    return found


def _is_one(things: Things) -> bool:
    """ "a mug", "one mug"."""
    thing = things.members[0]
    if len(things.members) > 1 or not isinstance(thing, Thing) or thing.plural:
        return False
    return thing.determiner in ("a", "some") or isinstance(thing.determiner, NumberOf)


def _of_those(link: Link, those: Things | None) -> Link | None:
    """ "of the blocks, put all but the red one ...": all blocks; None where it is not clear of
    which things "all" and its like are meant."""
    act = link.item
    if not any(isinstance(p, Thing) and p.noun == ANYTHING for p in parts(act)):
        return link
    things = act.what.things if isinstance(act, Act) and isinstance(act.what, Do) else None
    kind = those.members[0] if those and len(those.members) == 1 else None
    if things is None or len(things.members) > 1 or not isinstance(kind, Thing):
        return None
    (thing,) = things.members
    counted = kind.determiner == "the" or (
        isinstance(kind.determiner, NumberOf) and kind.determiner.definite
    )
    plain = kind.plural and counted and kind.apart is None and kind.such is None
    if not isinstance(thing, Thing) or thing.determiner != "all" or not plain:
        return None
    assert isinstance(act, Act)
    if thing.superlative or thing.such:
        return None
    named = replace(
        kind, determiner="all", apart=thing.apart, at=thing.at,
        attributes=(*kind.attributes, *thing.attributes),
        relations=(*kind.relations, *thing.relations),
    )  # fmt: skip
    return replace(link, item=_with_things(act, replace(things, members=(named,))))


def _speaks_of_all(item: Item) -> bool:
    what = item.what if isinstance(item, Act) else None
    return (
        isinstance(what, Shared)
        and what.things is not None
        and any(map(is_whole, what.things.members))
    )


def _may_tell(link: Link, before: Link) -> bool:
    """ "the mug and the bowl are dirty": the mug, too, rather than an order without its verb."""
    tells = isinstance(link.item, Remark) and link.item.kind in ("story", "report", "aside")
    bare = isinstance(before.item, Act) and isinstance(before.item.what, Shared)
    return tells and bare and link.joiner in ("and", "or")


def _is_unclear_place(link: Link, before: Link) -> bool:
    """ "from the sofa to the counter or the bed": another goal, or another way; "not past the
    fridge but past the sofa": on the way, or after it."""
    if not (isinstance(link.item, Act) and isinstance(link.item.what, Shared)):
        return False
    from_to = isinstance(before.item, Act) and isinstance(before.item.what, FromTo)
    avoiding = before.modifier is not None and before.modifier.kind == "avoiding"
    return (link.joiner == "or" and from_to) or (link.joiner == "but" and avoiding)


def _says_it(item: Item | None) -> bool:
    if isinstance(item, RULES):
        return _has_pronoun(item)
    what = item.what if isinstance(item, Act) else None
    return isinstance(what, Do) and what.things is not None and what.things.members == _IT[0]


def _with_last(links: Sequence[Link]) -> list[Link] | None:
    """ "all the blocks in the bowl, the red one last": the others, then that one; None where it is
    not clear whether it is one of those named before it."""
    found: list[Link] = []
    for link in links:
        if link.joiner != "last":
            found.append(link)
            continue
        item = link.item
        if isinstance(item, Act) and isinstance(item.what, Shared) and item.what.things:
            parted = None if found[-1].joiner == "or" else _parted(found[-1].item, item)
            if parted is None:
                return None
            found[-1] = replace(found[-1], item=parted[0])
            item = parted[1]
        found.append(replace(link, joiner="then", item=item))
    return found


def _with_first(links: Sequence[Link]) -> list[Link] | None:
    """ "the book and the cup to the desk, the cup first": that one, then the others; "..., the cup
    first, then the pen and the book last": these one by one. None where it is not clear whether
    what comes then is one of them."""
    found: list[Link] = []
    parting = False
    for link in links:
        act = link.item
        what = act.what if isinstance(act, Act) else None
        named = isinstance(what, Shared) and what.things is not None and found
        goes_on = parting and isinstance(what, Shared) and not what.tails
        if not (named and (link.joiner in ("at first", "at_first") or goes_on)):
            found.append(link)
            parting = False
            continue
        assert isinstance(act, Act)
        before = found[-1]
        parted = None if before.joiner == "or" else _parted(before.item, act, again=parting)
        if parted is None or parted[1] is act:
            if parting and not _is_left(before.item, act):
                return None
            found += [] if parting else [link]
            continue
        rest, one = parted
        last = link.joiner == "last" or link.joiner.endswith("at last")
        found[-1] = replace(before, item=rest if last else one)
        found.append(replace(link, joiner="then", item=one if last else rest))
        parting = not last
    return found


def _is_left(before: Item | None, act: Act) -> bool:
    """Whether what is named is the one thing that is left of several."""
    things = getattr(before.what, "things", None) if isinstance(before, Act) else None
    one = getattr(act.what, "things", None)
    return bool(things and one and renamed(one, things).members == things.members)


def _one_before(at: At, first: Things, then: Things) -> Act | None:
    """ "the big one before the small one"."""
    if len(first.members) > 1 or len(then.members) > 1:
        return None
    return Act(Shared(Things((*first.members, *then.members), "and", at=at)), at=at)


def _with_one_before(links: Sequence[Link]) -> list[Link] | None:
    """ "both mugs to the desk, the red one before the blue one": the blue one only after that; None
    where these are not the two that were named."""
    found: list[Link] = []
    for link in links:
        if link.joiner != "of two":
            found.append(link)
            continue
        before = found[-1].item if found else None
        one, other = _two_of(before, link.item)
        if not isinstance(before, Act) or one is None or other is None:
            return None
        found[-1] = replace(found[-1], item=_with_things(before, one))
        found.append(replace(link, joiner="only then", item=_with_things(before, other)))
    return found


def _two_of(before: Item | None, said: Item | None) -> tuple[Things | None, Things | None]:
    """The two things that a step is done with, in the order said."""
    act = before.what if isinstance(before, Act) else None
    of = act.things if isinstance(act, Do | Shared) else None
    named = said.what.things if isinstance(said, Act) and isinstance(said.what, Shared) else None
    if of is None or named is None or of.led or of.marker:
        return None, None
    if len(of.members) == 2 and of.joiner == "and":
        found = [_one_of(t, of) if isinstance(t, Thing) else None for t in named.members]
        if None in found or found[0] is found[1]:
            return None, None
        one, other = (replace(of, members=(t,), joiner="") for t in found if t is not None)
        return one, other
    (kind,) = of.members if len(of.members) == 1 else (None,)
    if not isinstance(kind, Thing) or kind.determiner != "both" or kind.apart is not None:
        return None, None
    single = replace(of, members=(replace(kind, plural=False),))
    one, other = (_of_kind(Things((t,)), single) for t in named.members)
    return one, other


def _of_kind(one: Things, kind: Things) -> Things:
    """ "the big one" of the red blocks: the big red block."""
    (thing,), (of,) = one.members, kind.members
    named = renamed(one, kind)
    if not isinstance(thing, Thing) or thing.noun or not isinstance(of, Thing):
        return named
    alike = tuple(sorted({*thing.attributes, *of.attributes}))
    return replace(named, members=(replace(thing, noun=of.noun, attributes=alike),))


def _with_things(act: Act, things: Things) -> Act:
    assert not isinstance(act.what, FromTo)
    return replace(act, what=replace(act.what, things=things))


def _one_of(one: Thing, things: Things) -> Thing | None:
    """The only one of several things that a description fits: "the red one"."""
    fitting = [
        t for t in things.members
        if isinstance(t, Thing)
        and one.noun in ("", t.noun)
        and set(one.attributes) <= set(t.attributes)
        and (one.relations, one.apart, one.superlative, one.such) == ((), None, None, None)
    ]  # fmt: skip
    return fitting[0] if len(fitting) == 1 and not fitting[0].plural else None


def _parted(before: Item | None, last: Act, *, again: bool = False) -> tuple[Act, Act] | None:
    """A step with several things without the one that comes first or last, and that one's step;
    both as they are where that is another thing."""
    if not isinstance(before, Act) or isinstance(before.what, FromTo) or before.what.things is None:
        return None
    assert isinstance(last.what, Shared) and last.what.things is not None
    things, one = before.what.things, last.what.things
    thing = things.members[0]
    if len(things.members) > 1 and things.joiner == "and" and isinstance(one.members[0], Thing):
        alone = _one_of(one.members[0], things)
        if alone is None or len(one.members) > 1 or last.what.tails or things.led or things.marker:
            return None
        rest = tuple(t for t in things.members if t is not alone)
        left = replace(things, members=rest, joiner="and" if rest[1:] else "")
        return (
            replace(before, what=replace(before.what, things=left)),
            replace(
                before, what=replace(before.what, things=replace(one, members=(alone,))), at=last.at
            ),
        )
    if len(one.members) + len(things.members) != 2 or not isinstance(thing, Thing):
        return None
    if not (thing.plural or thing.determiner in SEVERAL):
        alike = renamed(one, things).members[0]
        return (before, last) if alike != thing else None
    apart = thing.apart.members if thing.apart is not None else ()
    if thing.determiner not in ("all", "each", "the") or last.what.tails or (apart and not again):
        return None
    other = one.members[0]
    if again and not (isinstance(other, Thing) and other.noun in ("", thing.noun)):
        return None  # "all the blocks, the red one first, then the mug": after the others, too
    single = _of_kind(one, replace(things, members=(replace(thing, plural=False),)))
    left_out = replace(single, members=(*apart, *single.members), joiner="and" if apart else "")
    others = replace(things, members=(replace(thing, apart=left_out),))
    return (
        replace(before, what=replace(before.what, things=others)),
        replace(before, what=replace(before.what, things=single), at=last.at),
    )


def _says_only(item: Item | None) -> bool:
    return isinstance(item, NothingBut) or (isinstance(item, Act) and item.only)


def _excepts(link: Link) -> bool:
    return link.joiner == "but" or isinstance(link.item, NotThose)


def _only_after(links: Sequence[Link]) -> list[Link]:
    """ "only touch the mug once the drawer is open": only after that."""
    found: list[Link] = []
    for said in links:
        link, act = said, found[-1].item if found else None
        late = link.modifier is not None and link.modifier.kind == "after"
        if late and link.modifier and isinstance(act, Act) and act.only and act.count is None:
            found[-1] = replace(found[-1], item=replace(act, only=False))
            link = replace(link, modifier=replace(link.modifier, kind="only after"))
        found.append(link)
    return found


CHAINS: Mapping[str, Callable[..., Any]] = {
    "LedItem": _led_item("after"), "WhenItem": _led_item("when"), "IfRule": _led_item("if"),
    "WhileItem": _led_item("while"), "OnlyAfterItem": _led_item("only after"),
    "Conditional": _conditional, "When": _conditional, "Limited": _limited,
    "WhileRule": _while_rule, "Led": _led, "Chain": _chain, "Topic": _topic, "Layers": _layers,
    "Link": _link, "OneBefore": _one_before, "Sentence": _sentence,
}  # fmt: skip
"""What the arrows name that join clauses."""
