"""Which objects of a scene a description fits: kind, colour, relations, size, in that order."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.scene import Scene, SceneObject
from sayso.logic.english import describe
from sayso.logic.formula import COLORS, Referent, Relation
from sayso.perception.relations import RelationThresholds, holds

SYNONYMS: Mapping[str, str] = {
    "cube": "block",
    "brick": "block",
    "dish": "plate",
    "saucer": "plate",
    "cup": "mug",
    "basin": "bowl",
    "mat": "coaster",
    "cupboard": "cabinet",
}
"""Other words for the categories that perception names."""

ANYTHING = frozenset({"thing", "object", "item"})
SIZE_CONTRAST = 1.5
"""Least ratio of the largest to the smallest volume at which "big" and "small" mean something."""

_NUMBERED = re.compile(r".*_\d+$")


class Finder:
    """Finds referents in one scene and remembers what each one stands for.

    Attributes:
        found: each referent that was resolved, and the names it stands for.
    """

    def __init__(self, scene: Scene, thresholds: RelationThresholds, instruction: str = "") -> None:
        self._scene = scene
        self._thresholds = thresholds
        self._instruction = instruction
        self.found: dict[Referent, tuple[str, ...]] = {}

    def names(self, referent: Referent) -> tuple[str, ...]:
        """What the referent stands for: one name for "the", all that fit for "a" and "all".

        Raises:
            SaySoError: UNKNOWN_OBJECT if nothing fits; AMBIGUOUS if several fit "the".
        """
        if referent not in self.found:
            names = tuple(o.name for o in self.objects(referent))
            if not names:
                raise self._unknown(referent)
            if referent.quantifier == "the" and len(names) > 1:
                raise self._ambiguous(referent, names)
            self.found[referent] = names
        return self.found[referent]

    def objects(self, referent: Referent) -> tuple[SceneObject, ...]:
        """All objects that fit, most confident first; the quantifier does not matter."""
        fitting = [o for o in self._scene.objects if _is_of_kind(o, referent)]
        for relation in referent.relations:
            fitting = [o for o in fitting if self._related(o, relation)]
        for size in ("small", "big"):
            if size in referent.attributes:
                fitting = _of_size(fitting, size)
        return tuple(sorted(fitting, key=lambda o: (-o.confidence, o.name)))

    def _related(self, thing: SceneObject, relation: Relation) -> bool:
        """LIMP's filter (appendix A4): some tuple of landmarks stands in the relation.

        "all" landmarks must each do so.
        """
        results = [
            holds(relation.comparator, thing, landmarks, self._thresholds)
            for landmarks in self._landmarks(relation.others)
            if thing not in landmarks
        ]
        every = any(o.quantifier == "all" for o in relation.others)
        return bool(results) and (all(results) if every else any(results))

    def _landmarks(self, others: tuple[Referent, ...]) -> list[tuple[SceneObject, ...]]:
        by_name = self._scene.by_name()
        tuples: list[tuple[SceneObject, ...]] = [()]
        for other in others:
            names = self.names(other)
            tuples = [(*t, by_name[n]) for t in tuples for n in names]
        return tuples

    def _unknown(self, referent: Referent) -> SaySoError:
        names = tuple(o.name for o in self._scene.objects)
        thing = describe(referent).split(" ", 1)[1]
        kind = category_of(referent.noun)
        same_kind = [o.name for o in self._scene.objects if o.category == kind]
        hint = "name one of the things that are seen." if names else "look at the scene first."
        if same_kind:
            hint = f"of that kind there is: {', '.join(same_kind)}."
        return SaySoError(
            Code.UNKNOWN_OBJECT,
            f"there is no {thing} in the scene.",
            hint=hint,
            choices=names,
            span=_words_of(referent, self._instruction),
        )

    def _ambiguous(self, referent: Referent, names: tuple[str, ...]) -> SaySoError:
        return SaySoError(
            Code.AMBIGUOUS,
            f"'{describe(referent)}' could be any of {len(names)} things.",
            hint="add a colour, a size or a place, or say 'any ...'.",
            choices=names,
            span=_words_of(referent, self._instruction),
        )


def category_of(noun: str) -> str:
    """The category that perception uses for a noun."""
    return SYNONYMS.get(noun, noun)


def phrase_name(referent: Referent) -> str:
    """The referent's words as an object's name would write them."""
    colors = (a for a in referent.attributes if a in COLORS)
    return "_".join((*colors, *referent.noun.split()))


def _is_of_kind(thing: SceneObject, referent: Referent) -> bool:
    """Category and colours fit, or the words are the object's own numbered name."""
    if _NUMBERED.match(phrase_name(referent)):
        return thing.name == phrase_name(referent)
    colors = [a for a in referent.attributes if a in COLORS]
    kind_fits = referent.noun in ANYTHING or thing.category == category_of(referent.noun)
    return kind_fits and all(thing.color == c for c in colors)


def _of_size(candidates: list[SceneObject], size: str) -> list[SceneObject]:
    """Those on the word's side of the candidates' middle volume.

    Size words compare: one candidate fits either word, and several that are about equally large
    fit neither.
    """
    if len(candidates) < 2:
        return candidates
    volumes = {o.name: math.prod(o.size) for o in candidates}
    least, most = min(volumes.values()), max(volumes.values())
    if most < SIZE_CONTRAST * least:
        return []
    middle = math.sqrt(least * most)
    return [o for o in candidates if (volumes[o.name] > middle) == (size == "big")]


def _words_of(referent: Referent, instruction: str) -> Span | None:
    """Where the instruction names the referent: its adjectives and noun, or its noun alone."""
    noun = r"[\s_-]+".join(map(re.escape, referent.noun.split()))
    adjectives = r"(?:(?:" + "|".join(map(re.escape, referent.attributes)) + r")[\s_-]+)*"
    patterns = (adjectives * bool(referent.attributes) + noun, noun)
    for pattern in patterns:
        if match := re.search(rf"\b{pattern}", instruction, re.IGNORECASE):
            return Span(match.start(), match.end())
    return None
