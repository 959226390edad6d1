"""VirtualHome's steps in plain words, and the step that words are most like."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from sayso.core.symbols import Operator
from sayso.language.repertoire import Likeness, Repertoire
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.tasks import ACTOR, Step, class_of, number_of
from sayso.worlds.virtualhome.world import things_taken

LEAST_LIKENESS = 0.35
"""Words that are less like every action say none."""
_NUMBER = re.compile(r"\b\d+\b")
_CONTEXT = re.compile(r" [a-z]+( of)? \{[1-9]\}")
_SIMILAR, _SAME_THING = 500, 1000
"""How many of the most alike actions, and of those with the best one's thing, SayCan looks at."""


@lru_cache(maxsize=1)
def templates() -> Mapping[str, str]:
    """Verb -> "put {0} on {1}", with as many places as the simulator takes things."""
    found: dict[str, str] = {}
    for operator in library().operators.values():
        found.setdefault(operator.skill, _template(operator))
    return found


def _template(operator: Operator) -> str:
    known = things_taken(operator.skill)
    return operator.english if known > 1 else _CONTEXT.sub("", operator.english)


def english(step: Step) -> str:
    """ "put soap 1002 on washing machine 1001"."""
    return templates()[step.verb].format(*(t.replace("_", " ") for t in step.things))


def plan_in_english(steps: Iterable[Step]) -> str:
    """One step a line."""
    return "\n".join(map(english, steps))


@dataclass(frozen=True)
class _Kind:
    """An action upon things of some classes, whichever they are."""

    verb: str
    classes: tuple[str, ...]

    @property
    def words(self) -> str:
        return templates()[self.verb].format(*(c.replace("_", " ") for c in self.classes))


class Admissible:
    """The actions of a scene: each verb with each thing; of two things the first can be grabbed.

    Words are compared with actions upon classes of things; which of several things of a class is
    meant their number says, else it is one that was used before, else the one put there last.

    Args:
        things: of the scene.
        graspable: those of them that can be grabbed.
    """

    def __init__(
        self, repertoire: Repertoire, things: Iterable[str], graspable: Iterable[str]
    ) -> None:
        self._of_class: dict[str, list[str]] = defaultdict(list)
        for thing in sorted(things, key=number_of):
            if thing != ACTOR:
                self._of_class[class_of(thing)].append(thing)
        held = {class_of(t) for t in graspable if t != ACTOR}
        self._kinds = _kinds(tuple(sorted(self._of_class)), tuple(sorted(held)))
        self._phrases = repertoire.among([k.words for k in self._kinds])
        self.count = sum(map(self._stands_for, self._kinds))

    def likeness(self, texts: Sequence[str]) -> Likeness:
        """(T, K) cosines of texts, their numbers left out, and kinds of actions."""
        return self._phrases.likeness([_NUMBER.sub(" ", text) for text in texts])

    def best(
        self, scores: Likeness, count: int, text: str, used: Iterable[str] = ()
    ) -> tuple[Step, ...]:
        """The steps with the best scores, best first.

        Args:
            scores: (K,) of kinds of actions.
            text: whose numbers say which things are meant.
            used: things of steps before.
        """
        order = np.argsort(-scores, kind="stable")
        numbers, known = _NUMBER.findall(text), set(used)
        steps = (self._step(self._kinds[i], numbers, known) for i in order[:count])
        return tuple(step for step in steps if step is not None)

    def around(self, scores: Likeness) -> Likeness:
        """The scores of the best kinds, and of those about the best one's thing; else -inf."""
        order = np.argsort(-scores, kind="stable")
        best = self._kinds[order[0]].classes[:1]
        same = [i for i in order if best and best[0] in self._kinds[i].classes][:_SAME_THING]
        kept = np.full_like(scores, -np.inf)
        for places in (order[:_SIMILAR], same):
            kept[places] = scores[places]
        return kept

    def _step(self, kind: _Kind, numbers: Sequence[str], used: set[str]) -> Step | None:
        chosen: list[str] = []
        for cls in kind.classes:
            pool = [t for t in self._of_class[cls] if t not in chosen]
            if not pool:
                return None
            said = next((n for n in numbers if f"{cls}_{n}" in pool), "")
            if said:
                numbers = numbers[numbers.index(said) + 1 :]
                chosen.append(f"{cls}_{said}")
            else:
                chosen.append(([t for t in pool if t in used] or pool)[-1])
        return Step(kind.verb, tuple(chosen))

    def _stands_for(self, kind: _Kind) -> int:
        return int(np.prod([len(self._of_class[c]) for c in kind.classes], dtype=int))


@lru_cache(maxsize=8)
def _kinds(classes: tuple[str, ...], held: tuple[str, ...]) -> tuple[_Kind, ...]:
    places: Mapping[int, Sequence[tuple[str, ...]]] = {
        0: [()], 1: [(c,) for c in classes], 2: list(product(held, classes)),
    }  # fmt: skip
    return tuple(_Kind(verb, given) for verb in templates() for given in places[things_taken(verb)])
