"""Truths along a play that follow from what its behaviours need and bring about.

Algorithm 2 of BLADE (Liu et al., CoRL 2024): before a behaviour its preconditions hold and its
effects do not yet; afterwards its effects hold; and what is known stays so until a behaviour
alters it. Beyond the paper, what is known was so before, too, back to the behaviour that altered
it, and an atom that two sources tell differently at the same time is not labelled at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.core.symbols import Atom, Literal


@dataclass(frozen=True)
class Done:
    """One ground behaviour of a play.

    Attributes:
        effects: what it brings about, and what was not so before.
        ends: what is not so afterwards, whether it was before or not.
        forgets: what may have been altered, one way or the other.
    """

    needs: frozenset[Literal]
    effects: frozenset[Literal]
    ends: frozenset[Atom] = frozenset()
    forgets: frozenset[Atom] = frozenset()


Truths = Mapping[Atom, bool]


@dataclass(frozen=True)
class Annotated:
    """What is known at the N + 1 times around N behaviours.

    Attributes:
        truths: atoms whose truth is known, at each time.
        conflicts: atoms that were told to be both, at each time.
    """

    truths: tuple[Truths, ...]
    conflicts: tuple[frozenset[Atom], ...]


def ends_alone(behaviours: Sequence[Done]) -> Annotated:
    """What each behaviour tells of the times just before and after it (Migimatsu and Bohg 2022)."""
    told: list[set[Literal]] = [set() for _ in range(len(behaviours) + 1)]
    for t, done in enumerate(behaviours):
        told[t] |= done.needs | {Literal(x.atom, not x.positive) for x in done.effects}
        told[t + 1] |= done.effects | {Literal(a, False) for a in done.ends}
    return _settled(told)


def propagated(behaviours: Sequence[Done]) -> Annotated:
    """As `ends_alone`, and onwards and back to where a behaviour alters it."""
    ends = ends_alone(behaviours)
    told = [{Literal(a, truth) for a, truth in known.items()} for known in ends.truths]
    altered = [{*done.ends, *done.forgets, *(x.atom for x in done.effects)} for done in behaviours]
    for t in range(len(behaviours)):
        told[t + 1] |= {x for x in told[t] if x.atom not in altered[t]}
    for t in reversed(range(len(behaviours))):
        told[t] |= {x for x in told[t + 1] if x.atom not in altered[t]}
    return _settled(told, ends.conflicts)


def _settled(
    told: Sequence[set[Literal]], conflicts: Sequence[frozenset[Atom]] | None = None
) -> Annotated:
    both = tuple(
        frozenset(x.atom for x in at if Literal(x.atom, not x.positive) in at) for at in told
    )
    both = tuple(a | b for a, b in zip(both, conflicts or both, strict=True))
    truths = tuple(
        {x.atom: x.positive for x in sorted(at) if x.atom not in apart}
        for at, apart in zip(told, both, strict=True)
    )
    return Annotated(truths, both)
