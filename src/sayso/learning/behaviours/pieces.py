"""Plays as the learner takes them: pieces of play in order, each with what its words say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
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


@dataclass(frozen=True)
class Refused:
    """A piece that nothing can be learned from, and why; it stays where it is."""

    play: int
    words: str
    error: SaySoError


def pieces_of(
    plays: Sequence[Demonstration], vocabulary: Vocabulary | None = None
) -> tuple[tuple[Piece, ...], tuple[Refused, ...]]:
    """All pieces of all plays in order, and what was refused of them."""
    found: list[Piece] = []
    refused: list[Refused] = []
    for number, play in enumerate(plays):
        for one in _shown(play, number, refused):
            try:
                found.append(_piece(one, number, len(found), vocabulary))
            except SaySoError as error:
                refused.append(Refused(number, one.words, error))
    return tuple(found), tuple(refused)


def _shown(play: Demonstration, number: int, refused: list[Refused]) -> Iterable[Demonstration]:
    """Its pieces; annotations without a motion are told."""
    pieces = play.pieces()
    if not play.annotations and not play.words.strip():
        refused.append(Refused(number, "", _unlabelled()))
        return ()
    if lost := len(play.annotations) - len(pieces) if play.annotations else 0:
        text = f"{lost} of {len(play.annotations)} annotations have no motion."
        hint = "see that their times lie within the recording."
        refused.append(Refused(number, "", SaySoError(Code.INVALID, text, hint=hint)))
    return pieces


def _piece(one: Demonstration, play: int, number: int, vocabulary: Vocabulary | None) -> Piece:
    if not one.words.strip():
        raise _unlabelled()
    _check(one)
    said = said_of(one.words, one.things, one.key_frames[0].scene, vocabulary)
    spoken = spoken_of(said.wording)
    if spoken is None or len(spoken.concept.parameters) > said.named:
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            f"'{one.words}' does not say what is done to which thing.",
            hint="begin with a verb and name the thing: 'open the drawer'.",
            choices=one.things.values(),
        )
    seen = {**one.key_frames[-1].scene.by_name(), **one.key_frames[0].scene.by_name()}
    types = tuple(seen[t].category for t in said.things)
    deeds = tuple((s.primitive, s.thing) for s in segments(one))
    return Piece(play, number, said, spoken, types, deeds, one)


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
