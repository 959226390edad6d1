"""The deterministic finite automaton of a formula: what a trace has done and still may do."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as Choice
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.logic import determinise, spot_backend
from sayso.logic.determinise import Draft
from sayso.logic.diagrams import Diagrams, leaf, value
from sayso.logic.english import read_back
from sayso.logic.formula import And, Formula, Prop, clauses, propositions
from sayso.logic.text import to_text

Backend: TypeAlias = Choice["auto", "spot", "python"]
Guard: TypeAlias = "tuple[tuple[Prop, bool], ...]"
"""A conjunction of literals; the empty guard always holds."""

logger = logging.getLogger(__name__)


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
        work = Diagrams()
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


def automaton_of(formula: Formula, backend: Backend = "auto") -> Automaton:
    """The formula's automaton, even if nothing satisfies it.

    Args:
        backend: "python", our own; "spot", an independent one that some have installed and
            that ours is tested against; "auto" is the faster, which is ours.

    Raises:
        SaySoError: CONFIG for another backend, MISSING_DEPENDENCY for "spot" without Spot,
            UNSUPPORTED where the automaton is too large.
    """
    props = propositions(formula)
    index = {p: i for i, p in enumerate(props)}
    name = "python" if backend == "auto" else backend
    if name not in ("spot", "python"):
        raise SaySoError(
            Code.CONFIG,
            f"there is no automaton backend '{backend}'.",
            choices=("auto", "spot", "python"),
        )
    make = spot_backend.determinise if name == "spot" else determinise.determinise
    automaton = _canonical(formula, props, make(formula, index), name)
    logger.debug("automaton with %d states from %s", automaton.states, name)
    return automaton


def compile_formula(
    formula: Formula,
    backend: Backend = "auto",
    predicates: Mapping[str, Predicate] | None = None,
) -> Automaton:
    """The automaton of a task that can be fulfilled.

    Args:
        backend: see `automaton_of`.
        predicates: by name, for the English of the explanation.

    Raises:
        SaySoError: CONTRADICTION, naming the parts that exclude each other, where no trace
            satisfies the formula; UNSUPPORTED where its automaton is too large.
    """
    automaton = automaton_of(formula, backend)
    if not automaton.satisfiable:
        raise SaySoError(
            Code.CONTRADICTION,
            explain_contradiction(formula, predicates),
            hint="drop or change one of them.",
        )
    return automaton


def conflict(formula: Formula) -> tuple[Formula, ...]:
    """Top-level conjuncts that no trace satisfies together, none of which can be left out.

    Empty where the formula is satisfiable.
    """
    if automaton_of(formula).satisfiable:
        return ()
    core = list(clauses(formula))
    for candidate in tuple(core):
        rest = [c for c in core if c is not candidate]
        if rest and not automaton_of(And(tuple(rest))).satisfiable:
            core = rest
    return tuple(core)


def explain_contradiction(
    formula: Formula, predicates: Mapping[str, Predicate] | None = None
) -> str:
    """Why no trace satisfies the formula, in text and English; '' where one does."""
    parts = [f"{to_text(c)} ({read_back(c, predicates or {})})" for c in conflict(formula)]
    if len(parts) == 1:
        return f"this can never be fulfilled: {parts[0]}"
    return f"these cannot be fulfilled together: {'; '.join(parts)}" if parts else ""


def _canonical(formula: Formula, props: tuple[Prop, ...], draft: Draft, backend: str) -> Automaton:
    """The draft with states and nodes numbered in order of a breadth-first, low-first walk."""
    start = _start(draft)
    numbers, order = {start: 0}, [start]
    for state in order:
        for following in draft.diagrams.leaves(draft.roots[state]):
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
    if any(0 in draft.diagrams.leaves(root) for root in set(draft.roots)):
        return 0
    return next((s for s, r in enumerate(draft.roots) if s and r == draft.roots[0]), 0)
