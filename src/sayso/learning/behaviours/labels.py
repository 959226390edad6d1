"""Truths along a play that follow from what its behaviours need and bring about.

Algorithm 2 of BLADE (Liu et al., CoRL 2024): before a behaviour its preconditions hold and its
effects do not yet; afterwards its effects hold; and what is known stays so until a behaviour
alters it. Beyond the paper, what is known was so before, too, back to the behaviour that altered
it, and an atom that two sources tell differently at the same time is not labelled at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal
from sayso.learning.behaviours.pieces import Key, Piece, by_play, key_of
from sayso.learning.synthesis.labels import Label
from sayso.skills.boxes import in_frame
from sayso.skills.poses import upright


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


_ELSEWHERE = ((0.0, 0.0, 0.0), (0.4, -0.2, 1.3), (-0.3, 0.5, 2.9), (0.1, -0.7, 4.4))
"""Frames: x, y [m] and turn [rad] of the robot's foot."""

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


# -- of pieces of play --------------------------------------------------------------------------


def labels_of(
    pieces: Sequence[Piece],
    shown: Collection[int],
    ends: bool = False,
    aside: Collection[int] = (),
) -> dict[Key, list[Label]]:
    """Where each concept is so and where it is not, by what the words tell along each play.

    Args:
        shown: numbers of the pieces whose scenes may be used.
        ends: whether to use only what is told just before and after a piece.
        aside: numbers of the pieces whose words are not believed.
    """
    places = places_of(pieces)
    found: dict[Key, list[Label]] = {}
    for play in by_play(pieces):
        atoms = {Atom(p.spoken.concept.name, p.about) for p in play}
        known = [
            _involving(p, atoms, Done(frozenset(), frozenset()))
            if p.number in aside
            else _involving(p, atoms, _done(p, places))
            for p in play
        ]
        told = (ends_alone if ends else propagated)(known)
        frames = [
            (scene, truths)
            for t, piece in enumerate(play)
            if piece.number in shown
            for scene, truths in zip(
                (piece.before, piece.after), told.truths[t : t + 2], strict=True
            )
        ]
        for key, label in (x for scene, truths in frames for x in _labels(scene, truths, places)):
            mine = found.setdefault(key, [])
            between = key in places and len(label.args) > 1
            mine.append(_seen_from(label, len(mine)) if between else label)
    return found


def places_of(pieces: Sequence[Piece]) -> list[Key]:
    """All that is said of where things are."""
    return sorted({key_of(p) for p in pieces if p.spoken.place})


def _seen_from(label: Label, number: int) -> Label:
    """The same as seen from elsewhere: where a thing is among others is not where on the table."""
    x, y, turn = _ELSEWHERE[number % len(_ELSEWHERE)]
    return replace(label, scene=in_frame(label.scene, upright((x, y, 0.0), turn)))


def _labels(
    scene: Scene, truths: Mapping[Atom, bool], places: Sequence[Key]
) -> Iterator[tuple[Key, Label]]:
    """Labels of what is seen, each in a scene with its things alone: it is about no others.

    Where it is of a thing at which place that is, the things are there that give other places.
    """
    seen = scene.by_name()
    for atom, truth in truths.items():
        if all(n in seen for n in atom.args):
            types = tuple(seen[n].category for n in atom.args)
            key = atom.predicate, types
            near = {t for _, kinds in places if kinds[0] == types[0] for t in kinds[1:]}
            near = near if key in places and len(types) == 1 else set()
            things = [o for o in scene.objects if o.name in atom.args or o.category in near]
            yield key, Label(replace(scene, objects=tuple(things)), atom.args, truth)


def of_itself(labels: Sequence[Label]) -> list[Label]:
    """The labels of where one thing is, each in a scene with it alone, as seen from elsewhere."""
    found = []
    for number, label in enumerate(labels):
        mine = tuple(o for o in label.scene.objects if o.name in label.args)
        alone = replace(label, scene=replace(label.scene, objects=mine))
        found.append(_seen_from(alone, number))
    return found


def _done(piece: Piece, places: Sequence[Key]) -> Done:
    """What the words of a piece say that it needs and brings about.

    Args:
        places: all that is said of where things are: a thing that is at one is at no other.
    """
    spoken, first = piece.spoken, piece.about[0]
    own = Atom(spoken.concept.name, piece.about)
    if not spoken.place:
        return Done(frozenset(), frozenset({Literal(own, spoken.positive)}))
    names = {o.name: o.category for o in piece.before.objects}
    others = {
        Atom(name, (first, *rest))
        for name, types in places
        if types[0] == names.get(first)
        for rest in product(*([n for n, c in names.items() if c == t] for t in types[1:]))
        if first not in rest
    }
    source = [a for a in others if _was_at(a, piece)]
    before = {a: a in source for a in others - {own}} if len(source) == 1 else {}
    return Done(
        frozenset(Literal(a, there) for a, there in before.items()),
        frozenset({Literal(own)}),
        frozenset(others - {own}),
    )


def _involving(piece: Piece, atoms: Collection[Atom], told: Done) -> Done:
    """With what its words do not tell of its things: that may have changed, too."""
    mine = {x.atom for x in told.effects} | told.ends
    forgets = (a for a in atoms if a.args[0] in piece.said.things and a not in mine)
    return replace(told, forgets=frozenset(forgets))


def _was_at(place: Atom, piece: Piece) -> bool:
    """Whether the words say that the thing was there."""
    source = piece.spoken.source
    if source == "{1}":
        return place.args[1:] == piece.said.things[1:2]
    return bool(source) and len(place.args) == 1 and place.predicate.endswith(f"_{source}")
