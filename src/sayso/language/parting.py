"""Things of which one comes first, or last: the one, and what is left of the others."""

from __future__ import annotations

from dataclasses import replace

from sayso.language.meaning import Act, FromTo, Item, NumberOf, Shared, Thing, Things, renamed
from sayso.language.thing_makers import SEVERAL, one_of


def parted_steps(before: Item | None, last: Act, *, again: bool = False) -> tuple[Act, Act] | None:
    """A step with several things without the one that comes first or last, and that one's step;
    both as they are where that is another thing. None where it is not clear.

    Args:
        again: whether one was parted from them before.
    """
    if not isinstance(before, Act) or isinstance(before.what, FromTo) or before.what.things is None:
        return None
    assert isinstance(last.what, Shared) and last.what.things is not None
    things, one = before.what.things, last.what.things
    listed = len(things.members) > 1 and things.joiner == "and"
    if listed and isinstance(one.members[0], Thing):
        parted = None if last.what.tails else _parted_from_list(things, one)
    elif len(one.members) + len(things.members) != 2 or not isinstance(things.members[0], Thing):
        parted = None
    elif not (things.members[0].plural or things.members[0].determiner in SEVERAL):
        alike = renamed(one, things).members[0]
        return (before, last) if alike != things.members[0] else None
    else:
        parted = None if last.what.tails else _parted_from_kind(things, one, again=again)
    if parted is None:
        return None
    others, alone = parted
    return with_things(before, others), replace(with_things(before, alone), at=last.at)


def _parted_from_list(things: Things, one: Things) -> tuple[Things, Things] | None:
    """ "the mug and the red cup", "the red one": the mug, and the red cup."""
    thing = one.members[0]
    alone = one_of(thing, things) if isinstance(thing, Thing) else None
    if alone is None or len(one.members) > 1 or things.led or things.marker:
        return None
    rest = tuple(t for t in things.members if t is not alone)
    left = replace(things, members=rest, joiner="and" if rest[1:] else "")
    return left, replace(one, members=(alone,))


def _parted_from_kind(
    things: Things, one: Things, *, again: bool
) -> tuple[Things, Things] | None:  # fmt: skip
    """ "all the blocks", "the red one": all but the red one, and the red block."""
    thing, other = things.members[0], one.members[0]
    assert isinstance(thing, Thing)
    apart = thing.apart.members if thing.apart is not None else ()
    both = NumberOf(2, definite=True) if thing.determiner == "both" else thing.determiner
    counted = both if isinstance(both, NumberOf) else None
    one_less = counted is not None and counted.definite and counted.number > 1
    if not (thing.determiner in ("all", "each", "the") or one_less) or (apart and not again):
        return None
    if again and not (isinstance(other, Thing) and other.noun in ("", thing.noun)):
        return None  # "all the blocks, the red one first, then the mug": after the others, too
    kind = replace(thing, plural=False, determiner="the" if counted else thing.determiner)
    single = of_kind(one, replace(things, members=(kind,)))
    left_out = replace(single, members=(*apart, *single.members), joiner="and" if apart else "")
    rest = replace(thing, apart=left_out)
    if counted is not None:  # "the three blocks, the red one first": then the other two
        rest = replace(rest, determiner=replace(counted, number=counted.number - 1))
    return replace(things, members=(rest,)), single


def of_kind(one: Things, kind: Things) -> Things:
    """ "the big one" of the red blocks: the big red block."""
    (thing,), (of,) = one.members, kind.members
    named = renamed(one, kind)
    if not isinstance(thing, Thing) or thing.noun or not isinstance(of, Thing):
        return named
    alike = tuple(sorted({*thing.attributes, *of.attributes}))
    return replace(named, members=(replace(thing, noun=of.noun, attributes=alike),))


def with_things(act: Act, things: Things) -> Act:
    assert not isinstance(act.what, FromTo)
    return replace(act, what=replace(act.what, things=things))
