"""What a kind that was named says of kinds that were never seen: it goes by what they have.

"It is no lamp" names a kind. Where lamps alone have something that can be lit, a lantern that has
it, too, is as good as a lamp: what an action needs of a thing is what it has, or is, more than its
name. Of all that was seen this changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.learning.synthesis.columns import Examples
from sayso.learning.synthesis.guards import HAS, TRUE, Guard, flags_of
from sayso.learning.synthesis.programs import All, Either, Exists, Flag, Kind, Not, Program


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
    """What all things of the kind that were seen have, or what is so of them, if no other thing
    has all of it, or of no other all of it is so.
    """
    flags = flags_of(examples.seen_tables)
    for condition in (HAS, TRUE):
        alike = [f for f in flags if f.name.startswith(condition)]
        common = _common(kind, alike, examples)
        if common:
            parts = tuple(Flag(name, (kind.arg,)) for name in common)
            return parts[0] if len(parts) == 1 else All(parts)
    return None


def _common(kind: Kind, flags: Sequence[Guard], examples: Examples) -> tuple[str, ...]:
    """The flags that hold of all things of the kind, and together of no other; () where none do."""
    things: list[tuple[bool, frozenset[str]]] = []
    for table in examples.seen_tables:
        held = np.array([f.truth(table) for f in flags], bool).reshape(len(flags), table.count)
        things += [
            (word in kind.names, frozenset(f.name for f, so in zip(flags, row, strict=True) if so))
            for word, row in zip(table.categories, held.T, strict=True)
        ]
    own = [found for member, found in things if member]
    common = frozenset.intersection(*own) if own else frozenset()
    if any(common <= found for member, found in things if not member):
        return ()
    return tuple(sorted(common))
