"""A task on the way through a flat, where it is in doubt what will be seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import Formula, Prop, conjunction
from sayso.logic.joint import States
from sayso.logic.progression import Letter, Progression, explain_contradiction
from sayso.logic.text import to_text

__all__ = ["Letter", "Obligations", "Reading", "States", "obligations_of"]


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


@dataclass(frozen=True, eq=False)
class Obligations(Progression):
    """A task's progression, and what readings in doubt make of it."""

    _outcomes: dict[tuple[int, int, Reading], frozenset[int]] = field(
        default_factory=dict, repr=False
    )

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
        return self.among([i for i, c in enumerate(self.clauses) if c is not clause])

    def beside(self, other: Obligations) -> Obligations:
        """Both tasks as one, whose last clauses are the other's, even where they are alike."""
        return Obligations(
            conjunction(self.formula, other.formula),
            (*self.parts, *other.parts),
            (*self.automata, *other.automata),
        )

    def among(self, members: Sequence[int]) -> Obligations:
        """Some of the clauses, by number, as a task of their own."""
        task = self.only(members)
        return Obligations(task.formula, task.parts, task.automata)

    @cached_property
    def _alone(self) -> tuple[Obligations, ...]:
        return tuple(self.among([i]) for i in range(len(self.parts)))

    def least(self, possible: Sequence[frozenset[int]]) -> States | None:
        """Of sets of states for each clause, those that all others are no worse than."""
        found = [self._least(i, states) for i, states in enumerate(possible)]
        return None if None in found else tuple(q for q in found if q is not None)

    @cached_property
    def counts_steps(self) -> tuple[bool, ...]:
        """Whether each clause tells one step from two alike."""
        return tuple(a.counts_steps for a in self.automata)

    def _spares(self, index: int, state: int, after: Collection[int]) -> bool:
        pairs = self.automata[index].inclusions
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


def obligations_of(formula: Formula) -> Obligations:
    """A task's clauses and their automata.

    Raises:
        SaySoError: INVALID naming a referent that is still to be found in the scene;
            CONTRADICTION where one clause alone can never hold; UNSUPPORTED where a clause's
            automaton is too large.
    """
    made = Progression.of(formula)
    task = Obligations(made.formula, made.parts, made.automata)
    if broken := task.lost(task.initial):
        raise SaySoError(
            Code.CONTRADICTION,
            explain_contradiction(broken[0]),
            hint="drop or change it.",
        )
    for prop in task.propositions:
        if not prop.grounded:
            raise SaySoError(
                Code.INVALID,
                f"'{to_text(prop)}' speaks of something that was not found in the scene yet.",
                hint="ground the specification first.",
            )
    return task
