"""Progression: what is left of a task after what was observed so far, and what that means.

The one place that says so, for monitor, planners, validator, tours, report and replay. A task is
followed part by part, each by a small automaton of its own: ten goals in any order are ten
automata of two states, not one of a thousand. What is unknown leaves several states possible.

**Endless tasks.** A part `G(F(p))` asks for p again and again, for ever. It is read in rounds: a
round is over when all that recurs came about for sure since the last one was; then all of it is
wanted anew. A task with such a part has no end. A response `G(p -> F(q))` is read as it stands:
it is unfulfilled while a q is owed, in a round as in a task with an end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import combinations
from typing import ClassVar

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.logic.automaton import Automaton, automaton_of
from sayso.logic.diagrams import Budget
from sayso.logic.english import read_back
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Next,
    Prop,
    Release,
    Until,
    WeakNext,
    children,
    clauses,
    conjunction,
    propositions,
)
from sayso.logic.joint import Joint, States
from sayso.logic.text import to_text

_MOST_KEPT = 1024
MOST_SIZE, MOST_NESTED, MOST_ALTERNATIONS = 4_000, 100, 8
"""How many operators and propositions a task may have, how deep they may nest, and how often
along the way "at some time" (F, U, X) and "at all times" (G, R) may change."""

Letter = frozenset[Prop]
"""The propositions that are true in one step; all others are false."""
Possible = tuple[frozenset[int], ...]
"""For each part the states that it may be in."""


class Verdict(IntEnum):
    """What the trace so far means for a task; the values are those of TaskProgress.msg.

    A *completion* of the trace takes each proposition that was not observed to be true or false,
    step by step.

    SATISFIED: the task has an end, and each completion fulfils it if the trace ends now.
    VIOLATED: no completion has any continuation that fulfils the task (of an endless one:
        that brings another round about).
    POSSIBLE: neither.
    """

    POSSIBLE = 0
    SATISFIED = 1
    VIOLATED = 2


@dataclass(frozen=True)
class Part:
    """A conjunct of a task.

    Attributes:
        formula: what it asks for; of a recurring part `G(F(p))`, for a round: `F(p)`.
        recurs: whether it is wanted anew as soon as a round is over.
    """

    formula: Formula
    recurs: bool = False

    @property
    def whole(self) -> Formula:
        """What it asks for in the end."""
        return Always(self.formula) if self.recurs else self.formula


def parts_of(formula: Formula) -> tuple[Part, ...]:
    """The conjuncts of a task, each once; what recurs and what has to hold beside it apart."""
    found: dict[Part, None] = {}
    for clause in clauses(formula):
        inner = clauses(clause.arg) if isinstance(clause, Always) else ()
        again = [f for f in inner if isinstance(f, Eventually)]
        found.update((Part(f, recurs=True), None) for f in again)
        if again and len(again) < len(inner):
            kept = conjunction(*(f for f in inner if f not in again))
            found[Part(Always(kept))] = None
        elif not again:
            found[Part(clause)] = None
    # What is wanted again and again is wanted at some time.
    return tuple(p for p in found if p.recurs or Part(p.formula, recurs=True) not in found)


def is_endless(formula: Formula) -> bool:
    """Whether something is to come about again and again, so that the task has no end."""
    return any(part.recurs for part in parts_of(formula))


@dataclass(frozen=True, eq=False)
class Progression:
    """A task part by part.

    Attributes:
        formula: the whole.
        parts: its conjuncts; the task is fulfilled where all of them are.
        automata: of each part.
    """

    formula: Formula
    parts: tuple[Part, ...]
    automata: tuple[Automaton, ...]
    _steps: dict[tuple[int, int, Letter], int] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(formula: Formula) -> Progression:
        """A task's parts, whether or not they contradict each other.

        Raises:
            SaySoError: UNSUPPORTED where a part is too large.
        """
        check_size(formula)
        parts, automata = parts_of(formula), _Automata(propositions(formula))
        return Progression(formula, parts, tuple(automata.of(p.formula) for p in parts))

    # -- what it is ------------------------------------------------------------------------

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """What the parts ask for, of what recurs for one round."""
        return tuple(part.formula for part in self.parts)

    @cached_property
    def propositions(self) -> tuple[Prop, ...]:
        """Of all parts, each once, in order of appearance."""
        return propositions(self.formula)

    @property
    def round(self) -> Formula:
        """What there is to do; of an endless task, to bring a round about."""
        return self.clauses[0] if len(self.parts) == 1 else And(self.clauses)

    @property
    def endless(self) -> bool:
        """Whether the task has no end; see the module's text."""
        return any(part.recurs for part in self.parts)

    @property
    def initial(self) -> States:
        """The states before the first step of the trace."""
        return tuple(a.initial for a in self.automata)

    def extend(self, further: Formula) -> Progression:
        """The same task with a further obligation, whose parts come last."""
        more = [p for p in parts_of(further) if p not in self.parts]
        whole = conjunction(self.formula, further)
        check_size(whole)
        automata = _Automata(propositions(whole))
        added = tuple(automata.of(p.formula) for p in more)
        return Progression(whole, (*self.parts, *more), (*self.automata, *added))

    def only(self, members: Sequence[int]) -> Progression:
        """Some of the parts, by number, as a task of their own."""
        parts = tuple(self.parts[i] for i in members)
        whole = conjunction(*(p.whole for p in parts))
        return Progression(whole, parts, tuple(self.automata[i] for i in members))

    # -- steps -----------------------------------------------------------------------------

    def step(self, states: States, letter: Letter) -> States:
        """The states after one more step of the trace, with exactly these propositions true."""
        return tuple(self._step(i, state, letter) for i, state in enumerate(states))

    def run(self, trace: Collection[Letter], states: States | None = None) -> States:
        """The states after a whole trace."""
        current = self.initial if states is None else states
        for letter in trace:
            current = self.step(current, letter)
        return current

    # -- what states mean ------------------------------------------------------------------

    def is_done(self, states: States) -> bool:
        """Whether all parts are fulfilled if the trace ends here, of what recurs a round."""
        return all(a.is_accepting(q) for a, q in zip(self.automata, states, strict=True))

    def is_lost(self, states: States) -> bool:
        """Whether some part alone can no longer be fulfilled."""
        return any(a.is_trap(q) for a, q in zip(self.automata, states, strict=True))

    def lost(self, states: States) -> tuple[Formula, ...]:
        """The parts that can no longer be fulfilled."""
        trios = zip(self.clauses, self.automata, states, strict=True)
        return tuple(c for c, a, q in trios if a.is_trap(q))

    def pending(self, states: States) -> tuple[Formula, ...]:
        """The parts that would be unfulfilled if the trace ended here."""
        trios = zip(self.clauses, self.automata, states, strict=True)
        return tuple(c for c, a, q in trios if not a.is_accepting(q))

    def can_go_on(self, states: States, members: Sequence[int] | None = None) -> bool:
        """Whether some continuation fulfils all parts together, or some of them, by number.

        Taken to be so where it takes too long to find out.
        """
        chosen = range(len(self.parts)) if members is None else members
        try:
            return self.joint.satisfiable(chosen, states)
        except SaySoError:
            return True

    def can_begin(self) -> bool:
        """Whether some trace fulfils the task.

        Raises:
            SaySoError: UNSUPPORTED where it takes too long to find out.
        """
        return self.joint.satisfiable(range(len(self.parts)), self.initial, begun=False)

    def reckoned(self, possible: Possible) -> States:
        """Of each part one of its possible states: what else is possible is no worse off.

        Lost ones are left out where there are others: nothing can be done about them. Where
        none is the least, the lowest.
        """
        pairs = zip(self.automata, possible, strict=True)
        return tuple(_reckoned(a, states) for a, states in pairs)

    @cached_property
    def joint(self) -> Joint:
        """The parts' automata side by side."""
        return Joint(self.automata, {p: i for i, p in enumerate(self.propositions)})

    def _step(self, index: int, state: int, letter: Letter) -> int:
        key = (index, state, letter)
        done = self._steps.get(key)
        if done is None:
            done = self._steps[key] = self.automata[index].step(state, letter)
        return done


def check_size(formula: Formula) -> None:
    """Returns if a task is small enough to be worked on. Raises UNSUPPORTED."""
    size, nested, alternations = 0, 0, 0
    todo: list[tuple[Formula, int, int, bool | None]] = [(formula, 1, 0, None)]
    while todo and size <= MOST_SIZE and nested <= MOST_NESTED:
        here, depth, changes, always = todo.pop()
        kind = always
        if isinstance(here, Eventually | Until | Next):
            kind = False
        elif isinstance(here, Always | Release | WeakNext):
            kind = True
        changes += always is not None and kind is not always
        size, nested = size + 1, max(nested, depth)
        alternations = max(alternations, changes)
        todo += [(child, depth + 1, changes, kind) for child in children(here)]
    if size > MOST_SIZE or nested > MOST_NESTED or alternations > MOST_ALTERNATIONS:
        raise SaySoError(
            Code.UNSUPPORTED,
            f"the task is too large: at most {MOST_SIZE} operators and propositions, nested at "
            f"most {MOST_NESTED} deep, with at most {MOST_ALTERNATIONS} changes between "
            "'at some time' and 'at all times', can be worked on.",
            hint="split the task into smaller ones.",
        )


def progression_of(
    formula: Formula, predicates: Mapping[str, Predicate] | None = None
) -> Progression:
    """The parts of a task that can be fulfilled.

    Args:
        predicates: by name, for the English of the explanation.

    Raises:
        SaySoError: CONTRADICTION, naming the parts that exclude each other; UNSUPPORTED where
            the task is too large.
    """
    task = Progression.of(formula)
    if not task.can_begin():
        raise SaySoError(
            Code.CONTRADICTION,
            explain_contradiction(formula, predicates),
            hint="drop or change one of them.",
        )
    return task


def conflict(formula: Formula) -> tuple[Formula, ...]:
    """Conjuncts that cannot be fulfilled together, none of which can be left out.

    Empty where the formula can be fulfilled. Halves what is left to try (Junker, "QuickXplain:
    preferred explanations and relaxations for over-constrained problems", AAAI 2004).
    """
    task = Progression.of(formula)

    def possible(members: Sequence[int]) -> bool:
        states = tuple(task.initial[i] for i in members)
        return task.joint.satisfiable(members, states, begun=False)

    def needed(kept: list[int], changed: bool, left: list[int]) -> list[int]:
        if changed and not possible(sorted(kept)):
            return []
        if len(left) == 1:
            return left
        first, second = left[: len(left) // 2], left[len(left) // 2 :]
        later = needed([*kept, *first], True, second)
        return [*needed([*kept, *later], bool(later), first), *later]

    every = list(range(len(task.parts)))
    if possible(every):
        return ()
    return tuple(task.parts[i].whole for i in sorted(needed([], False, every)))


def explain_contradiction(
    formula: Formula, predicates: Mapping[str, Predicate] | None = None
) -> str:
    """Why a formula cannot be fulfilled, in text and English; '' where it can."""
    parts = [f"{to_text(c)} ({read_back(c, predicates or {})})" for c in conflict(formula)]
    if len(parts) == 1:
        return f"this can never be fulfilled: {parts[0]}"
    return f"these cannot be fulfilled together: {'; '.join(parts)}" if parts else ""


def can_be_fulfilled(formula: Formula) -> bool:
    """Whether some trace fulfils a formula; raises UNSUPPORTED where that is hard to tell."""
    return Progression.of(formula).can_begin()


class _Automata:
    """Makes the automata of one task's parts, within one budget; those made before are kept.

    Args:
        order: of the task's propositions.
    """

    _kept: ClassVar[dict[tuple[Formula, tuple[Prop, ...]], Automaton]] = {}

    def __init__(self, order: Sequence[Prop]) -> None:
        self._order = order
        self._budget = Budget()

    def of(self, formula: Formula) -> Automaton:
        """The automaton of one part."""
        own = set(propositions(formula))
        key = formula, tuple(p for p in self._order if p in own)
        if key not in self._kept:
            made = automaton_of(formula, order=key[1], budget=self._budget)
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[key] = made
        return self._kept.get(key) or automaton_of(formula, order=key[1])


def _reckoned(automaton: Automaton, states: Collection[int]) -> int:
    if len(states) == 1:
        return next(iter(states))
    left = sorted(q for q in states if not automaton.is_trap(q)) or sorted(states)
    worse = automaton.inclusions
    least = (q for q in left if all(q == p or (q, p) in worse for p in left))
    return next(least, left[0])


def letters(known: Mapping[Prop, bool], unknown: Sequence[Prop]) -> Iterator[Letter]:
    """Every letter that agrees with what is known."""
    sure = frozenset(p for p, truth in known.items() if truth)
    for count in range(len(unknown) + 1):
        for chosen in combinations(unknown, count):
            yield sure | set(chosen)
