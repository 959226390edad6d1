"""The system under test: what SaySo makes of a sentence about the things of a scene.

This is the only module of the package that calls SaySo's own language and grounding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Literal

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import DependencyParser
from sayso.core.scene import Scene, SceneObject
from sayso.evaluation.language.scenes import Thing
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import PartlyUnderstoodError
from sayso.logic.formula import Formula
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings

World = Literal["table", "flat"]
LIBRARIES: dict[World, str] = {"table": "tabletop", "flat": "flat"}
QUESTIONS = frozenset({Code.AMBIGUOUS, Code.UNKNOWN_OBJECT})
_MOST_HINTS = 20
_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")


@dataclass(frozen=True)
class Answer:
    """What became of a sentence: a formula about the scene's things, or an error.

    Attributes:
        formula: grounded; None if the sentence was not accepted.
        error: why not; None if it was.
        offered: what is meant if the words that were not understood ask for nothing.
        noun_words: of all nouns that were read, whether or not such things are there.
    """

    formula: Formula | None = None
    error: SaySoError | None = None
    offered: Formula | None = None
    noun_words: frozenset[str] = frozenset()

    @property
    def asked(self) -> bool:
        """Whether the person is asked which thing or which meaning they have in mind."""
        return self.error is not None and self.error.code in QUESTIONS


@dataclass(frozen=True)
class System:
    """Controlled English over one built-in library, and grounding in a scene.

    Attributes:
        parser: words free English otherwise; None: what the grammar does not read is not offered.
    """

    world: World
    parser: DependencyParser | None = None

    @cached_property
    def _library(self) -> tuple[Lexicon, GroundingSettings]:
        library = load(builtin_path(LIBRARIES[self.world]))
        return Lexicon.of(library), GroundingSettings(library.vocabulary.places)

    def read(self, text: str, things: Sequence[Thing]) -> Answer:
        """What SaySo makes of the text. Whatever is no SaySoError is raised."""
        lexicon, settings = self._library
        scene = scene_of(things)
        names = [o.name for o in scene.objects]
        nouns: frozenset[str] = frozenset()
        try:
            specification = Interpreter(lexicon, parser=self.parser).interpret(text, names)
            nouns = _noun_words(specification.formula)
            return Answer(ground(specification, scene, settings).formula, noun_words=nouns)
        except PartlyUnderstoodError as error:
            with suppress(SaySoError):
                formula = ground(error.offered, scene, settings).formula
                return Answer(error=error, offered=formula)
            return Answer(error=error)
        except SaySoError as error:
            return Answer(error=error, noun_words=nouns)

    def hints(self, text: str, error: SaySoError, things: Sequence[Thing]) -> tuple[str, ...]:
        """What a refusal says to say instead, as far as it is then read.

        That is a suggestion that can be said as it stands, or in place of the words that the
        refusal points at. The words that were typed are no suggestion.
        """
        found = []
        for suggestion in _suggestions(error):
            for instead in _in_place(text, error, suggestion):
                if instead != text and self.read(instead, things).formula is not None:
                    found.append(instead)
                    break
        return tuple(found)


def scene_of(things: Sequence[Thing]) -> Scene:
    """The scene as perception would give it."""
    return Scene(
        0.0,
        tuple(
            SceneObject(t.name, t.category, t.color, t.position, t.size, attributes=t.attributes)
            for t in things
        ),
    )


def _noun_words(node: object) -> frozenset[str]:
    """The words of all nouns in a formula, wherever its referents are."""
    if isinstance(node, tuple):
        return frozenset[str]().union(*map(_noun_words, node))
    if not is_dataclass(node):
        return frozenset()
    own = frozenset(getattr(node, "noun", "").split())
    return own.union(*(_noun_words(getattr(node, f.name)) for f in fields(node)))


def _suggestions(error: SaySoError) -> list[str]:
    quoted = [a or b for a, b in _QUOTED.findall(f"{error.hint} {error.message}")]
    return list(dict.fromkeys((*quoted, *error.choices)))[:_MOST_HINTS]


def _in_place(text: str, error: SaySoError, suggestion: str) -> list[str]:
    if error.span is None:
        return [suggestion]
    return [suggestion, text[: error.span.start] + suggestion + text[error.span.end :]]
