"""Chains settled: what a later item says of an earlier one is said in that one at once.

"Put the blocks on the tray, the red one first" is parsed as two items. Settled, each item says by
itself what is done and its joiner when: put the red block there, *then* the other blocks.

What goes in are the items of a chain as they were parsed, each with its joiner; the first has none.
What comes out are links that say the same without choices, kinds, orders and ends that are told
apart, or None where the words do not fit together or it is not clear how: then they are to be read
in another way, or asked about. What words refer to is not known yet: whether "the red one" may be
one of those named before is told from the words alone.

`REWRITES` are done in their order, each on what the one before it made; then no link may be
`UNCLEAR` beside those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sayso.language.everything import ANYTHING
from sayso.language.meaning import (
    AMONG,
    ANY_COLOR,
    RULES,
    TOLD,
    WISHED,
    Act,
    Do,
    Fact,
    FromTo,
    Goal,
    Item,
    Link,
    NothingBut,
    NotThose,
    NumberOf,
    PlaceNamed,
    Pronoun,
    Remark,
    Shared,
    Thing,
    Things,
    has_pronoun,
    parts,
    renamed,
)
from sayso.language.orders import (
    AT_FIRST,
    for_whoever_asks,
    reordered,
    with_orders_apart,
    with_place,
    with_verb_before,
    with_when_done,
)
from sayso.language.parting import of_kind, parted_steps, with_things
from sayso.language.thing_makers import is_number, is_whole, one_of

Rewrite: TypeAlias = Callable[[Sequence[Link]], "list[Link] | None"]
Unclear: TypeAlias = Callable[[Link, Sequence[Link]], bool]
IT = (Pronoun("it"),)
THE_REST = "the rest"
"""What is told of things that may be wherever there is room."""
_OTHERS = ("the other", "the rest")


def settled(links: Sequence[Link]) -> list[Link] | None:
    """The links of a chain that say by themselves what is done; None where that is not clear."""
    found: list[Link] | None = list(links)
    for rewrite in REWRITES:
        found = None if found is None else rewrite(found)
    if found is None:
        return None
    for index, link in enumerate(found[1:], 1):
        if any(is_unclear(link, found[:index]) for is_unclear in UNCLEAR):
            return None
    return found


# -- rewrites, in their order -------------------------------------------------------------


def with_choice(links: Sequence[Link]) -> list[Link]:
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
        single = [of_kind(Things((t,)), named).members[0] for t in of.members]
        nouns = {t.noun for t in single if isinstance(t, Thing)}
        if not _is_one(named) or nouns != {getattr(named.members[0], "noun", None)}:
            found.append(link)
            continue
        assert isinstance(before, Act)
        chosen = replace(named, members=tuple(single), joiner="or")
        found[-1] = replace(found[-1], item=with_things(before, chosen))
    return found


def _is_one(things: Things) -> bool:
    """ "a mug", "one mug"."""
    thing = things.members[0]
    if len(things.members) > 1 or not isinstance(thing, Thing) or thing.plural:
        return False
    return thing.determiner in ("a", "some") or isinstance(thing.determiner, NumberOf)


def with_one_before(links: Sequence[Link]) -> list[Link] | None:
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
        found[-1] = replace(found[-1], item=with_things(before, one))
        found.append(replace(link, joiner="only then", item=with_things(before, other)))
    return found


def _two_of(before: Item | None, said: Item | None) -> tuple[Things | None, Things | None]:
    """The two things that a step is done with, in the order said."""
    act = before.what if isinstance(before, Act) else None
    of = act.things if isinstance(act, Do | Shared) else None
    named = said.what.things if isinstance(said, Act) and isinstance(said.what, Shared) else None
    if of is None or named is None or of.led or of.marker:
        return None, None
    if len(of.members) == 2 and of.joiner == "and":
        found = [one_of(t, of) if isinstance(t, Thing) else None for t in named.members]
        if None in found or found[0] is found[1]:
            return None, None
        one, other = (replace(of, members=(t,), joiner="") for t in found if t is not None)
        return one, other
    (kind,) = of.members if len(of.members) == 1 else (None,)
    if not isinstance(kind, Thing) or kind.determiner != "both" or kind.apart is not None:
        return None, None
    single = replace(of, members=(replace(kind, plural=False),))
    one, other = (of_kind(Things((t,)), single) for t in named.members)
    return one, other


def with_first(links: Sequence[Link]) -> list[Link] | None:
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
        if not (named and (link.joiner in AT_FIRST or goes_on)):
            found.append(link)
            parting = False
            continue
        assert isinstance(act, Act)
        before = found[-1]
        parted = None if before.joiner == "or" else parted_steps(before.item, act, again=parting)
        if parted is None or parted[1] is act:
            unclear = link is not links[-1] and _is_of_so_many(before.item, act)
            if unclear or (parting and not _is_left(before.item, act)):
                return None
            found += [] if parting else [link]
            continue
        rest, one = parted
        last = link.joiner == "last" or link.joiner.endswith("at last")
        found[-1] = replace(before, item=rest if last else one)
        found.append(replace(link, joiner="then", item=one if last else rest))
        parting = not last
    return found


def _is_of_so_many(before: Item | None, act: Act) -> bool:
    """ "each of the three blocks, starting with the red one": which is one of the three, so that it
    is not clear whether what comes then waits for all of them."""
    things = getattr(before.what, "things", None) if isinstance(before, Act) else None
    one = getattr(act.what, "things", None)
    if things is None or one is None or len(things.members) + len(one.members) != 2:
        return False
    kind, single = things.members[0], one.members[0]
    alike = isinstance(kind, Thing) and isinstance(single, Thing) and single.noun in ("", kind.noun)
    return alike and isinstance(getattr(kind, "determiner", None), NumberOf)


def _is_left(before: Item | None, act: Act) -> bool:
    """Whether what is named is the one thing that is left of several."""
    things = getattr(before.what, "things", None) if isinstance(before, Act) else None
    one = getattr(act.what, "things", None)
    return bool(things and one and renamed(one, things).members == things.members)


def with_last(links: Sequence[Link]) -> list[Link] | None:
    """ "all the blocks in the bowl, the red one last": the others, then that one; None where it is
    not clear whether it is one of those named before it."""
    found: list[Link] = []
    for link in links:
        if link.joiner != "last":
            found.append(link)
            continue
        item = link.item
        if isinstance(item, Act) and isinstance(item.what, Shared) and item.what.things:
            parted = None if found[-1].joiner == "or" else parted_steps(found[-1].item, item)
            if parted is None:
                return None
            found[-1] = replace(found[-1], item=parted[0])
            item = parted[1]
        found.append(replace(link, joiner="then", item=item))
    return found


def with_own_count(links: Sequence[Link]) -> list[Link]:
    """ "each room at least once, the kitchen only once, the bathroom last": how often that one is
    visited, at any time."""
    found: list[Link] = []
    counted: list[Link] = []
    of: Act | None = None
    for link in links:
        one = link.item if link.joiner in ("comma", "and", "but") and not link.modifier else None
        own = _with_own_count(of, one) if of is not None and isinstance(one, Act) else None
        if own is not None:
            counted.append(replace(link, joiner="also", item=own))
            continue
        found.append(link)
        bare = isinstance(link.item, Act) and isinstance(link.item.what, Shared)
        if not (bare and (link.joiner == "last" or link.joiner in AT_FIRST)):
            of = link.item if isinstance(link.item, Act) else None
    return [*found, *counted]


def _with_own_count(of: Act, one: Act) -> Act | None:
    """The step with the one thing of which it is said how often; None where nothing such is."""
    what, deed = one.what, of.what
    if one.count is None or not isinstance(what, Shared) or not isinstance(deed, Do):
        return None
    if what.things is None or what.tails or deed.things is None or len(what.things.members) > 1:
        return None
    (kind, *more) = deed.things.members
    if more or not isinstance(kind, Thing) or kind.determiner not in ("all", "each"):
        return None
    single = replace(kind, plural=False)
    return replace(one, what=replace(deed, things=of_kind(what.things, Things((single,)))))


def with_only_after(links: Sequence[Link]) -> list[Link]:
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


def with_end(links: Sequence[Link]) -> list[Link]:
    """ "..., and at the end the drawer closed and the mug on the tray": each of them then."""
    begins = next((i for i, x in enumerate(links) if x.joiner.endswith("at last")), len(links))
    ends = begins + 1
    while ends < len(links) and links[ends].joiner in ("and", "comma", ""):
        ends += 1
    said = links[begins:ends]
    if any(x.modifier for x in said) or not all(may_be_final(x.item) for x in said):
        return list(links)
    told = (replace(x, item=final(x.item)) for x in said)
    return [*links[:begins], *told, *links[ends:]]


def final(item: Any) -> Any:
    """Of an order "at the end" only says when it is carried out."""
    told = isinstance(item, Act) and isinstance(item.what, Do) and item.what.form in (TOLD, WISHED)
    return replace(item, final=True) if told or isinstance(item, Goal) else item


def may_be_final(item: Any) -> bool:
    """Whether it may be said of the end: a wish, or what holds anyway."""
    return item is None or isinstance(item, (Remark, *RULES)) or final(item) is not item


def of_those(links: Sequence[Link]) -> list[Link] | None:
    """ "of the blocks, put all but the red one in the bowl": all the blocks; "of the blocks, only
    the red one" would say nothing of other things."""
    (first, *rest) = links
    if any(_tells_of_which(link) for link in rest):
        return None  # "stay clear of the cat, and of the dog": of that, too
    if not isinstance(first.item, Remark) or not _tells_of_which(first):
        return list(links)
    if not rest or any(_says_only(link.item) for link in rest):
        return None
    if any(isinstance(p, Pronoun) and p.kind in _OTHERS for x in rest for p in parts(x)):
        return None  # "of the two cups, the red one to the desk and the other to the bed"
    kept = [_of_those(link, first.item.things) for link in rest]
    named = [link for link in kept if link is not None]
    return [first, *named] if len(named) == len(kept) else None


def _tells_of_which(link: Link) -> bool:
    return isinstance(link.item, Remark) and link.item.kind == AMONG


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
    return replace(link, item=with_things(act, replace(things, members=(named,))))


def _says_only(item: Item | None) -> bool:
    return isinstance(item, NothingBut) or (isinstance(item, Act) and item.only)


REWRITES: tuple[Rewrite, ...] = (
    for_whoever_asks, with_orders_apart, with_place, with_when_done, with_choice, with_one_before,
    with_own_count, with_verb_before, reordered, with_first, with_last, with_only_after, with_end,
    of_those,
)  # fmt: skip


# -- what is not clear beside what comes before it ------------------------------------------


def is_said_of_all(link: Link, before: Sequence[Link]) -> bool:
    """ "everything on the tray, put it in the bowl": nothing is put on the tray."""
    first = before[0].item
    what = first.what if isinstance(first, Act) else None
    named = what.things if isinstance(what, Shared) else None
    of_all = named is not None and any(map(is_whole, named.members))
    return len(before) == 1 and link.joiner == "comma" and of_all and _says_it(link.item)


def _says_it(item: Item | None) -> bool:
    if isinstance(item, RULES):
        return has_pronoun(item)
    what = item.what if isinstance(item, Act) else None
    return isinstance(what, Do) and what.things is not None and what.things.members == IT


def is_other_place(link: Link, before: Sequence[Link]) -> bool:
    """ "from the sofa to the counter or the bed": another goal, or another way; "not past the
    fridge but past the sofa": on the way, or after it."""
    if not (isinstance(link.item, Act) and isinstance(link.item.what, Shared)):
        return False
    last = before[-1]
    from_to = isinstance(last.item, Act) and isinstance(last.item.what, FromTo)
    avoiding = last.modifier is not None and last.modifier.kind == "avoiding"
    return (link.joiner == "or" and from_to) or (link.joiner == "but" and avoiding)


def is_passed_too(link: Link, before: Sequence[Link]) -> bool:
    """ "to the sofa by way of the table and then the desk": that is passed, too, or comes after."""
    modifier = before[-1].modifier
    way = modifier is not None and isinstance(modifier.other, PlaceNamed)
    what = link.item.what if isinstance(link.item, Act) else None
    named = what.things if isinstance(what, Shared) and not what.tails else None
    return way and named is not None and not named.led


def is_told_too(link: Link, before: Sequence[Link]) -> bool:
    """ "the mug and the bowl are dirty": the mug, too, rather than an order without its verb."""
    tells = isinstance(link.item, Remark) and link.item.kind in ("story", "deed", "report", "aside")
    last = before[-1].item
    bare = isinstance(last, Act) and isinstance(last.what, Shared)
    return tells and bare and link.joiner in ("and", "or")


def is_named_again(link: Link, before: Sequence[Link]) -> bool:
    """ "the red block and the blue block, the blue one ...": something is said of its order, but
    it is not one more step."""
    act, said = before[-1].item, link.item
    things = act.what.things if isinstance(act, Act) and isinstance(act.what, Do) else None
    what = said.what if isinstance(said, Act) else None
    one = what.things if isinstance(what, Shared) and not what.tails else None
    if link.joiner not in ("comma", *AT_FIRST) or things is None or one is None:
        return False
    thing = one.members[0]
    single = len(one.members) == 1 and len(things.members) > 1 and isinstance(thing, Thing)
    return single and isinstance(thing, Thing) and one_of(thing, things) is not None


def modifies_rule(link: Link, before: Sequence[Link]) -> bool:
    """A rule takes no modifier."""
    return link.modifier is not None and isinstance(_last_item(before), RULES)


def leaves_out_of_rest(link: Link, before: Sequence[Link]) -> bool:
    """ "the rest wherever there is room, but not the plate": such things are where they may be."""
    last = _last_item(before)
    excepts = link.joiner == "but" or isinstance(link.item, NotThose)
    return excepts and isinstance(last, Remark) and last.kind == THE_REST


def is_done_there(link: Link, before: Sequence[Link]) -> bool:
    """ "in the bedroom, take the towel": it is done there, and nothing is put there."""
    what = before[0].item.what if len(before) == 1 and isinstance(before[0].item, Act) else None
    place = isinstance(what, Shared) and what.things is None
    act = link.item.what if isinstance(link.item, Act) else None
    return place and link.joiner == "comma" and isinstance(act, Do)


def names_first(link: Link, before: Sequence[Link]) -> bool:
    """ "touch the red block, and the blue one first": that one, rather than both of them."""
    item = _last_item(before)
    act = item.what if isinstance(item, Act) else None
    if link.modifier is None or link.modifier.kind != "first" or not isinstance(act, Do):
        return False
    members = act.things.members if act.things is not None and not act.tails else ()
    return len(members) > 1 and members[-1].at[0] - members[-2].at[1] > 1


def goes_on_behind_first(link: Link, before: Sequence[Link]) -> bool:
    """ "take the can out, but open the drawer first, put it behind the bowl and ...": what comes
    then may follow what is done first, or all of it."""
    first = before[-1]
    moved = isinstance(first.item, Act) and isinstance(first.item.what, Do)
    step = isinstance(link.item, Act) and isinstance(link.item.what, Do)
    return first.joiner in AT_FIRST and moved and step and link.joiner in ("comma", "and")


def _last_item(links: Sequence[Link]) -> Item | None:
    return next((x.item for x in reversed(links) if x.item is not None), None)


def is_of_named_looks(link: Link, before: Sequence[Link]) -> bool:
    """ "the red block on the plate, any color": only one of a kind leaves that open."""
    if not (isinstance(link.item, Remark) and link.item.kind == ANY_COLOR):
        return False
    said = before[-1].item
    handled = getattr(getattr(said, "what", None), "things", None)
    if isinstance(said, Goal) and isinstance(said.state.states[0], Fact):
        handled = said.state.states[0].things[0]
    if isinstance(said, RULES) or handled is None or len(handled.members) != 1:
        return True
    (thing,) = handled.members
    named = not isinstance(thing, Thing) or thing.attributes or not thing.noun
    return bool(named) or not (_is_one(handled) or is_number(thing))


UNCLEAR: tuple[Unclear, ...] = (
    is_of_named_looks,
    is_said_of_all, is_other_place, is_passed_too, is_told_too, is_named_again, modifies_rule,
    leaves_out_of_rest, is_done_there, names_first, goes_on_behind_first,
)  # fmt: skip
