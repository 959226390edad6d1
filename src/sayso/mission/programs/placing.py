"""Where a thing can be placed, in words: "on", "inside" and others of the library's vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal
from sayso.core.vocabulary import SpokenAction, Vocabulary

Position: TypeAlias = list[str]
"""Where a thing shall be, as literals such as "on(apple, plate)"."""
_ALIKE = {"above": "on", "over": "on", "on top": "on", "within": "in", "before": "in front"}


@dataclass(frozen=True)
class Placing:
    """The ways of placing that a vocabulary has for the things of a scene."""

    vocabulary: Vocabulary
    scene: Scene

    def goals(self, name: str, reference: str, words: str) -> list[Position]:
        """What is wanted by wordings such as "put {0} on {1}", for the words after {0}."""
        plain = re.sub(r"^(to )?(the )?| (of|the)$", "", words.lower())
        meant = _ALIKE.get(plain, plain)
        tails = {f"{w} {r}" for w in (meant, f"{meant} of") for r in ("{1}", f"the {reference}")}
        return [
            [
                _literal(w.predicate, w.positive, (name, reference), w.arguments)
                for w in action.goal[-1]
            ]
            for action in self._spoken(name, reference)
            if any(w.verb == "put" and w.tail in tails for w in action.wordings)
        ]

    def words(self, name: str, reference: str) -> list[str]:
        """The single words that `goals` knows between a thing and a reference."""
        found = chain.from_iterable(a.wordings for a in self._spoken(name, reference))
        ends = r" (\{1\}|the " + re.escape(reference) + ")$"
        tails = (w.tail for w in found if w.verb == "put" and re.search(ends, w.tail))
        return sorted({w for t in tails if " " not in (w := re.sub(ends, "", t))})

    def _spoken(self, name: str, reference: str) -> Iterator[SpokenAction]:
        """Ways of placing that suit the two things; the table is spoken of as part of the verb."""
        vocabulary, things = self.vocabulary, self.scene.by_name()
        kinds = [things[n].category for n in (name, reference) if n in things]
        for action in vocabulary.actions:
            may = len(action.arguments) == len(kinds) and not action.forbidden_only
            if may and all(map(vocabulary.fits, kinds, action.arguments)):
                yield action


def _literal(
    predicate: str, positive: bool, names: tuple[str, ...], places: tuple[int | str, ...]
) -> str:
    args = tuple(names[p] if isinstance(p, int) else p for p in places)
    return str(Literal(Atom(predicate, args), positive))
