"""The deterministic finite automaton of a formula: what a trace has done and still may do."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as Choice
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.logic import determinise, spot_backend
from sayso.logic.determinise import Draft
from sayso.logic.diagrams import Budget, Diagrams, leaf, value
from sayso.logic.formula import Formula, Next, Prop, WeakNext, propositions, walk

Backend: TypeAlias = Choice["auto", "spot", "python"]
Guard: TypeAlias = "tuple[tuple[Prop, bool], ...]"
"""A conjunction of literals; the empty guard always holds."""

logger = logging.getLogger(__name__)

MOST_COMPARED = 200
"""States of one automaton up to which they are compared with each other."""
_MOST_PAIRS = 2_000
_MOST_COVERED = 75_000
"""Work on telling when one step leads where: half of that on a whole task."""


@dataclass(frozen=True)
class Automaton:
    """A minimal, complete, deterministic automaton over finite traces.

    States are 0 to `states` - 1 and 0 is initial. A state's transitions are a decision diagram
    (see `diagrams`): `roots[state]` is where it starts, `nodes` are its tests, a leaf names the
    next state. Automata of formulas that accept the same traces over the same propositions in
    the same order are equal but for `formula` and `backend`. A trace has at least one step, so
    whether state 0 accepts only matters once a step has led back to it.
    """

    formula: Formula
    propositions: tuple[Prop, ...]
    accepting: frozenset[int]
    roots: tuple[int, ...]
    nodes: tuple[tuple[int, int, int], ...]
    backend: str = field(default="python", compare=False)
    initial: int = 0

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.roots)

    def step(self, state: int, valuation: Collection[Prop]) -> int:
        """The state after reading one step in which exactly these propositions are true.

        Propositions that the formula does not mention are ignored.
        """
        d = self.roots[state]
        while d >= 0:
            variable, low, high = self.nodes[d]
            d = high if self.propositions[variable] in valuation else low
        return value(d)

    def run(self, trace: Collection[Collection[Prop]], state: int | None = None) -> int:
        """The state after a whole trace, from the initial state if none is given."""
        current = self.initial if state is None else state
        for valuation in trace:
            current = self.step(current, valuation)
        return current

    def is_accepting(self, state: int) -> bool:
        """Whether the task is done if the trace ends here."""
        return state in self.accepting

    def is_trap(self, state: int) -> bool:
        """Whether nothing that can still happen leads to acceptance."""
        return state not in self.accepting and self.roots[state] == leaf(state)

    def is_safe_sink(self, state: int) -> bool:
        """Whether whatever happens from here on is accepted."""
        return state in self.accepting and self.roots[state] == leaf(state)

    @property
    def satisfiable(self) -> bool:
        """Whether any trace is accepted."""
        return not self.is_trap(self.initial)

    @cached_property
    def counts_steps(self) -> bool:
        """Whether it tells one step from two alike."""
        return any(isinstance(f, Next | WeakNext) for f in walk(self.formula))

    def is_invariant(self, state: int) -> bool:
        """Whether it says the same of every further step, and no more: it accepts until broken."""
        return state in self.accepting and all(
            s == state or self.is_trap(s) for s in self.successors(state)
        )

    @cached_property
    def insistent(self) -> bool:
        """Whether nothing that happens ever makes it worse off: no step rules a word out.

        False where the automaton is too large to compare its states.
        """
        if self.states > MOST_COMPARED:
            return False
        steps = ((q, s) for q in range(self.states) for s in self.successors(q) if s != q)
        return self._keeps(dict.fromkeys(steps))

    def _keeps(self, pairs: dict[tuple[int, int], None]) -> bool:
        """Whether of each pair of states the second accepts all that the first does."""
        todo = list(pairs)
        for p, q in todo:
            if p in self.accepting and q not in self.accepting and (p or self._leads_back):
                return False
            for pair in self.joint_steps(p, q):
                if pair[0] != pair[1] and pair not in pairs:
                    pairs[pair] = None
                    todo.append(pair)
            if len(pairs) > _MOST_PAIRS:
                return False
        return True

    @cached_property
    def _leads_back(self) -> bool:
        """Whether a step leads back to the initial state."""
        seen = set[int]()
        return any(self.initial in self.diagrams.leaves(root, seen) for root in self.roots)

    @cached_property
    def inclusions(self) -> frozenset[tuple[int, int]]:
        """The pairs (p, q) where all that is accepted from p is accepted from q.

        The greatest fixed point: a pair falls if p accepts and q does not, or if a letter leads
        to a pair that has fallen. Large automata are not compared; then there are none.
        """
        if self.states > MOST_COMPARED:
            return frozenset()
        every = [(p, q) for p in range(self.states) for q in range(self.states)]
        leads = {pair: self.joint_steps(*pair) for pair in every}
        kept = {(p, q) for p, q in every if p not in self.accepting or q in self.accepting}
        while fallen := {pair for pair in kept if not leads[pair] <= kept}:
            kept -= fallen
        return frozenset(kept)

    def joint_steps(self, p: int, q: int) -> set[tuple[int, int]]:
        """The pairs of states that one letter can lead two states to."""
        found: set[tuple[int, int]] = set()
        seen: set[tuple[int, int]] = set()
        todo = [(self.roots[p], self.roots[q])]
        while todo:
            a, b = both = todo.pop()
            if both in seen:
                continue
            seen.add(both)
            if a < 0 and b < 0:
                found.add((value(a), value(b)))
                continue
            v = self.diagrams.top(both)
            (a0, a1), (b0, b1) = (self.diagrams.cofactors(v, d) for d in both)
            todo += ((a0, b0), (a1, b1))
        return found

    def successors(self, state: int) -> tuple[int, ...]:
        """The states that one step can lead to, itself included where it can stay."""
        return self.diagrams.leaves(self.roots[state])

    def possible_steps(self, state: int, truths: Mapping[Prop, bool]) -> frozenset[int]:
        """The states that one step may lead to when only some propositions are known."""
        known = {i: truths[p] for i, p in enumerate(self.propositions) if p in truths}
        reached: set[int] = set()
        todo = [self.roots[state]]
        while todo:
            d = todo.pop()
            if d in reached:
                continue
            reached.add(d)
            if d >= 0:
                variable, low, high = self.nodes[d]
                todo += ((low, high)[known[variable]],) if variable in known else (low, high)
        return frozenset(value(d) for d in reached if d < 0)

    def guards(
        self, state: int, target: int, indifferent: Collection[int] = ()
    ) -> tuple[Guard, ...]:
        """When one step leads from a state to a target: a disjunction of guards.

        Together they cover all letters that lead to the target, with few and short guards;
        letters that lead to an `indifferent` state may or may not be covered.
        """
        return self.guards_into(state, {target}, {target, *indifferent})

    def guards_into(
        self, state: int, targets: Collection[int], allowed: Collection[int]
    ) -> tuple[Guard, ...]:
        """Guards that cover the letters into `targets` and stay within those into `allowed`."""
        work = Diagrams(Budget(_MOST_COVERED))
        lower, upper = (
            self.letters_into(state, targets, work),
            self.letters_into(state, allowed, work),
        )
        return tuple(
            tuple((self.propositions[i], positive) for i, positive in cube)
            for cube in work.cubes(lower, upper)
        )

    @cached_property
    def diagrams(self) -> Diagrams:
        """This automaton's nodes as a table, to be read only."""
        table = Diagrams()
        for node in self.nodes:
            table.node(*node)
        return table

    def letters_into(self, state: int, targets: Collection[int], work: Diagrams) -> int:
        """The Boolean diagram, in the table `work`, of the letters that lead to `targets`."""
        return self.diagrams.relabel(self.roots[state], lambda s: int(s in targets), {}, work)


def automaton_of(
    formula: Formula,
    backend: Backend = "auto",
    order: tuple[Prop, ...] | None = None,
    budget: Budget | None = None,
) -> Automaton:
    """The formula's automaton, even if nothing satisfies it.

    Args:
        backend: "python", our own; "spot", an independent one that some have installed and
            that ours is tested against; "auto" is the faster, which is ours.
        order: in which the formula's propositions are tested; by default that of appearance.
        budget: of the work that our own may cost; by default one for this automaton alone.

    Raises:
        SaySoError: CONFIG for another backend, MISSING_DEPENDENCY for "spot" without Spot,
            UNSUPPORTED where the automaton is too large.
    """
    props = propositions(formula) if order is None else order
    index = {p: i for i, p in enumerate(props)}
    name = "python" if backend == "auto" else backend
    if name not in ("spot", "python"):
        raise SaySoError(
            Code.CONFIG,
            f"there is no automaton backend '{backend}'.",
            choices=("auto", "spot", "python"),
        )
    if name == "spot":
        draft = spot_backend.determinise(formula, index)
    else:
        draft = determinise.determinise(formula, index, budget)
    automaton = _canonical(formula, props, draft, name)
    logger.debug("automaton with %d states from %s", automaton.states, name)
    return automaton


def _canonical(formula: Formula, props: tuple[Prop, ...], draft: Draft, backend: str) -> Automaton:
    """The draft with states and nodes numbered in order of a breadth-first, low-first walk."""
    start = _start(draft)
    numbers, order, seen = {start: 0}, [start], set[int]()
    for state in order:
        for following in draft.diagrams.leaves(draft.roots[state], seen):
            if following not in numbers:
                numbers[following] = len(order)
                order.append(following)
    table, memo = Diagrams(), dict[int, int]()
    roots = [
        draft.diagrams.relabel(draft.roots[s], numbers.__getitem__, memo, table) for s in order
    ]
    accepting = frozenset(numbers[s] for s in order if draft.accepting[s])
    return Automaton(formula, props, accepting, tuple(roots), tuple(table.nodes), backend)


def _start(draft: Draft) -> int:
    """Where to start: at a state that goes on like state 0, where nothing leads back to 0.

    No trace is empty, so whether the start accepts makes no difference then.
    """
    seen = set[int]()
    if any(0 in draft.diagrams.leaves(root, seen) for root in set(draft.roots)):
        return 0
    return next((s for s, r in enumerate(draft.roots) if s and r == draft.roots[0]), 0)
