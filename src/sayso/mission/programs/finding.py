"""Which thing a program means: by its label, its looks or its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import Embedder
from sayso.core.scene import Scene, SceneObject
from sayso.language import controlled_english
from sayso.language.lexicon import Lexicon
from sayso.perception.finding import Finder
from sayso.perception.settings import GroundingSettings

_Told = Callable[[SceneObject], str]
_PLACES = ("in", "inside", "on", "under", "above", "behind", "near", "next", "left", "right")
_LINK = re.compile(r"\b(?:that|which) (?:is|are|lies|stands|sits) ")


@dataclass(frozen=True)
class FindSettings:
    """From which score on a thing counts as found; each score is at most 1.

    Attributes:
        label: likeness of a label to what the thing is called, where it is not its kind or name.
        looks: likeness of a description of its looks to its colour and kind, likewise.
        place: what words about places mean; a place is met or not.
    """

    label: float = 0.6
    looks: float = 0.6
    place: GroundingSettings = field(default_factory=GroundingSettings)


class ThingFinder:
    """Finds things of one scene, in the words of controlled English or by likeness.

    Args:
        embedder: says how alike two descriptions are.
    """

    def __init__(
        self, library: Library, scene: Scene, embedder: Embedder, settings: FindSettings
    ) -> None:
        self._lexicon = Lexicon.of(library, {o.category for o in scene.objects})
        self._scene = scene
        self._embedder = embedder
        self._settings = settings

    def find(self, label: str, looks: str, place: str, among: Collection[str]) -> str:
        """The name of the one thing that all descriptions fit; '' is no description.

        Args:
            among: names of the things that may be meant.

        Raises:
            SaySoError: INVALID without a description; UNKNOWN_OBJECT where nothing fits all of
                them; AMBIGUOUS where several fit equally well; NOT_UNDERSTOOD for a place.
        """
        if not (label or looks or place):
            raise SaySoError(
                Code.INVALID,
                "find needs object_label, visual_description or place_description.",
                hint="say what the thing is called, looks like, or where it is.",
            )
        scores = dict.fromkeys(among, 1.0)
        for words, score in ((label, self._labels), (looks, self._looks), (place, self._places)):
            if words:
                met = score(words)
                scores = {n: min(s, met[n]) for n, s in scores.items() if n in met}
        best = max(scores.values(), default=0.0)
        found = [n for n, s in scores.items() if s == best]
        said = ", ".join(f"'{w}'" for w in (label, looks, place) if w)
        if not found:
            raise SaySoError(Code.UNKNOWN_OBJECT, f"nothing is {said}.", choices=sorted(among))
        if len(found) > 1:
            text = f"{said} could be any of {len(found)} things."
            raise SaySoError(
                Code.AMBIGUOUS, text, choices=found, hint="say more of its looks or its place."
            )
        return found[0]

    def _labels(self, words: str) -> dict[str, float]:
        name = "_".join(words.lower().removeprefix("the ").split())
        if name in self._scene.by_name():
            return {name: 1.0}
        return self._described(words) or self._alike(words, lambda o: o.name, self._settings.label)

    def _looks(self, words: str) -> dict[str, float]:
        return self._described(words) or self._alike(
            words, lambda o: f"{o.color} {o.category}", self._settings.looks
        )

    def _places(self, words: str) -> dict[str, float]:
        referent = controlled_english.referent(_as_description(words), self._lexicon)
        finder = Finder(self._scene, self._settings.place)
        return {o.name: 1.0 for o in finder.objects(referent)}

    def _described(self, words: str) -> dict[str, float]:
        """What controlled English makes of the words; nothing where it does not know them."""
        try:
            return self._places(words)
        except SaySoError as error:
            if error.code not in (Code.NOT_UNDERSTOOD, Code.UNKNOWN_OBJECT):
                raise
            return {}

    def _alike(self, words: str, of: _Told, least: float) -> dict[str, float]:
        things = self._scene.objects
        if not things:
            return {}
        texts = [words.lower(), *(of(o).replace("_", " ").strip() for o in things)]
        wanted, *known = self._embedder.embed(texts)
        scores = {o.name: float(v @ wanted) for o, v in zip(things, known, strict=True)}
        return {n: s for n, s in scores.items() if s >= least}


def _as_description(words: str) -> str:
    """ "the mug in the bowl" for "mug that is in the bowl"; "on the tray" is of any thing."""
    plain = _LINK.sub("", words.strip().rstrip("."))
    opening = plain.split(maxsplit=1)[0].lower() if plain else ""
    return f"the thing {plain}" if opening in _PLACES else plain
