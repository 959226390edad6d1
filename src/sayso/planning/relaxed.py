"""The delete-relaxed product of a ground task and the automata of a formula's clauses.

What has once been true, or once false, stays usable, and so does each automaton state once
reached. In this easier problem costs are cheap to estimate: the FF heuristic over additive
costs guides the search (Hoffmann and Nebel, JAIR 14, 2001; Keyder and Geffner, ECAI 2008), and
the maximum cost serves landmarks (see `landmarks`). The automaton of a conjunction can be
exponentially larger than those of its clauses, so the clauses are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from sayso.logic.automaton import Automaton
from sayso.logic.monitor import prop_atom
from sayso.planning.grounding import GroundTask, bits
from sayso.planning.mutex import Exclusion

INFINITE = float("inf")
NO_ACTION = -1
START = 0
GOAL = 1


@dataclass(frozen=True)
class RelaxedOperator:
    """Facts needed, facts added. `action` numbers the ground action, or `NO_ACTION`."""

    needs: tuple[int, ...]
    adds: tuple[int, ...]
    cost: float
    action: int


@dataclass(frozen=True)
class RelaxedPlan:
    """An estimate of the cost to the goal, and the applicable actions that it starts with."""

    cost: float
    helpful: frozenset[int]
    actions: frozenset[int]


class RelaxedTask:
    """Facts are numbers: `START`, `GOAL`, each atom true, each atom false, clause states.

    Attributes:
        exclusive: pairs of atoms that are wanted at once, by some guard or by all clauses' ends,
            and that never hold at once.
    """

    def __init__(
        self, task: GroundTask, clauses: Sequence[Automaton], exclusion: Exclusion
    ) -> None:
        self._task = task
        self._exclusion = exclusion
        self.exclusive: list[tuple[int, int]] = []
        self._clauses = clauses
        self._facts: dict[tuple[str, int, int], int] = {
            ("start", 0, 0): START,
            ("goal", 0, 0): GOAL,
        }
        self._flashing = _flashing(task)
        edges = list(self._clause_operators())
        actions = [self._action_operator(i) for i in range(len(task.actions))]
        shown = [self._shown_operator(i) for i in sorted(self._flashing)]
        self.operators: tuple[RelaxedOperator, ...] = (*actions, *shown, *edges)
        self.size = len(self._facts)
        self.needed_by: list[list[int]] = [[] for _ in range(self.size)]
        for number, op in enumerate(self.operators):
            for fact in op.needs:
                self.needed_by[fact].append(number)
        self._counts = [len(op.needs) for op in self.operators]
        self._weights = [op.cost + 1.0 if op.action != NO_ACTION else 0.0 for op in self.operators]

    def facts(self, state: int, clause_states: Sequence[int]) -> list[int]:
        """The facts of a state in the world where every unknown atom is false."""
        known = self._facts
        found = [START]
        for i in range(self._task.size):
            kind = "true" if state >> i & 1 else "false"
            found.append(known.get((kind, i, 0), START))
        found += [known[("state", c, q)] for c, q in enumerate(clause_states)]
        return found

    def estimate(self, facts: Iterable[int]) -> RelaxedPlan | None:
        """A relaxed plan from these facts, or None if not even the relaxed goal is reachable."""
        costs, supporters = self._additive(facts)
        if costs[GOAL] == INFINITE:
            return None
        used: set[int] = set()
        stack = [GOAL]
        while stack:
            number = supporters[stack.pop()]
            if number >= 0 and number not in used:
                used.add(number)
                stack.extend(self.operators[number].needs)
        chosen = [o for o in used if self.operators[o].action != NO_ACTION]
        helpful = (o for o in chosen if all(costs[f] == 0.0 for f in self.operators[o].needs))
        return RelaxedPlan(
            sum(self._weights[o] for o in chosen),
            frozenset(self.operators[o].action for o in helpful),
            frozenset(self.operators[o].action for o in chosen),
        )

    def _additive(self, facts: Iterable[int]) -> tuple[list[float], list[int]]:
        """Additive cost of each fact, and the operator that reaches it at that cost."""
        costs = [INFINITE] * self.size
        supporters = [-1] * self.size
        open_needs = self._counts[:]
        totals = self._weights[:]
        operators, needed_by = self.operators, self.needed_by
        heap = [(0.0, f) for f in dict.fromkeys(facts)]
        for _, fact in heap:
            costs[fact] = 0.0
        heapify(heap)
        while heap:
            cost, fact = heappop(heap)
            if cost > costs[fact]:
                continue
            if fact == GOAL:
                break
            for number in needed_by[fact]:
                totals[number] += cost
                open_needs[number] -= 1
                if not open_needs[number]:
                    total = totals[number]
                    for reached in operators[number].adds:
                        if total < costs[reached]:
                            costs[reached] = total
                            supporters[reached] = number
                            heappush(heap, (total, reached))
        return costs, supporters

    # -- building ------------------------------------------------------------------------

    def _fact(self, kind: str, a: int, b: int = 0) -> int:
        return self._facts.setdefault((kind, a, b), len(self._facts))

    def _clause_operators(self) -> Iterator[RelaxedOperator]:
        met = []
        for c, automaton in enumerate(self._clauses):
            accepted = self._fact("accepted", c)
            met.append(accepted)
            for q in range(automaton.states):
                here = self._fact("state", c, q)
                if q in automaton.accepting:
                    yield RelaxedOperator((here,), (accepted,), 0.0, NO_ACTION)
                yield from self._edges(c, automaton, q)
        if len(met) < 2 or self._possible([(a, True) for a in self._last()]):
            yield RelaxedOperator(tuple(met) or (START,), (GOAL,), 0.0, NO_ACTION)

    def _last(self) -> set[int]:
        """The atoms without which no letter ends a trace that all clauses accept."""
        found: set[int] = set()
        for automaton in self._clauses:
            ends = automaton.accepting
            cubes = [
                c for q in range(automaton.states) for c in automaton.guards_into(q, ends, ends)
            ]
            true = ({self._task.index[prop_atom(p)] for p, holds in c if holds} for c in cubes)
            found |= set.intersection(*true) if cubes else set()
        return found

    def _edges(self, clause: int, automaton: Automaton, q: int) -> Iterator[RelaxedOperator]:
        """The ways out of a clause's state that a letter may take."""
        for target in automaton.successors(q):
            if target == q or automaton.is_trap(target):
                continue
            reached = (self._fact("state", clause, target),)
            for guard in automaton.guards(q, target):
                cube = [(self._task.index[prop_atom(p)], true) for p, true in guard]
                if self._possible(cube):
                    needs = [self._letter(a, true) for a, true in cube]
                    needs.append(self._fact("state", clause, q))
                    yield RelaxedOperator(tuple(needs), reached, 0.0, NO_ACTION)

    def _possible(self, cube: Sequence[tuple[int, bool]]) -> bool:
        """Whether a letter may satisfy a guard; remembers the exclusive pair if not."""
        pair = self._exclusion.pair([atom for atom, true in cube if true])
        if pair is not None:
            self.exclusive.append(pair)
        return pair is None

    def _letter(self, atom: int, truth: bool) -> int:
        if truth and atom in self._flashing:
            return self._fact("shown", atom)
        return self._fact("true" if truth else "false", atom)

    def _action_operator(self, number: int) -> RelaxedOperator:
        action = self._task.actions[number]
        n = self._task.size
        low = (1 << n) - 1
        needs = [self._fact("true", i) for i in bits(action.needs)]
        needs += [self._fact("false", i) for i in bits(action.forbids & low)]
        adds = [self._fact("true", i) for i in bits(action.add)]
        adds += [self._fact("false", i) for i in bits(action.clear & ~action.add & low)]
        adds += [self._fact("shown", i) for i in bits(action.during_add)]
        return RelaxedOperator(tuple(needs) or (START,), tuple(adds), action.cost, number)

    def _shown_operator(self, atom: int) -> RelaxedOperator:
        return RelaxedOperator(
            (self._fact("true", atom),), (self._fact("shown", atom),), 0.0, NO_ACTION
        )


def _flashing(task: GroundTask) -> frozenset[int]:
    """Atoms that some action shows only while it runs."""
    mask = 0
    for action in task.actions:
        mask |= action.during_add
    return frozenset(bits(mask))
