"""Follow a task's automaton along the observed trace, with three-valued observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom
from sayso.logic.analysis import remaining
from sayso.logic.automaton import Automaton, automaton_of
from sayso.logic.english import read_back
from sayso.logic.formula import Next, Not, Prop, WeakNext, clauses, walk
from sayso.logic.text import to_text

Truths = Mapping[Atom, "bool | None"]


class Verdict(IntEnum):
    """What the trace so far means for the task; the values are those of TaskProgress.msg."""

    POSSIBLE = 0
    SATISFIED = 1
    VIOLATED = 2


@dataclass(frozen=True)
class Progress:
    """Where the observed trace stands.

    Attributes:
        state: of the automaton; the lowest of `states`.
        states: all that the unknown propositions leave possible.
        verdict: SATISFIED where all of `states` accept, VIOLATED where all are traps.
        possibly_violated: some of `states` is a trap.
        steps: length of the trace.
        committed: whether the last observation was a new step.
        true, unknown: propositions in the last observation; all others were false.
        remaining: obligations still open, in English.
    """

    state: int
    states: frozenset[int]
    verdict: Verdict
    possibly_violated: bool
    steps: int
    committed: bool
    true: tuple[Prop, ...]
    unknown: tuple[Prop, ...]
    remaining: tuple[str, ...]


def prop_atom(prop: Prop) -> Atom:
    """The ground atom that a grounded proposition is about."""
    return Atom(prop.predicate, tuple(map(str, prop.args)))


class _Track:
    """The possible states of one automaton, each with the last letter that led there.

    The letter matters only to formulas with a next step: for the others reading a letter twice
    is reading it once, and it is left out (None).
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.current: frozenset[tuple[int, frozenset[Prop] | None]]
        self.current = frozenset({(automaton.initial, None)})
        self.counts_steps = any(isinstance(f, Next | WeakNext) for f in walk(automaton.formula))

    @property
    def states(self) -> frozenset[int]:
        return frozenset(s for s, _ in self.current)

    @property
    def lost(self) -> bool:
        """Whether all possible states are traps."""
        return all(map(self.automaton.is_trap, self.states))

    def after(
        self, known: Mapping[Prop, bool], boundary: bool
    ) -> frozenset[tuple[int, frozenset[Prop] | None]]:
        """What is possible after an observation of some propositions."""
        if not self.counts_steps:
            return frozenset(
                (s, None)
                for state in self.states
                for s in self.automaton.possible_steps(state, known)
            )
        return frozenset(
            (state if letter == last and not boundary else self.automaton.step(state, letter),
             letter)
            for letter in _letters(self.automaton.propositions, known)
            for state, last in self.current
        )  # fmt: skip

    def would_lose(self, known: Mapping[Prop, bool]) -> bool:
        return all(self.automaton.is_trap(s) for s, _ in self.after(known, boundary=False))


class Monitor:
    """Watches one task.

    Args:
        automaton: of the grounded formula.
        predicates: by name, for the English of reasons and obligations.
    """

    def __init__(
        self, automaton: Automaton, predicates: Mapping[str, Predicate] | None = None
    ) -> None:
        self.automaton = automaton
        self._predicates = predicates or {}
        self._atoms = tuple((p, prop_atom(p)) for p in automaton.propositions)
        self._whole = _Track(automaton)
        self._parts = tuple(_Track(automaton_of(c)) for c in clauses(automaton.formula))
        self._last: tuple[bool | None, ...] | None = None
        self._steps = 0
        self._remaining: dict[tuple[int, int], str] = {}

    def observe(self, truths: Truths, boundary: bool = False) -> Progress:
        """Take in an observation and say where the task stands.

        The trace grows by a step when the truths of the formula's propositions differ from
        those of the last step, and at a boundary. Atoms that are None or absent are unknown:
        all states that they leave possible are followed.

        Args:
            boundary: a skill has just ended.
        """
        seen = self._read(truths)
        committed = boundary or seen != self._last
        if committed:
            known = self._known(seen)
            for track in (self._whole, *self._parts):
                track.current = track.after(known, boundary)
            self._last = seen
            self._steps += 1
        return self._progress(seen, committed)

    def would_violate(self, truths: Truths) -> str | None:
        """Why this observation, if it came next, would make the task impossible, or None.

        Nothing is remembered. Unknown atoms are given the benefit of the doubt.
        """
        known = self._known(self._read(truths))
        if self._whole.lost:
            return "the task can no longer be fulfilled."
        if not self._whole.would_lose(known):
            return None
        broken = next((t for t in self._parts if t.would_lose(known)), self._whole)
        cause = " & ".join(
            to_text(p if positive else Not(p)) for p, positive in _culprits(broken, known)
        )
        meaning = read_back(broken.automaton.formula, self._predicates)
        return f"{cause or 'any further step'} would break: {meaning}"

    def _read(self, truths: Truths) -> tuple[bool | None, ...]:
        return tuple(truths.get(atom) for _, atom in self._atoms)

    def _known(self, seen: Iterable[bool | None]) -> dict[Prop, bool]:
        pairs = zip(self.automaton.propositions, seen, strict=True)
        return {p: truth for p, truth in pairs if truth is not None}

    def _progress(self, seen: tuple[bool | None, ...], committed: bool) -> Progress:
        states = self._whole.states
        pairs = tuple(zip(self.automaton.propositions, seen, strict=True))
        return Progress(
            state=min(states),
            states=states,
            verdict=self._verdict(states),
            possibly_violated=any(map(self.automaton.is_trap, states)),
            steps=self._steps,
            committed=committed,
            true=tuple(p for p, truth in pairs if truth),
            unknown=tuple(p for p, truth in pairs if truth is None),
            remaining=self._open_obligations(),
        )

    def _verdict(self, states: frozenset[int]) -> Verdict:
        if all(map(self.automaton.is_accepting, states)):
            return Verdict.SATISFIED
        if all(map(self.automaton.is_trap, states)):
            return Verdict.VIOLATED
        return Verdict.POSSIBLE

    def _open_obligations(self) -> tuple[str, ...]:
        """For each conjunct that is not fulfilled for sure, what it still needs."""
        found = []
        for number, track in enumerate(self._parts):
            unmet = [s for s in track.states if not track.automaton.is_accepting(s)]
            if unmet:
                open_still = [s for s in unmet if not track.automaton.is_trap(s)]
                words = self._need(number, track.automaton, min(open_still or unmet))
                doubtful = not open_still and not track.lost
                found.append(f"possibly {words}" if doubtful else words)
        return tuple(found)

    def _need(self, number: int, automaton: Automaton, state: int) -> str:
        key = (number, state)
        if key not in self._remaining:
            steps = remaining(automaton, state, self._predicates)
            lost = f"broken: {read_back(automaton.formula, self._predicates)}"
            self._remaining[key] = ", then ".join(steps) or lost
        return self._remaining[key]


def _letters(
    propositions: tuple[Prop, ...], known: Mapping[Prop, bool]
) -> Iterable[frozenset[Prop]]:
    """Every valuation of the propositions that agrees with what is known."""
    sure = frozenset(p for p in propositions if known.get(p))
    unknown = [p for p in propositions if p not in known]
    for values in product((False, True), repeat=len(unknown)):
        yield sure | {p for p, truth in zip(unknown, values, strict=True) if truth}


def _culprits(track: _Track, known: Mapping[Prop, bool]) -> tuple[tuple[Prop, bool], ...]:
    """Few observed literals that suffice to lose the task, preferably true propositions."""
    kept = {p: known[p] for p in track.automaton.propositions if p in known}
    for prop in sorted(kept, key=lambda p: kept[p]):
        fewer = {p: truth for p, truth in kept.items() if p != prop}
        if track.would_lose(fewer):
            kept = fewer
    return tuple(kept.items())
