"""Meanings of the grammar's alternatives that name things, and what is asked of such meanings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from sayso.language.meaning import (
    BUT_NOT,
    SET_OFF,
    At,
    Do,
    Named,
    NumberOf,
    Ordinal,
    Pronoun,
    Purpose,
    Relation,
    Superlative,
    Thing,
    Things,
    renamed,
)
from sayso.language.nouns import Noun

SEVERAL = ("all", "each", "any", "no", "none")
_ANY_OR_SEVERAL = (*SEVERAL, "both", "a", "some", "certain")
_OF = " of"
_COMPARED = {"isinfrontof": "to ", "isbehind": "from "}
"""By which words "nearest" and "farthest" go on to what things are compared with."""
SPEAKER = "who speaks"
"""The noun of whoever speaks, which nobody says: a speaker may be a thing."""


def _set_off(at: At, things: Things) -> Things:
    return replace(things, marker=SET_OFF, at=at)


def _but_not(at: At, things: Things) -> Things:
    return replace(things, marker=BUT_NOT, at=at)


def _number(_at: At, number: str | int) -> int:
    return int(number)


def _number_of(
    _at: At, number: str | int, limit: str = "", definite: str = "",
    different: str = "", of: str = "", other: str = "", whole: str = "",
) -> NumberOf | None:  # fmt: skip
    if int(number) < 1 or (int(number) == 1 and not (limit or definite)):
        return None
    return NumberOf(
        int(number),
        limit or "",
        bool(definite),
        bool(different),
        bool(of),
        bool(other),
        bool(whole),
    )


def _of_several(determiner: str | NumberOf) -> tuple[str | NumberOf, bool]:
    """A determiner, and whether it is of several that are named: "one of the blocks"."""
    if isinstance(determiner, NumberOf):
        return determiner, determiner.of
    return determiner.removesuffix(_OF), determiner.endswith(_OF)


def _thing(
    at: At, determiner: str | NumberOf = "", adjectives: tuple[str, ...] = (),
    noun: Noun | str | None = None, relations: tuple[Relation, ...] | None = None,
    apart: Things | None = None, superlative: Superlative | None = None, one: str = "",
    nearest: Thing | Pronoun | Ordinal | None = None,
) -> Thing | None:  # fmt: skip
    if nearest is not None:
        relations = (Relation("isnearest", (nearest,)),)
    determiner, several = _of_several(determiner)
    if several and _is_single(noun, one):
        return None  # "one of the mug and the plate"
    name, plural = _name(noun, determiner, several)
    attributes = tuple(sorted(set(adjectives)))
    if determiner == "a" and plural and not one:
        return None  # "a blocks"
    if one == "one" and isinstance(determiner, NumberOf) and determiner.number > 1:
        return None  # "the two red one"
    plural |= one == "ones"
    if apart is not None and determiner in ("the", "that") and _is_single(noun, one):
        return None  # "the trash except bin"
    return Thing(
        determiner, attributes, name, plural, relations or (), apart, superlative, at=at
    )  # fmt: skip


def _is_single(noun: Noun | str | None, one: str) -> bool:
    """Whether it is one thing, of which none can be left out."""
    return one == "one" or (isinstance(noun, Noun) and not noun.plural and not noun.perhaps)


def _nth_thing(at: At, nth: int, **parts: Any) -> Thing | None:
    """ "the third block from the left"."""
    return _thing(at, superlative=Superlative(parts.pop("from"), nth), **parts)


def is_compared(what: Do) -> bool:
    """ "the block that is nearest | to the can": what follows is no place to put it."""
    thing = what.things.members[-1] if what.things else None
    superlative = thing.superlative if isinstance(thing, Thing) else None
    if not isinstance(thing, Thing) or superlative is None or superlative.at[1] != thing.at[1]:
        return False
    return any(t.text.startswith(_COMPARED.get(superlative.kind, " ")) for t in what.tails)


def _limited_thing(at: At, determiner: NumberOf, limit: str, **parts: Any) -> Thing | None:
    """ "two blocks at least"."""
    return _thing(at, determiner=replace(determiner, limit=limit), **parts)


def _such_thing(at: At, such: Any, **parts: Any) -> Thing | None:
    """ "every door that is open"; where a thing is, a relation says."""
    predicate, positive, more = such
    positive = positive != (parts.pop("not", None) == "yes")
    thing = _thing(at, **parts)
    return None if more or thing is None else replace(thing, such=(predicate, positive))


def _thing_without(at: At, without: str, **parts: Any) -> Thing | None:
    """ "the blocks that are not red": all but the red ones; of one block it says too little."""
    thing = _thing(at, **parts)
    several = thing is not None and (thing.plural or thing.determiner in _ANY_OR_SEVERAL)
    if thing is None or not several:
        return None
    red = Thing("all", (without,), thing.noun, True, at=at)
    return replace(thing, apart=Things((red,), at=at))


def _name(
    noun: Noun | str | None, determiner: str | NumberOf, of_several: bool
) -> tuple[str, bool]:
    """The noun, and whether there are several; an unknown one may be a plural after "all" and
    "any of the"."""
    if noun is None:
        return "", False
    if isinstance(noun, str):
        return noun, determiner == "all"
    counted = isinstance(determiner, NumberOf)
    several = of_several or counted or determiner in ("all", "both", "those")
    if noun.perhaps and several:
        return noun.perhaps, True
    return noun.text, noun.plural


def _landmark(at: At, inner: Relation | None = None, **parts: Any) -> Thing | None:
    return _thing(at, relations=(inner,) if inner else (), **parts)


def _variants(
    at: At, determiner: str | NumberOf, first: str, rest: tuple[Any, ...],
    noun: Noun, relations: tuple[Relation, ...] | None = None,
) -> Things | None:  # fmt: skip
    joiners = {joiner for joiner, _ in rest}
    determiner, several = _of_several(determiner)
    if len(joiners) != 1 or isinstance(determiner, NumberOf) or (several and not noun.plural):
        return None
    adjectives = (first, *(a for _, a in rest))
    plural = noun.plural and determiner not in ("the", "both")
    members = tuple(
        Thing(determiner if determiner != "both" else "the", (a,), noun.text, plural,
              relations or (), at=at)
        for a in adjectives
    )  # fmt: skip
    return Things(members, joiners.pop(), at=at)


def _things(
    at: At, first: Named | Things, rest: tuple[Any, ...] = (), marker: str = "",
) -> Things | None:  # fmt: skip
    """None where it is not clear how the things are joined."""
    members: list[Named] = []
    joiners: set[str] = set()
    led = ""
    for joined, thing in (("", first), *rest):
        joiner, _, lead = joined.partition(" ")
        led = led or lead
        joiners |= {joiner} - {""}
        if isinstance(thing, Things):
            joiners.add(thing.joiner)
            members += thing.members
        else:
            members.append(thing)
    members = _sharing_noun(members)
    added = bool(rest) and rest[-1][0].startswith("comma")
    if added and members[-1] in members[:-1]:
        return None  # "the bed and the sofa, the sofa last"
    if any(map(lends_its_noun, members[1:], members)):
        return None
    if any(map(may_be_left_out, members[1:], members)):
        return None
    if any(map(_is_bare_both, members[1:])):
        return None  # "take the mug and the bowl and both"
    if any(map(is_none, members)) and not all(_is_of_none(m, members[0]) for m in members):
        return None  # "the mug and no plate"
    if len(members) > 1 and isinstance(members[0], Thing):
        shared = members[0].determiner
        if shared in ("a", "any", "some", "certain", "one"):
            members = [members[0], *(_sharing(m, shared) for m in members[1:])]
    kinds = {"nor": "or"}
    said = {kinds.get(j, j) for j in joiners} - {"comma"}
    wanted = {"either": "or", "both": "and", "neither": "or"}.get(marker)
    if len(said) > 1 or (wanted and said != {wanted}) or ("nor" in joiners and marker != "neither"):
        return None
    if "comma" in joiners and not said:
        unplaced = not all(m.at[0] for m in members)
        return None if unplaced else Things(tuple(members), "list", marker, at, led)
    return Things(tuple(dict.fromkeys(members)), next(iter(said), ""), marker, at, led)


def _some_of(at: At, number: int, first: Named, rest: tuple[Any, ...]) -> Things | None:
    """ "at least two of the mug, the plate and the bowl"."""
    things = _things(at, first, rest)
    if things is None or things.joiner == "list" or number >= len(things.members):
        return None
    if number == 1:
        return replace(things, joiner="or", some=1)
    return replace(things, some=number) if things.joiner == "and" else None


def choices(things: Things) -> list[Things]:
    """All ways to take as many of the things as are meant at least."""
    return [
        replace(things, members=members, some=0)
        for members in combinations(things.members, things.some)
    ]


def _sharing_noun(members: list[Named]) -> list[Named]:
    """ "the red, green or blue block": each is a block; "the red one" is of what was named."""
    found = list(members)
    for i in range(len(found) - 2, -1, -1):
        thing, after = found[i], found[i + 1]
        if isinstance(thing, Thing) and isinstance(after, Thing) and after.attributes:
            words = len(thing.attributes) + bool(thing.determiner)
            alone = thing.attributes and not thing.noun and thing.at[1] - thing.at[0] == words
            if alone and after.noun and after.determiner in ("", thing.determiner):
                found[i] = replace(thing, noun=after.noun)
    return found


def _subject(_at: At, of: Things) -> Things | None:
    """What something should be so of: "anything that is there" is all of it; "any block should be
    there" is not understood, which may be one or each."""
    if says_none(of):
        return None  # "no block should be there" forbids that
    members: list[Named] = []
    for thing in of.members:
        if not isinstance(thing, Thing) or thing.determiner not in ("any", "any other"):
            members.append(thing)
        elif thing.noun == "thing":
            members.append(replace(thing, determiner="all", plural=True))
        elif thing.relations and not thing.plural:
            members.append(replace(thing, determiner="each"))
        else:
            return None
    return replace(of, members=tuple(members))


def lends_its_noun(thing: Named, before: Named) -> bool:
    """ "the red or mug": a colour alone, and then a noun that no colour goes with."""
    return (
        isinstance(before, Thing) and isinstance(thing, Thing)
        and bool(before.attributes) and not before.noun
        and bool(thing.noun) and not thing.attributes and thing.determiner == ""
    )  # fmt: skip


def may_be_left_out(thing: Named, before: Named) -> bool:
    """ "the blocks that are not red or green": the green ones are rather left out, too."""
    return (
        isinstance(before, Thing) and isinstance(thing, Thing) and before.apart is not None
        and bool(thing.attributes) and not thing.noun and thing.determiner == ""
    )  # fmt: skip


def _sharing(thing: Named, determiner: str | NumberOf) -> Named:
    """ "an apple and water bottle": the second is any, too."""
    if isinstance(thing, Thing) and thing.determiner == "" and not thing.plural:
        return replace(thing, determiner=determiner)
    return thing


def _row(at: At, first: Named, rest: tuple[tuple[str, Named], ...]) -> Things:
    """ "bedroom, kitchen, desk, in that order": what is last needs no "and"."""
    return Things((first, *(thing for _, thing in rest)), "and", at=at)


def _one(at: At, thing: Named) -> Things:
    return Things((thing,), at=at)


def _relation(_at: At, kind: str, to: Any, other: Any = None) -> Relation:
    return Relation(kind, (to,) if other is None else (to, other))


def _nothing_at(at: At, kind: str, noun: Noun | None = None, adjectives: Any = ()) -> Relation:
    """ "with nothing on it", "with no block in it"."""
    thing = Thing("none", tuple(adjectives), noun.text if noun else "thing", at=at)
    return Relation(kind, (thing,))


def _relations(_at: At, first: Relation, more: tuple[Relation, ...] = ()) -> tuple[Relation, ...]:
    return (first, *more)


def _ordinal(at: At, ordinal: int, of_places: str = "", listed: str = "") -> Ordinal:
    return Ordinal(ordinal, bool(of_places), bool(listed), at=at)


def _of_two(at: At, which: str) -> Ordinal:
    """ "the former", "the latter"."""
    return Ordinal(("former", "latter").index(which), of_two=True, at=at)


def _purpose(at: At, purpose: str) -> Purpose:
    return Purpose(purpose, at)


def _more_thing(_at: At, joiner: str, thing: Any) -> tuple[str, Any]:
    return joiner, thing


def _variant(_at: At, joiner: str, adjective: str) -> tuple[str, str]:
    return joiner, adjective


def without_some(thing: Thing, apart: Things) -> Thing | None:
    """What is left of several things without some of them."""
    several = thing.determiner in SEVERAL or thing.plural
    return replace(thing, apart=apart) if several and thing.apart is None else None


def only_pronouns(things: Things) -> bool:
    """Whether nothing is named: "it", "them"."""
    return all(isinstance(t, Pronoun) for t in things.members)


def has_exception(things: Things | None) -> bool:
    members = things.members if things is not None else ()
    return any(isinstance(t, Thing) and t.apart is not None for t in members)


def to_clean(things: Things) -> bool:
    """Whether these are what a purpose names: where it is wanted may have been told before."""
    return len(things.members) == 1 and isinstance(things.members[0], Purpose)


def says_none(things: Things) -> bool:
    """Whether it is "no block" or "neither": "no block is not on the tray" is not understood."""
    named = (m.determiner for m in things.members if isinstance(m, Thing))
    return things.marker == "neither" or "none" in named


def what_is_denied(things: Things) -> Things | None:
    """What may not be, where the words name what "none", "neither" or "at most" so many may."""
    if things.marker == "neither":
        return replace(things, marker="")
    (thing, *others) = things.members
    if not others and isinstance(thing, Pronoun) and is_none(thing):
        return replace(things, members=(replace(thing, kind="one of them"),))
    if others or not isinstance(thing, Thing):
        return None
    if thing.determiner == "none":
        return replace(things, members=(replace(thing, determiner="any"),))
    if isinstance(thing.determiner, NumberOf) and thing.determiner.limit == "at most":
        more = replace(thing.determiner, limit="more than")
        return replace(things, members=(replace(thing, determiner=more),))
    return None


def names_none(things: Things) -> bool:
    """Whether it is "none of the blocks", "neither mug" or "no block"."""
    return things.marker == "neither" or any(map(is_none, things.members))


def is_any(thing: Named) -> bool:
    """Whether it is "a block", one of several."""
    return isinstance(thing, Thing) and thing.determiner in ("a", "any", "some", "certain")


def is_one(thing: Named) -> bool:
    """Whether it is one certain thing: "the red block"."""
    return isinstance(thing, Thing) and thing.determiner in ("the", "") and not thing.plural


def is_each(thing: Named) -> bool:
    """Whether it is each of several: "every block", "the blocks"."""
    return isinstance(thing, Thing) and (thing.plural or thing.determiner in SEVERAL)


def is_whole(thing: Named) -> bool:
    """Whether it is "all the blocks", "every block" or "both of them"."""
    if isinstance(thing, Pronoun):
        return thing.kind in ("all of them", "both of them")
    return isinstance(thing, Thing) and thing.determiner in ("all", "each", "both")


def is_number(thing: Named) -> bool:
    return isinstance(thing, Thing) and isinstance(thing.determiner, NumberOf)


def _is_bare_both(thing: Named) -> bool:
    """Whether it is "both" alone, which is no further thing of a list."""
    return isinstance(thing, Pronoun) and thing.kind.startswith("both") and _words_of(thing) == 1


def _words_of(thing: Pronoun) -> int:
    """How many words say it."""
    return thing.at[1] - thing.at[0]


def _is_of_none(thing: Named, first: Named) -> bool:
    """Whether a thing of a list is none of its kind: "no block", and in "no block or plate"."""
    bare = isinstance(thing, Thing) and not thing.determiner
    return is_none(thing) or (bare and is_none(first))


def is_none(thing: Named) -> bool:
    """Whether it is "no block", or "neither of them"."""
    if isinstance(thing, Pronoun):
        return thing.kind == "none of them"
    return isinstance(thing, Thing) and thing.determiner == "none"


def whole(things: Things, every: str) -> Things:
    """ "the blocks must not all be there": all the blocks."""
    (first, *more) = things.members
    if more or not isinstance(first, Thing) or first.determiner not in ("", "the"):
        return things
    return replace(things, members=(replace(first, determiner=every),))


def of_each(things: Things, every: str) -> Things | None:
    """Things of which a clause says "both", "all" or "each"; None where that does not fit them:
    "the mug or the bowl should both be put there", "the mug should both be put there"."""
    if things.joiner == "or" or not are_several(things):
        return None
    if every == "both" and len(things.members) > 2:
        return None
    first = things.members[0]
    if isinstance(first, Thing) and (
        first.determiner in ("all", "each", "both", "the rest")
        or (
            every == "both"
            and isinstance(first.determiner, NumberOf)
            and first.determiner.number != 2
        )
    ):
        return None  # "all the blocks both on the tray": it was said which of them, or how many
    return whole(things, every) if every != "each" else things


def one_of(one: Thing, things: Things) -> Thing | None:
    """The only one of several things that a description fits: "the red one"."""
    fitting = [
        t for t in things.members
        if isinstance(t, Thing)
        and one.noun in ("", t.noun)
        and set(one.attributes) <= set(t.attributes)
        and (one.relations, one.apart, one.superlative, one.such) == ((), None, None, None)
    ]  # fmt: skip
    return fitting[0] if len(fitting) == 1 and not fitting[0].plural else None


def are_several(things: Things) -> bool:
    """Whether "both" or "all" may follow: "the mug and the bowl", "the blocks", "they"."""
    (first, *more) = things.members
    if more or (isinstance(first, Thing) and first.plural):
        return True
    return isinstance(first, Pronoun) and first.kind.startswith("them")


def _mended_things(_at: At, first: Things, said: Things) -> Things | None:
    """ "the red block, no, I mean the blue one, in the bowl"."""
    return renamed(said, first) if len(first.members) == len(said.members) == 1 else None


def _speaker(at: At) -> Things:
    """ "come to me"."""
    return Things((Thing("the", noun=SPEAKER, at=at),), at=at)


THINGS: Mapping[str, Callable[..., Any]] = {
    "Me": _speaker,
    "SetOff": _set_off,
    "ButNot": _but_not,
    "Number": _number,
    "NumberOf": _number_of,
    "Thing": _thing,
    "SuchThing": _such_thing,
    "ThingWithout": _thing_without,
    "NthThing": _nth_thing,
    "LimitedThing": _limited_thing,
    "Landmark": _landmark,
    "Variants": _variants,
    "Variant": _variant,
    "Things": _things,
    "SomeOf": _some_of,
    "MoreThing": _more_thing,
    "Row": _row,
    "One": _one,
    "Relation": _relation,
    "NothingAt": _nothing_at,
    "Relations": _relations,
    "Ordinal": _ordinal,
    "OfTwo": _of_two,
    "Purpose": _purpose,
    "Subject": _subject,
    "MendedThings": _mended_things,
}
"""What the arrows name that make things."""
