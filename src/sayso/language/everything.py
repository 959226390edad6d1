""" "put everything on the tray": what that is, of all the things that there are.

Not the place itself, nor what the place stands on, nor what cannot be carried.
"""

from __future__ import annotations

from typing import TypeGuard

from sayso.core.vocabulary import Vocabulary
from sayso.language.meaning import Named, Thing, Things
from sayso.logic.formula import Referent, Relation, Term

ANYTHING = "thing"
_KNOWN = frozenset({"", "the", "all", "each", "both", "those"})
"""What stands before exceptions of which it is clear which they are."""


def is_everything(things: Things) -> bool:
    """Whether these are all things, or all but some: "everything", "all but the mug".

    "All but one of the blocks" are none of these: those are all the blocks but one.
    """
    thing = things.members[0]
    if len(things.members) > 1 or not bare_everything(thing):
        return False
    apart = thing.apart.members if thing.apart else ()
    return all(isinstance(t, Thing) and t.determiner in _KNOWN for t in apart)


def bare_everything(thing: Named) -> TypeGuard[Thing]:
    """Whether this is "everything", whatever is excepted; "everything red" is not."""
    if not isinstance(thing, Thing):
        return False
    return thing == Thing("all", (), ANYTHING, thing.plural, apart=thing.apart)


def left_out(place: Referent, types: str, vocabulary: Vocabulary) -> tuple[Term, ...]:
    """What nobody means who says that everything goes to a place, being of no such types."""
    fixed = [
        noun
        for kind in vocabulary.kinds
        for noun in kind.nouns
        if kind.types and not vocabulary.fits(noun, types)
    ]
    fixtures = tuple(Referent(noun, quantifier="all") for noun in fixed)
    if place.noun in fixed:
        return fixtures
    below = Referent(ANYTHING, (), (Relation("isbelow", (place,)),), "all")
    return (place, below, *fixtures)
