"""What a kind that was named says of kinds that were never seen: it goes by what they have.

"It is no lamp" names a kind. Where lamps alone have something that can be lit, a lantern that has
it, too, is as good as a lamp: what an action needs of a thing is what it has, more than its name.
Of all that was seen this changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.learning.synthesis.columns import Examples
from sayso.learning.synthesis.guards import flags_of
from sayso.learning.synthesis.programs import All, Either, Exists, Flag, Kind, Not, Program

_HAS = "has "


def for_new_kinds(program: Program, examples: Examples) -> Program:
    """The program, with its kinds told by their attributes as well, where these tell them.

    Kinds that a person listed, and those that a common word covers, stay as they are.
    """
    match program:
        case Kind(attribute="category", spelled=-1):
            has = _had(program, examples)
            return Either((program, has)) if has else program
        case Not(part) | Exists(part):
            return replace(program, part=for_new_kinds(part, examples))
        case All(parts) | Either(parts):
            return replace(program, parts=tuple(for_new_kinds(p, examples) for p in parts))
    return program


def _had(kind: Kind, examples: Examples) -> Program | None:
    """What all things of the kind that were seen have, if no other thing has all of it."""
    tables = examples.seen_tables
    names = [f.name.removeprefix(_HAS) for f in flags_of(tables) if f.name.startswith(_HAS)]
    things: list[tuple[bool, frozenset[str]]] = []
    for table in tables:
        had = np.array([table.observes(n) for n in names], bool).reshape(len(names), table.count)
        things += [
            (category in kind.names, frozenset(n for n, has in zip(names, row, strict=True) if has))
            for category, row in zip(table.categories, had.T, strict=True)
        ]
    own = [has for member, has in things if member]
    common = frozenset.intersection(*own) if own else frozenset()
    if not common or any(common <= has for member, has in things if not member):
        return None
    flags = tuple(Flag(_HAS + n, (kind.arg,)) for n in sorted(common))
    return flags[0] if len(flags) == 1 else All(flags)
