"""What an instruction tells of the world, without asking for anything.

Nothing of this is a step. It gives later words something to refer to: "it", "one", "a
replacement", "the second item", "the table"; and where a thing is, which describes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sayso.language import meaning as m
from sayso.language.entities import Entity, Group
from sayso.language.references import Discourse
from sayso.language.thing_makers import is_any
from sayso.logic.formula import SOME, Referent


def set_aside(part: object) -> Iterator[m.At]:
    """Where a sentence says what asks for nothing, but for mere courtesies."""
    for inner in m.parts(part):
        if isinstance(inner, m.Remark) and inner.kind not in m.UNTOLD:
            yield inner.at


def instead_of_nothing(sentence: m.Sentence) -> Iterator[m.At]:
    """Where a first sentence says "instead": of what, was not told."""
    first = sentence.body.first if isinstance(sentence.body, m.Chain) else None
    if isinstance(first, m.Act) and first.marker == "instead":
        yield first.at[1] - 1, first.at[1]


def tell(discourse: Discourse, remark: m.Remark) -> None:
    """Takes a remark in. Raises NOT_UNDERSTOOD for one that refers to nothing."""
    match remark.kind:
        case "speaker":
            _speaker(discourse, remark)
        case "report" | m.REASON:
            discourse.named_unknown = True
        case "listing" | m.AMONG:
            _listing(discourse, remark)
        case "liking":
            assert remark.noun is not None
            kind = Referent(remark.noun.noun, remark.noun.attributes)
            discourse.liked = Entity(kind, SOME)
        case "story":
            _story(discourse, remark)
        case "deed" if discourse.made or discourse.visited or discourse.told or discourse.listed:
            discourse.named_unknown = True  # "it" may be that, or what was named before
        case "deed":
            _story(discourse, remark)
        case "located":
            _located(discourse, remark)
        case "located it":
            _located_it(discourse, remark)


def _speaker(discourse: Discourse, remark: m.Remark) -> None:
    if discourse.speaker is not None:
        raise discourse.refuse(remark.at, "where you are was said before.")
    discourse.speaker = discourse.single(_things(remark), "condition")


def _things(remark: m.Remark) -> m.Things:
    thing = remark.thing
    if isinstance(thing, m.Things):
        return thing
    assert thing is not None
    return m.Things((thing,), at=remark.at)


def _listing(discourse: Discourse, remark: m.Remark) -> None:
    """ "there is a sofa and a bed": what "all the places" and "the second one" are of."""
    assert remark.things is not None
    found: list[Entity] = []
    for member in map(_the, remark.things.members):
        found += discourse.one(member, "goal").entities
    discourse.listed = tuple(found)
    discourse.mention(Group(tuple(found), "and" if len(found) > 1 else ""))
    _remember(discourse, [e.referent for e in found])


def _the(thing: m.Named) -> m.Named:
    """ "I spilled some coke": the coke, from then on."""
    if isinstance(thing, m.Thing) and (is_any(thing) or thing.determiner in ("that", "")):
        return replace(thing, determiner="the", plural=False)
    return thing


def _story(discourse: Discourse, remark: m.Remark) -> None:
    """ "I spilled my coke on the desk earlier"."""
    thing = remark.thing
    if isinstance(thing, m.Things):
        thing = thing.members[0]
    assert thing is not None
    group = discourse.mention(discourse.one(_the(thing), "goal"))
    discourse.story = group.entities[0]
    _remember(discourse, [group.entities[0].referent])


def _located(discourse: Discourse, remark: m.Remark) -> None:
    """ "my cat is on the brown table"."""
    entity = discourse.group(_things(remark), "condition").entities[0]
    _place(discourse, entity, remark)


def _located_it(discourse: Discourse, remark: m.Remark) -> None:
    before = [g for g in discourse.item_before if not g.plural]
    if len(before) > 1:
        before = [g for g in before if g.entities[0].quantity == SOME] or before
    if len(before) != 1:
        raise discourse.refuse(remark.at, "it is not clear what is there.", hint="name the thing.")
    _place(discourse, before[0].entities[0], remark)


def _place(discourse: Discourse, entity: Entity, remark: m.Remark) -> None:
    relations = tuple(discourse.relation(r, remark.at) for r in remark.relations)
    kinds = discourse.lexicon.vocabulary.types_of
    relations = tuple(r for r in relations if all(kinds(o.noun) is not None for o in r.others))
    plain = entity.referent
    if relations and not plain.relations:  # else "he's on the telephone": that is no place
        discourse.places[plain] = relations
    _remember(discourse, [replace(plain, relations=relations)])


def _remember(discourse: Discourse, things: list[Referent]) -> None:
    for thing in things:
        landmarks = [o for r in thing.relations for o in r.others]
        discourse.told += (thing, *landmarks)
