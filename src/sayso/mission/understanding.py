"""From words to an understanding: read them, look for what they name, ground, read back.

Whatever fits no thing or several things is not guessed: the understanding then holds a question
to the person, and a correction in words answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import DependencyParser, LanguageModel
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene, SceneObject
from sayso.language import controlled_english
from sayso.language.embeddings import ChooseExamples
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import PartlyUnderstoodError
from sayso.language.omissions import additions, left_out, unread
from sayso.language.tokens import IN_ENGLISH
from sayso.logic.analysis import forbidden
from sayso.logic.english import covered, describe, read_back
from sayso.logic.formula import Always, Formula, Quantified, Referent, referents_of, walk
from sayso.logic.progression import progression_of
from sayso.logic.scope import scoped
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.structure import structure_in_words
from sayso.mission.programs.wishes import wished
from sayso.perception.categories import is_a
from sayso.perception.finding import Finder
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings
from sayso.perception.singling_out import single_out
from sayso.perception.telling_apart import tell_apart
from sayso.perception.viewpoints import stated
from sayso.reporting.events import Understanding

LookFor = Callable[[frozenset[str]], Scene]
"""Nouns to a scene with all instances of them that are seen; no nouns: what is known already."""

QUESTIONS = frozenset({Code.AMBIGUOUS, Code.UNKNOWN_OBJECT})
"""What a person can settle by saying which thing is meant."""


@dataclass(frozen=True)
class TaskInterpreter:
    """Understands instructions and corrections about the things that are seen.

    Attributes:
        look_for: asked for the nouns of a reading before it is grounded.
        model, choose, parser: see `Interpreter`.
        settings: what words about places mean; by default what suits the library.
    """

    library: Library
    look_for: LookFor
    model: LanguageModel | None = None
    choose: ChooseExamples | None = None
    settings: GroundingSettings | None = None
    parser: DependencyParser | None = None

    def interpret(self, instruction: str) -> Understanding:
        """The understanding of an instruction, with its `trouble` if things are not clear.

        Raises:
            SkillLackingError: for what nobody taught, and a skill that somebody offers to show.
            SaySoError: INVALID for no words; UNSUPPORTED for a task that is too large; what
                `Interpreter.interpret`, `look_for` and `ground` raise.
        """
        if not instruction.strip():
            raise SaySoError(
                Code.INVALID, "the instruction is empty.", hint="say what is to be done."
            )
        scene = self.look_for(frozenset())
        wish = wished(instruction, self.library, nouns_in(scene))
        if wish is not None and wish.shown:
            raise wish.to_be_shown()
        try:
            said = self._interpreter(scene).interpret(instruction, _names(scene))
        except SaySoError as error:
            if isinstance(error, PartlyUnderstoodError):
                error.hint = f"{error.hint} {wish.offer if wish else ''}".strip()
                return self._offered(error)
            if wish and wish.part and error.code is Code.UNSUPPORTED:
                raise wish.lacking_for_part() from error
            # Nobody teaches a skill in another language.
            if wish and error.code is Code.NOT_UNDERSTOOD and error.hint != IN_ENGLISH:
                raise wish.lacking(error) from error
            raise
        understood = self._grounded(said)
        if wish and wish.part and _names_unseen_part(understood, wish.part):
            raise wish.lacking_for_part() from understood.trouble
        return understood

    def correct(self, before: Specification, words: str) -> Understanding:
        """The next version, after a correction or an answer; raises like `interpret`.

        Raises:
            SaySoError: besides, what `Interpreter.correct` raises.
        """
        if not words.strip():
            raise SaySoError(Code.INVALID, "the correction is empty.", hint="say what was meant.")
        scene = self.look_for(nouns_of(before.formula))
        seen = SeenThings(before, scene, self._settings)
        try:
            corrected = self._interpreter(scene).correct(before, words, _names(scene), seen)
        except PartlyUnderstoodError as offer:
            return self._offered(offer)
        return self._grounded(corrected)

    @property
    def _settings(self) -> GroundingSettings:
        return self.settings or GroundingSettings(self.library.vocabulary.places)

    def _interpreter(self, scene: Scene) -> Interpreter:
        lexicon = Lexicon.of(self.library, {o.category for o in scene.objects})
        return Interpreter(lexicon, self.model, self.choose, self.parser)

    def _offered(self, offer: PartlyUnderstoodError) -> Understanding:
        """The reading of all but some words, and the question about these."""
        spec = offer.offered
        english = self._in_english(spec, self.look_for(nouns_of(spec.formula)))
        return Understanding(GroundedSpecification(spec, spec.formula), english, (), offer)

    def _grounded(self, spec: Specification) -> Understanding:
        """Grounded in what is seen now: a language model may have taken its time."""
        scene = self.look_for(nouns_of(spec.formula))
        english = self._in_english(spec, scene)
        try:
            grounded = ground(spec, scene, self._settings)
        except SaySoError as trouble:
            if trouble.code not in QUESTIONS:
                raise
            open_ended = GroundedSpecification(spec, spec.formula)
            return Understanding(open_ended, english, self._structure(spec.formula), trouble)
        told = (english, covered(grounded), through_walls(spec.formula, self.library.predicates))
        english = " ".join(filter(None, told))
        try:
            progression_of(grounded.formula, self.library.predicates)
        except SaySoError as trouble:
            if trouble.code is not Code.CONTRADICTION:
                raise
            return Understanding(grounded, english, (), trouble)
        structure = self._structure(spec.formula, grounded.formula)
        return Understanding(grounded, english, structure)

    def _structure(self, formula: Formula, grounded: Formula | None = None) -> tuple[str, ...]:
        """By descriptions; what speaks of several things, by the things that are there."""
        if not any(isinstance(part, Quantified) for part in walk(formula)):
            return structure_of(formula, self.library)
        return () if grounded is None else structure_of(grounded, self.library)

    def _in_english(self, spec: Specification, scene: Scene) -> str:
        """The meaning, the viewpoint it takes, what was taken for granted, and what a model brought
        in that nobody said."""
        settings = self._settings
        said = " ".join((spec.instruction, *spec.corrections))
        by_model = spec.source != controlled_english.SOURCE
        parts = (
            read_back(scoped(spec.formula), self.library.predicates),
            stated(spec.formula, settings.frame, settings.places.origin),
            *(f"Taken for granted: {a.rstrip('.')}." for a in spec.assumptions),
            *(_told_of_model(spec, said, scene) if by_model else ()),
        )
        return " ".join(p for p in parts if p)


def through_walls(formula: Formula, predicates: Mapping[str, Predicate]) -> str:
    """That what must not be near may not be so behind a wall either, where words can say otherwise;
    "" where that does not matter."""
    in_room = {p.name for p in predicates.values() if p.sees_walls}
    rules = (part for part in walk(formula) if isinstance(part, Always))
    kept_off = {p.predicate for rule in rules for p in forbidden(rule)}
    if not any(f"{name}_in_room" in in_room for name in kept_off):
        return ""
    return "Near is meant also through walls: say 'in the same room' where it is not."


def _names_unseen_part(understood: Understanding, part: str) -> bool:
    """Whether what is not found is a part of a thing, "boxs lid" or "lid of box"."""
    if understood.trouble is None or understood.trouble.code is not Code.UNKNOWN_OBJECT:
        return False
    referents = referents_of(understood.specification.formula, landmarks=True)
    return any(part in r.noun.split() for r in referents)


def nouns_in(scene: Scene) -> frozenset[str]:
    """The categories and names of all things."""
    return frozenset(n for o in scene.objects for n in (o.category, o.name.replace("_", " ")))


def _told_of_model(spec: Specification, said: str, scene: Scene) -> Iterator[str]:
    """What a model brought in, or left out."""
    yield from map(str, additions(spec.formula, said))
    lost = left_out(spec.formula, said, spec.assumptions)
    for word in dict.fromkeys((*lost, *unread(spec.formula, said, _names(scene)))):
        yield f"You said '{word}', but the reading has nothing of it."


def nouns_of(formula: Formula) -> frozenset[str]:
    """The nouns of all referents of a formula, landmarks too."""
    return frozenset(
        r.kind if r.quantifier == "a" else r.noun for r in referents_of(formula, landmarks=True)
    )


def structure_of(formula: Formula, library: Library) -> tuple[str, ...]:
    """The task's structure in English; none for a contradiction.

    Raises:
        SaySoError: UNSUPPORTED where the task is too large.
    """
    try:
        return structure_in_words(formula, library.predicates)
    except SaySoError as error:
        if error.code is not Code.CONTRADICTION:
            raise
        return ()


@dataclass(frozen=True)
class SeenThings:
    """What a scene says about a reading's referents; see `language.corrections.Seen`."""

    spec: Specification
    scene: Scene
    settings: GroundingSettings
    _finder: Finder = field(init=False)

    def __post_init__(self) -> None:
        finder = Finder(self.scene, self.settings, self.spec.instruction)
        object.__setattr__(self, "_finder", finder)

    @property
    def question(self) -> str:
        trouble = self._trouble[1]
        return trouble.message if trouble else ""

    @property
    def asked(self) -> Referent | None:
        return self._trouble[0]

    @property
    def ambiguous(self) -> bool:
        trouble = self._trouble[1]
        return trouble is not None and trouble.code is Code.AMBIGUOUS

    @property
    def names(self) -> tuple[str, ...]:
        trouble = self._trouble[1]
        return trouble.choices if trouble else ()

    @cached_property
    def doubtful(self) -> tuple[Referent, ...]:
        """Referents of whose kind there are several."""
        definite = (r for r in self._referents if r.quantifier == "the")
        return tuple(r for r in definite if len(self._of_kind(r.noun)) > 1)

    def alike(self, noun: str, other: str) -> bool:
        """Whether two nouns name the same kind of thing."""
        return is_a(noun, other) or is_a(other, noun)

    def other(self, mentioned: Referent, wanted: Referent) -> Referent:
        """A description of the only thing that fits `wanted` but is not the one `mentioned`.

        Raises:
            SaySoError: AMBIGUOUS, with what they are, or UNKNOWN_OBJECT.
        """
        chosen = self._chosen(mentioned)
        left = [o for o in self._finder.objects(wanted) if o.name not in chosen]
        words = describe(wanted).removeprefix("the ")
        if not left:
            raise SaySoError(
                Code.UNKNOWN_OBJECT,
                f"no other {words} was found.",
                hint="say which thing you mean.",
                choices=_names(self.scene),
            )
        if len(left) > 1:
            apart = tell_apart(left, self.scene, self.settings)
            told = "; ".join(f"{o.name} ({w})" for o, w in apart.items())
            raise SaySoError(
                Code.AMBIGUOUS,
                f"'the other {words}' could be any of {len(left)} things: {told}.",
                hint="say which one, by its colour, size or place.",
                choices=(o.name for o in left),
            )
        return self._described(left[0], wanted.noun)

    def named(self, name: str) -> Referent | None:
        """A description that only the thing of this name fits; None if nothing has the name."""
        thing = self.scene.by_name().get(name)
        if thing is None:
            return None
        asked = self.asked
        fits = asked is not None and is_a(thing.category, asked.noun)
        return self._described(thing, asked.noun if asked and fits else thing.category)

    @cached_property
    def _referents(self) -> tuple[Referent, ...]:
        return tuple(referents_of(self.spec.formula, landmarks=True))

    @cached_property
    def _trouble(self) -> tuple[Referent | None, SaySoError | None]:
        """What keeps the reading from being grounded, and the referent that it is about."""
        try:
            ground(self.spec, self.scene, self.settings)
        except SaySoError as error:
            if error.code not in QUESTIONS:
                return None, None
            # A landmark's trouble is also that of what it is a landmark of: the last one it is.
            about = [r for r in self._referents if self._failure(r) == error.message]
            return (about[-1] if about else None), error
        return None, None

    def _failure(self, referent: Referent) -> str:
        try:
            self._finder.names(referent)
        except SaySoError as error:
            return error.message
        return ""

    def _chosen(self, referent: Referent) -> tuple[str, ...]:
        """What the referent stands for now; nothing while that is in question."""
        try:
            return self._finder.names(referent)
        except SaySoError:
            return ()

    def _of_kind(self, noun: str) -> tuple[SceneObject, ...]:
        return tuple(o for o in self.scene.objects if is_a(o.category, noun))

    def _described(self, thing: SceneObject, noun: str) -> Referent:
        found = single_out(thing, noun, self.scene, self.settings)
        if found is None:
            raise SaySoError(
                Code.AMBIGUOUS,
                f"{thing.name} cannot be told apart from others in words.",
                hint="say where it is, or say 'any'.",
            )
        return found


def _names(scene: Scene) -> tuple[str, ...]:
    return tuple(o.name for o in scene.objects)
