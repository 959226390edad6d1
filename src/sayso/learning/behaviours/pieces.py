"""Plays as the learner takes them: pieces of play in order, each with what its words say of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal, SymbolicState
from sayso.core.vocabulary import Vocabulary
from sayso.learning.behaviours.spoken import Spoken, spoken_of
from sayso.learning.behaviours.wordings import Said, said_of
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.demonstrations.segments import Primitive, segments

Types = tuple[str, ...]
Key = tuple[str, Types]
"""A concept's name and the categories of the things that it is said of."""
Deed = tuple[Primitive, str]
"""A contact primitive and the thing that it is about, '' for none."""
_NEIGHBOURS = 3
_PLACE = re.compile(r"\{(\d)\}")


@dataclass(frozen=True)
class Heard:
    """A wording of some plays, and what whoever reads it may go by.

    Attributes:
        wording: with `{0}`, `{1}` for the things that it names.
        types: the categories of the things, as they mostly are.
        deeds: the contact primitives, as they mostly are, with such places for the things.
        before, after: the wordings most often said right before it, and right after it.
    """

    wording: str
    types: tuple[str, ...]
    deeds: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Meant:
    """What a wording speaks of.

    Attributes:
        about: numbers of the wording's things that the state is about, in the state's order.
    """

    spoken: Spoken
    about: tuple[int, ...]


ReadWordings = Callable[[Sequence[Heard]], Mapping[str, Meant]]
"""Tells by wording what it speaks of; what speaks of nothing is not there."""


def in_english(heard: Sequence[Heard]) -> dict[str, Meant]:
    """By the words alone."""
    read = ((h.wording, spoken_of(h.wording)) for h in heard)
    return {w: Meant(s, tuple(range(len(s.concept.parameters)))) for w, s in read if s is not None}


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a play that words were said of.

    Attributes:
        play, number: which recording, and the how-manieth of its pieces it is.
        said: what was said, with places for its things.
        spoken: the state that this speaks of.
        types: the categories of the things.
        deeds: the contact primitives in order.
    """

    play: int
    number: int
    said: Said
    spoken: Spoken
    types: tuple[str, ...]
    deeds: tuple[Deed, ...]
    demonstration: Demonstration

    @property
    def before(self) -> Scene:
        return self.demonstration.key_frames[0].scene

    @property
    def after(self) -> Scene:
        return self.demonstration.key_frames[-1].scene

    @property
    def about(self) -> tuple[str, ...]:
        """The things that the state is about."""
        return self.said.things[: len(self.spoken.concept.parameters)]


def key_of(piece: Piece) -> Key:
    """What a piece's words speak of."""
    concept = piece.spoken.concept
    return concept.name, piece.types[: len(concept.parameters)]


class States:
    """Symbolic states of scenes, each made once."""

    def __init__(self, predicates: Mapping[str, Predicate], pieces: Sequence[Piece]) -> None:
        self.arities = {p.name: p.arity for p in predicates.values()}
        scenes = {id(s): s for p in pieces for s in (p.before, p.after)}
        self._known = {i: (s, symbolic_state(s, predicates)) for i, s in scenes.items()}
        self._shares: dict[object, float] = {}

    def of(self, scene: Scene) -> SymbolicState:
        return self._known[id(scene)][1]

    def share(self, literal: Literal, types: Mapping[str, str]) -> float:
        """Of all cases that were seen, with things of these categories, in how many it holds."""
        key = (literal, tuple(sorted(types.items())))
        if key not in self._shares:
            self._shares[key] = self._counted(literal, types)
        return self._shares[key]

    def _counted(self, literal: Literal, types: Mapping[str, str]) -> float:
        held = cases = 0
        for scene, state in self._known.values():
            names: list[tuple[str, ...]] = [()]
            for arg in literal.atom.args:
                fit = [o.name for o in scene.objects if o.category in types.get(arg, "").split("|")]
                names = [(*n, f) for n in names for f in fit if f not in n]
            for args in names:
                truth = state.truth(Atom(literal.atom.predicate, args))
                cases += truth is not None
                held += truth is literal.positive
        return held / cases if cases else 1.0


@dataclass(frozen=True)
class Refused:
    """A piece that nothing can be learned from, and why; it stays where it is."""

    play: int
    words: str
    error: SaySoError


@dataclass(frozen=True, eq=False)
class _Told:
    """A piece whose words are not read yet."""

    play: int
    said: Said
    types: tuple[str, ...]
    deeds: tuple[Deed, ...]
    demonstration: Demonstration


def pieces_of(
    plays: Sequence[Demonstration],
    vocabulary: Vocabulary | None = None,
    read: ReadWordings = in_english,
) -> tuple[tuple[Piece, ...], tuple[Refused, ...]]:
    """All pieces of all plays in order, and what was refused of them; raises as `read` does."""
    told: list[_Told] = []
    refused: list[Refused] = []
    for number, play in enumerate(plays):
        for one in _shown(play, number, refused):
            try:
                told.append(_told(one, number, vocabulary))
            except SaySoError as error:
                refused.append(Refused(number, one.words, error))
    found: list[Piece] = []
    meanings = read(tuple(_heard(told)))
    for each in told:
        meant = meanings.get(each.said.wording)
        if meant is None or len(meant.about) > each.said.named:
            words = each.demonstration.words
            refused.append(Refused(each.play, words, _tells_nothing(each.demonstration)))
        else:
            found.append(_piece(each, len(found), meant))
    return tuple(found), tuple(refused)


def _heard(told: Sequence[_Told]) -> Iterator[Heard]:
    """Each wording once, the commonest first."""
    groups: dict[str, list[int]] = {}
    for at, each in enumerate(told):
        groups.setdefault(each.said.wording, []).append(at)
    for wording, places in sorted(groups.items(), key=lambda g: (-len(g[1]), g[1][0])):
        mine = [told[at] for at in places]
        yield Heard(
            wording,
            Counter(t.types for t in mine).most_common(1)[0][0],
            Counter(tuple(_deeds_in_words(t)) for t in mine).most_common(1)[0][0],
            _beside(told, places, -1),
            _beside(told, places, 1),
        )


def _beside(told: Sequence[_Told], places: Sequence[int], step: int) -> tuple[str, ...]:
    """The wordings most often said before, or after, in the same play."""
    others = [(told[at], at + step) for at in places if 0 <= at + step < len(told)]
    said = (told[at].said.wording for one, at in others if told[at].play == one.play)
    return tuple(w for w, _ in Counter(said).most_common(_NEIGHBOURS))


def _deeds_in_words(told: _Told) -> Iterator[str]:
    places = {name: f"{{{i}}}" for i, name in enumerate(told.said.things)}
    for primitive, thing in told.deeds:
        yield f"{primitive} {places.get(thing, thing)}".strip()


def _shown(play: Demonstration, number: int, refused: list[Refused]) -> Iterable[Demonstration]:
    """Its pieces; annotations without a motion are told."""
    pieces = play.pieces()
    if not play.annotations and not play.words.strip():
        refused.append(Refused(number, "", _unlabelled()))
        return ()
    if lost := play.without_motion():
        text = f"{len(lost)} of {len(play.annotations)} annotations have no motion."
        hint = "see that their times lie within the recording."
        refused.append(Refused(number, "", SaySoError(Code.INVALID, text, hint=hint)))
    return pieces


def _told(one: Demonstration, play: int, vocabulary: Vocabulary | None) -> _Told:
    if not one.words.strip():
        raise _unlabelled()
    _check(one)
    said = said_of(one.words, one.things, one.key_frames[0].scene, vocabulary)
    seen = {**one.key_frames[-1].scene.by_name(), **one.key_frames[0].scene.by_name()}
    types = tuple(seen[t].category for t in said.things)
    deeds = tuple((s.primitive, s.thing) for s in segments(one))
    return _Told(play, said, types, deeds, one)


def _piece(told: _Told, number: int, meant: Meant) -> Piece:
    """The things that the state is about come first."""
    said = told.said
    order = (*meant.about, *(i for i in range(len(said.things)) if i not in meant.about))
    places = {old: new for new, old in enumerate(order)}
    wording = _PLACE.sub(lambda m: f"{{{places[int(m[1])]}}}", said.wording)
    said = replace(said, wording=wording, things=tuple(said.things[i] for i in order))
    types = tuple(told.types[i] for i in order)
    one = told.demonstration
    return Piece(told.play, number, said, meant.spoken, types, told.deeds, one)


def _tells_nothing(one: Demonstration) -> SaySoError:
    return SaySoError(
        Code.NOT_UNDERSTOOD,
        f"'{one.words}' does not say what is done to which thing.",
        hint="begin with a verb and name the thing: 'open the drawer'.",
        choices=one.things.values(),
    )


def _check(one: Demonstration) -> None:
    """Raises INVALID for what is empty or broke off, UNKNOWN_OBJECT for what was never seen."""
    if len(one.samples) < 2:
        raise SaySoError(Code.INVALID, f"'{one.words}' has no motion.", hint="record it again.")
    if not one.complete or len(one.key_frames) < 2:
        raise SaySoError(
            Code.INVALID,
            f"'{one.words}' broke off, or lacks how things were before or after.",
            hint="record a key frame at its beginning and one at its end.",
        )
    seen = {n for k in (one.key_frames[0], one.key_frames[-1]) for n in k.scene.by_name()}
    strangers = sorted(set(one.things.values()) - seen) or ([] if one.things else ["no thing"])
    if strangers:
        raise SaySoError(
            Code.UNKNOWN_OBJECT,
            f"'{one.words}' is about {strangers[0]}, which is not seen.",
            hint="annotate it with things of the scene.",
            choices=sorted(seen),
        )


def _unlabelled() -> SaySoError:
    return SaySoError(
        Code.INVALID, "nothing was said of it.", hint="annotate what is done, and to which things."
    )


def by_play(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """The pieces of each play, in order."""
    groups: dict[int, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.play, []).append(piece)
    yield from map(tuple, groups.values())
