"""VirtualHome's steps in plain words, and the step that words are most like."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product

import numpy as np

from sayso.core.symbols import Operator
from sayso.language.repertoire import Likeness, Repertoire
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.tasks import ACTOR, Step, class_of, number_of
from sayso.worlds.virtualhome.world import things_taken

_OTHER_WORDS: Mapping[str, Sequence[str]] = {
    "close": ["shut {0}"],
    "drink": ["drink {0}"],
    "find": ["look for {0}", "locate {0}"],
    "grab": ["pick up {0}", "pick {0} up", "take {0}", "get {0}"],
    "lie": ["lie down on {0}"],
    "plugin": ["plug in {0}"],
    "puton": ["wear {0}"],
    "putoff": ["take off {0}"],
    "run": ["run into {0}"],
    "sit": ["sit down on {0}", "have seat on {0}"],
    "sleep": ["go to sleep", "fall asleep"],
    "standup": ["get up"],
    "switchoff": ["turn {0} off", "turn off {0}", "switch off {0}"],
    "switchon": ["turn {0} on", "turn on {0}", "switch on {0}"],
    "turnto": ["face {0}"],
    "walk": ["go to {0}", "walk into {0}", "enter {0}"],
    "wash": ["clean {0}"],
}
"""What people say beside the library's English, for an embedder that knows no synonyms."""
_NUMBER = re.compile(r"\b\d+\b")
_NO_MATTER = re.compile(r"\b(\d+|the|an?)\b", re.IGNORECASE)
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
    def phrases(self) -> tuple[str, ...]:
        """The library's English, and what else people say."""
        classes = [c.replace("_", " ") for c in self.classes]
        said = (templates()[self.verb], *_OTHER_WORDS.get(self.verb, ()))
        return tuple(template.format(*classes) for template in said)


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
        phrases = [k.phrases for k in self._kinds]
        self._first = np.cumsum([0, *map(len, phrases[:-1])])
        self._phrases = repertoire.among(list(chain.from_iterable(phrases)))
        self.count = sum(map(self._stands_for, self._kinds))

    def likeness(self, texts: Sequence[str]) -> Likeness:
        """(T, K) cosines of texts and kinds of actions, each with the phrase that is most alike;
        numbers and articles do not matter."""
        likeness = self._phrases.likeness([_NO_MATTER.sub(" ", text) for text in texts])
        best: Likeness = np.maximum.reduceat(likeness, self._first, axis=1)
        return best

    def best(
        self, scores: Likeness, count: int, text: str, used: Iterable[str] = ()
    ) -> tuple[Step, ...]:
        """The steps with the best scores, best first.

        Args:
            scores: (K,) of kinds of actions.
            text: whose numbers say which things are meant.
            used: things of steps before.
        """
        order = [i for i in np.argsort(-scores, kind="stable")[:count] if np.isfinite(scores[i])]
        numbers, known = _NUMBER.findall(text), set(used)
        steps = (self._step(self._kinds[i], numbers, known) for i in order)
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
