"""Which objects of a scene a description fits: kind, colour, relations, size, in that order.

"the chair next to the table" is clear if one chair stands next to a table, even if there are
several tables; otherwise each landmark that is said with "the" has to be clear by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.scene import Scene, SceneObject
from sayso.logic.english import describe, plural
from sayso.logic.formula import COLORS, SO_MANY, Referent, Relation
from sayso.perception.categories import category_of as category_of
from sayso.perception.categories import is_a
from sayso.perception.relations import CHOOSING, check, holds, outermost
from sayso.perception.settings import TABLE, GroundingSettings
from sayso.perception.telling_apart import tell_apart

ANYTHING = frozenset({"thing", "object", "item"})
MOST_CHOICES, NEAREST = 40, 8
"""Of more names than that, so many are offered for words that fit none."""
SIZE_CONTRAST = 1.5
"""Least ratio of the largest to the smallest volume at which "big" and "small" mean something."""

_NUMBERED = re.compile(r".*_\d+$")
_TOLD = 6  # how many candidates an error describes; its choices name all


class Finder:
    """Finds referents in one scene and remembers what each one stands for.

    Attributes:
        found: each referent that was resolved, and the names it stands for.
    """

    def __init__(
        self, scene: Scene, settings: GroundingSettings = TABLE, instruction: str = ""
    ) -> None:
        self._scene = scene
        self._settings = settings
        self._instruction = instruction
        self.found: dict[Referent, tuple[str, ...]] = {}

    def names(self, referent: Referent) -> tuple[str, ...]:
        """What the referent stands for: one name for "the", all that fit for "a" and "all".

        Raises:
            SaySoError: UNKNOWN_OBJECT if nothing fits; AMBIGUOUS if several fit "the"; INVALID
                for a comparator that does not exist or has the wrong number of landmarks.
        """
        if not self.found.get(referent):
            fitting = self.objects(referent)
            if not fitting:
                raise self._unknown(referent)
            if referent.quantifier == "the" and len(fitting) > 1:
                raise self._ambiguous(referent, fitting)
            self.found[referent] = tuple(o.name for o in fitting)
        return self.found[referent]

    def names_if_any(self, referent: Referent) -> tuple[str, ...]:
        """What a description stands for that nothing need fit; raises like `objects`."""
        if referent not in self.found:
            self.found[referent] = tuple(o.name for o in self.objects(referent))
        return self.found[referent]

    def known(self, name: str) -> str:
        """The name, if the scene has such an object. Raises UNKNOWN_OBJECT if it has not."""
        names = self._scene.by_name()
        if name not in names:
            raise SaySoError(
                Code.UNKNOWN_OBJECT,
                f"there is no '{name}' in the scene.",
                choices=_nearest(name, sorted(names)),
            )
        return name

    def too_few(self, referent: Referent, wanted: int, found: int) -> SaySoError:
        """What is wrong where fewer things fit than are asked for."""
        thing = describe(replace(referent, quantifier="the")).removeprefix("the ")
        fitting = self.objects(referent)
        cause = f"{wanted} of '{thing}' are asked for, but there are only {found} to choose from"
        return SaySoError(
            Code.UNKNOWN_OBJECT,
            f"{cause}{f': {self._told(fitting)}' if fitting else ''}.",
            hint="ask for fewer, or describe other things.",
            choices=(o.name for o in fitting),
            span=_words_of(referent, self._instruction),
        )

    def another_number(self, referent: Referent, told: int, names: Sequence[str]) -> SaySoError:
        """What is wrong where the words speak of another number of things than there are."""
        kind = plural(describe(replace(referent, relations=(), quantifier="the"))[4:])
        things = tuple(self._scene.by_name()[n] for n in names)
        return SaySoError(
            Code.UNKNOWN_OBJECT,
            f"the words speak of {told} {kind}, and there are {len(names)}: {self._told(things)}.",
            hint=f"name those that are meant, or say 'all the {kind}' or 'any {told} {kind}'.",
            choices=names,
            span=_words_of(referent, self._instruction),
        )

    def objects(self, referent: Referent) -> tuple[SceneObject, ...]:
        """All objects that fit, most confident first.

        Raises:
            SaySoError: as `names` does, for landmarks.
        """
        for relation in referent.relations:
            check(relation.comparator, len(relation.others))
        fitting = self._fitting(referent)
        if len(fitting) == 1 and referent.quantifier == "the":
            for relation in referent.relations:
                if relation.comparator not in CHOOSING:
                    self._remember(fitting[0], relation)
        else:
            for other in (o for o in _landmarks_of(referent) if o.quantifier not in SO_MANY):
                self.names(other)
        return fitting

    def _fitting(self, referent: Referent) -> tuple[SceneObject, ...]:
        fitting = [o for o in self._scene.objects if _is_of_kind(o, referent)]
        for relation in (r for r in referent.relations if r.comparator not in CHOOSING):
            tuples = self._landmarks(relation.others)
            fitting = [o for o in fitting if self._related(o, relation, tuples)]
        for relation in (r for r in referent.relations if r.comparator in CHOOSING):
            (landmark,) = (self._scene.by_name()[n] for n in self.names(relation.others[0])[:1])
            fitting = list(outermost(relation.comparator, fitting, landmark))
        for size in ("small", "big"):
            if size in referent.attributes:
                fitting = _of_size(fitting, size)
        return tuple(sorted(fitting, key=lambda o: (-o.confidence, o.name)))

    def _remember(self, thing: SceneObject, relation: Relation) -> None:
        """Which landmark each "the" of a relation stands for, where the thing leaves one only."""
        tuples = [
            t
            for t in self._landmarks(relation.others)
            if thing not in t and self._holds(relation, thing, t)
        ]
        for index, other in enumerate(relation.others):
            names = tuple(dict.fromkeys(t[index].name for t in tuples))
            if other.quantifier in SO_MANY:
                continue  # there may be none
            if other.quantifier != "the":
                self.names(other)
            elif len(names) == 1:
                self.found.setdefault(other, names)

    def _related(
        self, thing: SceneObject, relation: Relation, tuples: list[tuple[SceneObject, ...]]
    ) -> bool:
        """LIMP's filter (appendix A4): some tuple of landmarks stands in the relation.

        "all" landmarks but the thing itself must each do so, and of "no" or "two" so many.
        """
        results = [self._holds(relation, thing, t) for t in tuples if thing not in t]
        for other in (o for o in relation.others if o.quantifier in SO_MANY):
            return sum(results) == SO_MANY[other.quantifier]
        every = any(o.quantifier == "all" for o in relation.others)
        if every:
            return bool(tuples) and all(results)
        return any(results)

    def _holds(
        self, relation: Relation, thing: SceneObject, landmarks: tuple[SceneObject, ...]
    ) -> bool:
        at, frame = self._settings.places, self._settings.frame
        return holds(relation.comparator, thing, landmarks, at, frame)

    def _landmarks(self, others: tuple[Referent, ...]) -> list[tuple[SceneObject, ...]]:
        by_name = self._scene.by_name()
        tuples: list[tuple[SceneObject, ...]] = [()]
        for other in others:
            known = self.found.get(other)
            candidates = tuple(by_name[n] for n in known) if known else self.objects(other)
            if not candidates and other.quantifier not in SO_MANY:
                raise self._unknown(other)
            tuples = [(*t, c) for t in tuples for c in candidates]
        return tuples

    def _unknown(self, referent: Referent) -> SaySoError:
        names = tuple(o.name for o in self._scene.objects)
        thing = describe(replace(referent, quantifier="the")).removeprefix("the ")
        same_kind = [o for o in self._scene.objects if is_a(o.category, referent.noun)]
        span = _words_of(referent, self._instruction)
        hint = "name one of the things that are seen." if names else "look at the scene first."
        if same_kind:
            hint = f"of that kind there is: {self._told(same_kind)}."
        elif referent.noun == "person" and span is None:
            hint = "say where you are, such as 'I am by the sofa'."
        elif self._instruction and span is None:
            hint = f"the instruction does not name it: correct the reading. Or {hint}"
        return SaySoError(
            Code.UNKNOWN_OBJECT,
            f"there is no {thing} in the scene.",
            hint=hint,
            choices=_nearest(referent.noun, names),
            span=span,
        )

    def _ambiguous(self, referent: Referent, fitting: tuple[SceneObject, ...]) -> SaySoError:
        return SaySoError(
            Code.AMBIGUOUS,
            f"'{describe(referent)}' could be any of {len(fitting)} things: {self._told(fitting)}.",
            hint="say which one, by its colour, size or place, or say 'any ...'.",
            choices=(o.name for o in fitting),
            span=_words_of(referent, self._instruction),
        )

    def not_only(self, referent: Referent, names: Sequence[str]) -> SaySoError:
        """What is wrong where several things are left and "the other" one is asked for."""
        left = tuple(self._scene.by_name()[n] for n in names)
        thing = describe(replace(referent, quantifier="the")).removeprefix("the ")
        return SaySoError(
            Code.AMBIGUOUS,
            f"'the other {thing}' could be any of {len(left)} things: {self._told(left)}.",
            hint="say which one, by its colour, size or place, or say 'the others'.",
            choices=names,
            span=_words_of(referent, self._instruction),
        )

    def _told(self, things: Iterable[SceneObject]) -> str:
        told = [
            f"{thing.name} ({words})" if words else thing.name
            for thing, words in tell_apart(tuple(things), self._scene, self._settings).items()
        ]
        rest = len(told) - _TOLD
        return "; ".join(told[:_TOLD]) + (f"; and {rest} more" if rest > 0 else "")


def _nearest(words: str, names: Sequence[str]) -> Sequence[str]:
    """The names; of very many one for each of the kinds that are written most alike."""
    if len(names) <= MOST_CHOICES:
        return names
    kinds = {name.rstrip("0123456789").rstrip("_"): name for name in names}
    close = get_close_matches(words.replace(" ", "_"), kinds, NEAREST, cutoff=0.0)
    return [kinds[kind] for kind in close]


def phrase_name(referent: Referent) -> str:
    """The referent's words as an object's name would write them."""
    colors = (a for a in referent.attributes if a in COLORS)
    return "_".join((*colors, *referent.noun.split()))


def _landmarks_of(referent: Referent) -> list[Referent]:
    return [other for relation in referent.relations for other in relation.others]


def _is_of_kind(thing: SceneObject, referent: Referent) -> bool:
    """Category and colours fit, or the words are the object's own numbered name."""
    if _NUMBERED.match(phrase_name(referent)):
        return thing.name == phrase_name(referent)
    colors = [a for a in referent.attributes if a in COLORS]
    kind_fits = referent.noun in ANYTHING or is_a(thing.category, referent.noun)
    kind_fits = kind_fits or _is_its_name(thing, referent.noun)
    return kind_fits and all(thing.color == c for c in colors)


def _is_its_name(thing: SceneObject, noun: str) -> bool:
    """Whether "kitchen door" is what a door is called, or "bulb" what a lamp is."""
    *before, last = category_of(noun).split()
    named = thing.name == "_".join((*before, last))
    return named and (not before or is_a(thing.category, last))


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
