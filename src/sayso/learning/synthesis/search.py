"""The search for programs: atomic ones, then "and" and "or" of the best, then their limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.learning.synthesis.columns import Examples
from sayso.learning.synthesis.limits import refits
from sayso.learning.synthesis.meaning import NAMED, Meaning
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Either,
    Exists,
    Not,
    Program,
    size,
)
from sayso.learning.synthesis.tables import Bools

_UNSAID = 2.0
"""What a part that no word is about costs more, joined to one that the words name: two wrong labels
alone must not bring it in. Of very many parts, one that fits a few labels is found by chance."""


@dataclass(frozen=True)
class Settings:
    """How programs are weighed; all weights are natural logarithms of probabilities.

    Attributes:
        noise: share of labels that are wrong by chance.
        meaning_weight: of a program that says exactly what the person said, against one that has
            nothing to do with it.
        size_weight: of each unit of `programs.size`.
        parts: at most so many atomic parts are joined.
        beam: how many programs are extended at each step.
        kept: how many programs are given back.
    """

    noise: float = 0.05
    meaning_weight: float = 12.0
    size_weight: float = 1.0
    parts: int = 3
    beam: int = 40
    kept: int = 12

    def __post_init__(self) -> None:
        if not 0.0 < self.noise < 0.5:
            raise SaySoError(
                Code.INVALID,
                f"a share of {self.noise:g} wrong labels cannot be learned from.",
                hint="give a noise above 0 and below 0.5.",
            )

    @property
    def error_weight(self) -> float:
        """Of a label that a program contradicts."""
        return float(np.log((1 - self.noise) / self.noise))


@dataclass(frozen=True)
class Scored:
    """A program, how many labels it contradicts, how close to the words it is, and its score."""

    program: Program
    errors: int
    likeness: float
    score: float


class Search:
    """Programs for one set of examples, best first."""

    def __init__(self, examples: Examples, meaning: Meaning, settings: Settings) -> None:
        self._examples = examples
        self._meaning = meaning
        self._settings = settings
        self._named = True

    def run(self, atomic: Sequence[Program]) -> tuple[Scored, ...]:
        """The best programs over these atomic ones; their truths on the labels may coincide."""
        self._named = any(self._meaning.of(p) >= NAMED for p in atomic)
        truths = np.array([self._examples.truth(p) for p in atomic], bool)
        truths = truths.reshape(len(atomic), len(self._examples.labels))
        scores = np.array([self.scored(p, t).score for p, t in zip(atomic, truths, strict=True)])
        order = np.argsort(-scores, kind="stable")
        found = [(atomic[i], truths[i], float(scores[i])) for i in order[: 3 * self._settings.beam]]
        frontier = found[: self._settings.beam]
        for _ in range(self._settings.parts - 1):
            frontier = self._extended(frontier, atomic, truths)
            found += frontier
        best = sorted(found, key=lambda f: -f[2])[: 3 * self._settings.beam]
        programs = dict.fromkeys(p for f in best for p in (f[0], *self._refitted(f[0])))
        scored = [self.scored(p, self._examples.truth(p)) for p in programs]
        return tuple(sorted(scored, key=lambda s: -s.score))

    def scored(self, program: Program, held: Bools) -> Scored:
        errors = int((held != self._examples.wanted).sum())
        likeness = self._meaning.of(program)
        weight = self._weigh(errors, likeness, self._size(program))
        return Scored(program, errors, likeness, -np.inf if vacuous(program) else weight)

    def _size(self, program: Program) -> float:
        # What is usual for a measure is so of what its words are said of.
        length = size(program, self._meaning.priors, usual=self._named)
        return length + _UNSAID * self._unmentioned_parts(program)

    def _unmentioned_parts(self, program: Program) -> int:
        """How many of its joined parts no word is about, if the words name another."""
        if not isinstance(program, All | Either) or self._meaning.of(program) < NAMED:
            return 0
        return sum(self._meaning.of(p) < NAMED for p in program.parts)

    def _weigh(self, errors: float, likeness: float, length: float) -> float:
        s = self._settings
        return s.meaning_weight * likeness - s.error_weight * errors - s.size_weight * length

    def _extended(
        self,
        frontier: Sequence[tuple[Program, Bools, float]],
        atomic: Sequence[Program],
        truths: npt.NDArray[np.bool_],
    ) -> list[tuple[Program, Bools, float]]:
        """The best programs with one part more."""
        if not frontier or not atomic:
            return []
        lengths = np.array([self._size(p) for p in atomic])
        likeness = np.array([self._meaning.of(p) for p in atomic])
        grown: list[tuple[float, int, int, bool]] = []
        for i, (program, held, _) in enumerate(frontier):
            for conjoined in (True, False):
                both = held & truths if conjoined else held | truths
                errors = (both != self._examples.wanted).sum(1)
                meant = np.maximum(likeness, self._meaning.of(program))
                s = self._settings
                scores = (
                    s.meaning_weight * meant
                    - s.error_weight * errors
                    - s.size_weight * (1.5 + self._size(program) + lengths)
                )
                if self._meaning.of(program) >= NAMED:
                    scores -= s.size_weight * _UNSAID * (likeness < NAMED)
                # A part that changes nothing is no improvement.
                scores[(both == held).all(1)] = -np.inf
                best = np.argsort(-scores, kind="stable")[: self._settings.beam]
                grown += [(float(scores[j]), i, int(j), conjoined) for j in best]
        grown.sort(key=lambda g: (-g[0], g[1], g[2]))
        return self._joined(frontier, atomic, truths, grown)

    def _joined(
        self,
        frontier: Sequence[tuple[Program, Bools, float]],
        atomic: Sequence[Program],
        truths: npt.NDArray[np.bool_],
        grown: Iterable[tuple[float, int, int, bool]],
    ) -> list[tuple[Program, Bools, float]]:
        found: dict[Program, tuple[Program, Bools, float]] = {}
        for score, i, j, conjoined in grown:
            if score == -np.inf or len(found) >= self._settings.beam:
                break
            program = join(frontier[i][0], atomic[j], conjoined)
            held = frontier[i][1] & truths[j] if conjoined else frontier[i][1] | truths[j]
            found.setdefault(program, (program, held, score))
        return list(found.values())

    def _refitted(self, program: Program) -> Iterable[Program]:
        """The program with each part's limit fitted to the labels that the part decides."""
        if not isinstance(program, All | Either):
            return
        parts = list(program.parts)
        for i, part in enumerate(parts):
            rest = [self._examples.truth(p) for k, p in enumerate(parts) if k != i]
            if isinstance(program, All):
                free = np.logical_and.reduce(rest)
            else:
                free = ~np.logical_or.reduce(rest)
            parts[i] = self._refit(part, free)
        if tuple(parts) != program.parts:
            yield replace(program, parts=tuple(parts))

    def _refit(self, part: Program, free: Bools) -> Program:
        denied = isinstance(part, Not)
        inner = part.part if isinstance(part, Not) else part
        compare = inner.part if isinstance(inner, Exists) else inner
        if not isinstance(compare, Compare) or compare.stated:
            return part
        values = self._examples.numbers(compare)[free]
        wanted = self._examples.wanted[free] != denied
        usual = self._meaning.priors.words(compare.measure, compare.below).usual
        for limit in refits(values, wanted, compare.below, usual):
            fitted: Program = replace(compare, limit=limit)
            fitted = Exists(fitted) if OTHER in compare.args else fitted
            return Not(fitted) if denied else fitted
        return part


def vacuous(program: Program) -> bool:
    """Whether parts leave nothing to be so, or nothing not to be: below 1 cm and above 3 cm."""
    if not isinstance(program, All | Either):
        return False
    compared = [p for p in program.parts if isinstance(p, Compare)]
    lows = {(p.measure, p.args): p.limit for p in compared if not p.below}
    highs = {(p.measure, p.args): p.limit for p in compared if p.below}
    conjoined = isinstance(program, All)
    return any(
        highs[of] <= lows[of] if conjoined else lows[of] <= highs[of] for of in lows.keys() & highs
    )


def join(one: Program, two: Program, conjoined: bool) -> Program:
    """Their "and" or "or", flat, in a fixed order."""
    kind = All if conjoined else Either
    parts = [p for part in (one, two) for p in (part.parts if isinstance(part, kind) else (part,))]
    return kind(tuple(sorted(dict.fromkeys(parts), key=repr)))
