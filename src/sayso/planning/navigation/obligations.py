"""A task as the automata of its clauses, stepped side by side.

Clauses that must all hold read the same trace, so that the tuple of their states says all that
one automaton of the whole would, without ever building it: ten places in any order are ten
automata of two states, not one of a thousand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from sayso.core.errors import Code, SaySoError
from sayso.logic.automaton import Automaton, compile_formula
from sayso.logic.diagrams import value
from sayso.logic.formula import And, Formula, Next, Prop, WeakNext, clauses, walk
from sayso.logic.text import to_text

States = tuple[int, ...]
Letter = frozenset[Prop]


@dataclass(frozen=True)
class Reading:
    """One step of a trace as far as it can be told: propositions not named are false.

    Attributes:
        true: what holds for sure.
        unsure: what may be seen to hold or not.
    """

    true: Letter = frozenset()
    unsure: Letter = frozenset()

    def within(self, propositions: Collection[Prop]) -> Reading:
        """What it says of some propositions."""
        return Reading(self.true & set(propositions), self.unsure & set(propositions))

    def letters(self) -> Iterator[Letter]:
        """All that may be seen."""
        for count in range(len(self.unsure) + 1):
            for seen in combinations(sorted(self.unsure, key=str), count):
                yield self.true | frozenset(seen)


_COMPARED = 200
"""States of one automaton up to which they are compared with each other."""


@dataclass(frozen=True, eq=False)
class Obligations:
    """What a task demands, by clause.

    Attributes:
        clauses: the formulas that must all hold.
        automata: of each clause, in the same order.
    """

    clauses: tuple[Formula, ...]
    automata: tuple[Automaton, ...]
    _steps: dict[tuple[int, int, Letter], int] = field(default_factory=dict, repr=False)
    _outcomes: dict[tuple[int, int, Reading], frozenset[int]] = field(
        default_factory=dict, repr=False
    )

    @property
    def formula(self) -> Formula:
        """All clauses together."""
        return And(self.clauses) if len(self.clauses) != 1 else self.clauses[0]

    @property
    def initial(self) -> States:
        """The states before the first step of the trace."""
        return tuple(a.initial for a in self.automata)

    @cached_property
    def propositions(self) -> tuple[Prop, ...]:
        """Of all clauses, each once, in order of appearance."""
        return tuple(dict.fromkeys(p for a in self.automata for p in a.propositions))

    def step(self, states: States, letter: Letter) -> States:
        """The states after one more step of the trace, with exactly these propositions true."""
        return tuple(self._step(i, state, letter) for i, state in enumerate(states))

    def outcomes(self, states: States, reading: Reading) -> tuple[frozenset[int], ...]:
        """For each clause, the states that what is seen next may lead to."""
        return tuple(self._after(i, state, reading) for i, state in enumerate(states))

    def worst(self, states: States, reading: Reading) -> States | None:
        """The states after the least that may be seen, or None where nothing seen is the least.

        What completes the task from them completes it whatever was seen.
        """
        return self.least(self.outcomes(states, reading))

    def harmless(self, states: States, reading: Reading) -> bool:
        """Whether the task is no worse off whatever is seen, and however often that changes."""
        return all(
            self._spares(i, p, after)
            for i, (p, after) in enumerate(zip(states, self.outcomes(states, reading), strict=True))
        )

    def between(self, states: States, target: States, reading: Reading) -> bool:
        """Whether all that may be seen on the way from some states to others serves the task.

        Each thing seen leaves a clause no worse off or brings it where it is wanted, and none
        takes it away from there again.
        """
        return self.harmless(target, reading) and self.crossed(states, target, reading)

    def crossed(self, states: States, target: States, reading: Reading) -> bool:
        """Whether all that may be seen when a border is crossed once serves the task.

        As `between`, for ways on which what was seen does not change back.
        """
        pairs = zip(states, target, self.outcomes(states, reading), strict=True)
        return all(
            all(self._spares(i, p, {q}) or self._spares(i, t, {q}) for q in after)
            for i, (p, t, after) in enumerate(pairs)
        )

    def run(self, trace: Collection[Letter], states: States | None = None) -> States:
        """The states after a whole trace."""
        current = self.initial if states is None else states
        for letter in trace:
            current = self.step(current, letter)
        return current

    def is_done(self, states: States) -> bool:
        """Whether the task is fulfilled if the trace ends here."""
        return all(a.is_accepting(s) for a, s in zip(self.automata, states, strict=True))

    def is_lost(self, states: States) -> bool:
        """Whether some clause can no longer be fulfilled."""
        return any(a.is_trap(s) for a, s in zip(self.automata, states, strict=True))

    def lost(self, states: States) -> tuple[Formula, ...]:
        """The clauses that can no longer be fulfilled."""
        return tuple(
            c for c, a, s in zip(self.clauses, self.automata, states, strict=True) if a.is_trap(s)
        )

    def pending(self, states: States) -> tuple[Formula, ...]:
        """The clauses that would be unfulfilled if the trace ended here."""
        return tuple(
            c
            for c, a, s in zip(self.clauses, self.automata, states, strict=True)
            if not a.is_accepting(s)
        )

    def no_worse(self, before: States, after: States) -> bool:
        """Whether every way to complete the task from `before` completes it from `after`."""
        return all(
            self._spares(i, p, {q}) for i, (p, q) in enumerate(zip(before, after, strict=True))
        )

    def counts(self, prop: Prop) -> bool:
        """Whether some clause is worse off if a proposition comes about twice instead of once.

        "At most once" cannot be kept where what is seen may change to and fro.
        """
        return any(
            not automaton.is_trap(once := automaton.step(q, {prop}))
            and not self._spares(i, once, {automaton.step(automaton.step(once, ()), {prop})})
            for i, automaton in enumerate(self.automata)
            for q in range(automaton.states if prop in automaton.propositions else 0)
        )

    def clause(self, index: int) -> Obligations:
        """One clause as a task of its own."""
        return self._alone[index]

    def without(self, clause: Formula) -> Obligations:
        """The same task but for one clause."""
        kept = [(c, a) for c, a in zip(self.clauses, self.automata, strict=True) if c is not clause]
        return Obligations(tuple(c for c, _ in kept), tuple(a for _, a in kept))

    @cached_property
    def _alone(self) -> tuple[Obligations, ...]:
        pairs = zip(self.clauses, self.automata, strict=True)
        return tuple(Obligations((c,), (a,)) for c, a in pairs)

    @cached_property
    def _no_worse(self) -> tuple[frozenset[tuple[int, int]], ...]:
        return tuple(_inclusions(a) for a in self.automata)

    def least(self, possible: Sequence[frozenset[int]]) -> States | None:
        """Of sets of states for each clause, those that all others are no worse than."""
        found = [self._least(i, states) for i, states in enumerate(possible)]
        return None if None in found else tuple(q for q in found if q is not None)

    @cached_property
    def counts_steps(self) -> tuple[bool, ...]:
        """Whether each clause tells one step from two alike."""
        return tuple(any(isinstance(f, Next | WeakNext) for f in walk(c)) for c in self.clauses)

    def _spares(self, index: int, state: int, after: Collection[int]) -> bool:
        pairs = self._no_worse[index]
        return all(q == state or (state, q) in pairs for q in after)

    def _least(self, index: int, states: Collection[int]) -> int | None:
        return next((q for q in sorted(states) if self._spares(index, q, states)), None)

    def _after(self, index: int, state: int, reading: Reading) -> frozenset[int]:
        if not reading.unsure:
            return frozenset((self._step(index, state, reading.true),))
        key = (index, state, reading)
        done = self._outcomes.get(key)
        if done is None:
            automaton = self.automata[index]
            known = {p: p in reading.true for p in automaton.propositions}
            for p in reading.unsure:
                known.pop(p, None)
            done = self._outcomes[key] = automaton.possible_steps(state, known)
        return done

    def _step(self, index: int, state: int, letter: Letter) -> int:
        key = (index, state, letter)
        done = self._steps.get(key)
        if done is None:
            done = self._steps[key] = self.automata[index].step(state, letter)
        return done


def obligations_of(formula: Formula) -> Obligations:
    """A task's clauses and their automata.

    Raises:
        SaySoError: INVALID naming a referent that is still to be found in the scene;
            CONTRADICTION where one clause alone can never hold; UNSUPPORTED where a clause's
            automaton is too large.
    """
    parts = tuple(dict.fromkeys(clauses(formula)))
    task = Obligations(parts, tuple(compile_formula(part) for part in parts))
    for prop in task.propositions:
        if not prop.grounded:
            raise SaySoError(
                Code.INVALID,
                f"'{to_text(prop)}' speaks of something that was not found in the scene yet.",
                hint="ground the specification first.",
            )
    return task


def _inclusions(automaton: Automaton) -> frozenset[tuple[int, int]]:
    """The pairs (p, q) where all that is accepted from p is accepted from q.

    The greatest fixed point: a pair falls if p accepts and q does not, or if a letter leads to a
    pair that has fallen. Large automata are not compared; then only equal states pass.
    """
    n = automaton.states
    if n > _COMPARED:
        return frozenset()
    every = [(p, q) for p in range(n) for q in range(n)]
    leads = {pair: _joint(automaton, pair) for pair in every}
    kept = {
        (p, q)
        for p, q in every
        if not (automaton.is_accepting(p) and not automaton.is_accepting(q))
    }
    while fallen := {pair for pair in kept if not leads[pair] <= kept}:
        kept -= fallen
    return frozenset(kept)


def _joint(automaton: Automaton, pair: tuple[int, int]) -> set[tuple[int, int]]:
    """The pairs of states that one letter can lead two states to."""
    found: set[tuple[int, int]] = set()
    seen: set[tuple[int, int]] = set()
    todo = [(automaton.roots[pair[0]], automaton.roots[pair[1]])]
    while todo:
        a, b = both = todo.pop()
        if both in seen:
            continue
        seen.add(both)
        if a < 0 and b < 0:
            found.add((value(a), value(b)))
            continue
        v = automaton.diagrams.top(both)
        (a0, a1), (b0, b1) = (automaton.diagrams.cofactors(v, d) for d in both)
        todo += ((a0, b0), (a1, b1))
    return found
