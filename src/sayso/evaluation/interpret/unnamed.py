"""`sayso eval predicates`: predicates that no prior names, learned from a few right labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from time import perf_counter

import numpy as np

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, SceneView
from sayso.core.symbols import Atom
from sayso.evaluation.cases import Case, Outcome, Row
from sayso.evaluation.interpret.everyday import EVERYDAY, Everyday, true_of
from sayso.evaluation.interpret.options import HALVES, PRIORS
from sayso.evaluation.report import table
from sayso.learning.priors import priors_named
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned, Synthesizer
from sayso.worlds.everyday import Room, drawn_room

TARGET = 0.95
"""Balanced agreement in unseen rooms from which a predicate counts as learned."""
_TAUGHT, _UNSEEN = 40, 25
_FIRST_UNSEEN = 1000


class Unnamed:
    """Each predicate of `everyday` from so many right labels, half of them of what is so.

    Args:
        labels: how many, one after another.
        priors: see `priors.priors_named`.
        half: which predicates, one of `HALVES`.
    """

    def __init__(
        self, labels: Sequence[int] = (10, 30), priors: str = PRIORS[0], half: str = "all"
    ) -> None:
        if min(labels, default=0) < 2:
            raise SaySoError(Code.CONFIG, "at least two labels are needed, one of either truth.")
        self._labels, self._half = tuple(labels), half
        embedder = registry.create("embedder", EMBEDDER)
        self._synthesizer = Synthesizer(embedder, priors=priors_named(priors))

    def cases(self) -> Sequence[Case]:
        """A case for each predicate and number of labels."""
        chosen = [e for e in EVERYDAY.values() if self._half in ("all", _half(e))]
        return [
            Case(f"{e.number} {e.name} {count}", f"{count} labels, {_half(e)}",
                 {"name": e.name, "labels": count})
            for count in self._labels for e in chosen
        ]  # fmt: skip

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is agreement, or that what cannot be seen is told to be so."""
        predicate = EVERYDAY[case.data["name"]]
        labels = labels_of(predicate, case.data["labels"], seed)
        concept = Concept(
            predicate.name, predicate.parameters, predicate.english, predicate.english_not
        )
        started = perf_counter()
        learned = self._synthesizer.learn(concept, labels)
        seconds = perf_counter() - started
        return _judged(predicate, learned, seconds)

    def summary(self, rows: Sequence[Row]) -> str:
        """Each predicate's agreement, by number of labels."""
        counts = dict.fromkeys(r.case.split()[-1] for r in rows)
        names = dict.fromkeys(r.case.rsplit(" ", 1)[0] for r in rows)
        shares = {r.case: str(r.measures.get("agreement", "-")) for r in rows}
        body = [(n, *(shares.get(f"{n} {c}", "-") for c in counts)) for n in names]
        return "## Agreement\n\n" + table(("predicate", *(f"{c} labels" for c in counts)), body)


def _half(predicate: Everyday) -> str:
    return HALVES[1 - predicate.number % 2]


@cache
def _rooms(first: int, count: int) -> tuple[Room, ...]:
    return tuple(drawn_room(first + i) for i in range(count))


def labels_of(predicate: Everyday, count: int, seed: int) -> tuple[Label, ...]:
    """Right labels, half of what is so where there are so many, from the rooms to learn in.

    Args:
        seed: of the rooms, none of which is among the unseen ones, and of what is told in them.
    """
    random = np.random.default_rng([predicate.number, seed])
    first = _TAUGHT * int(random.integers(_FIRST_UNSEEN // _TAUGHT))
    told: dict[bool, list[Label]] = {True: [], False: []}
    for room in _rooms(first, _TAUGHT):
        for args in permutations(room.things, predicate.arity):
            truth = true_of(predicate, room, args)
            if truth is not None:
                told[truth].append(Label(room.scene, args, truth))
    shuffled = {t: [found[i] for i in random.permutation(len(found))] for t, found in told.items()}
    true = shuffled[True][: count // 2]
    mixed = [*true, *shuffled[False][: count - len(true)]]
    return tuple(mixed[i] for i in random.permutation(len(mixed)))


def _judged(predicate: Everyday, learned: Learned, seconds: float) -> Outcome:
    shown = learned.predicate.source.split('"""')[1].split("\n\n")[0]
    detail = " ".join(shown.split())
    if not predicate.observable:
        right = not learned.observable
        return Outcome(right, measures={"agreement": "told unseen" if right else "guessed",
                                        "learn_s": seconds}, detail=detail)  # fmt: skip
    share = agreement_in_rooms(learned.predicate, predicate, _rooms(_FIRST_UNSEEN, _UNSEEN))
    measures = {"agreement": round(share, 3), "learn_s": seconds}
    return Outcome(share >= TARGET, measures=measures, detail=detail)


def agreement_in_rooms(learned: Predicate, predicate: Everyday, rooms: Sequence[Room]) -> float:
    """Balanced agreement with the truth in rooms; what is unknown counts half."""
    right: dict[bool, list[float]] = {True: [], False: []}
    for room in rooms:
        view = SceneView(room.scene, {learned.name: learned})
        for args in permutations(room.things, predicate.arity):
            wanted = true_of(predicate, room, args)
            if wanted is not None:
                told = view.truth(Atom(learned.name, args))
                right[wanted].append(0.5 if told is None else float(told == wanted))
    return float(np.mean([np.mean(shares) for shares in right.values()]))
