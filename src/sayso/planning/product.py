"""Search in the product of symbolic states and states of the specification.

`cheapest` is A* with the landmarks of the initial state that a path has not passed yet
(Karpas and Domshlak, "Cost-optimal planning with landmarks", IJCAI 2009); `first` is greedy
best-first search with deferred evaluation and helpful actions before others (Helmert, "The Fast
Downward planning system", JAIR 26, 2006, section 5). Both are complete; only the way that they
are used bounds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count

from sayso.planning.clauses import barred
from sayso.planning.grounding import Candidate, GroundTask, ground
from sayso.planning.landmarks import Landmark, landmarks
from sayso.planning.letters import TRAP, LetterReader, letter_atoms
from sayso.planning.mutex import Exclusion
from sayso.planning.problem import PlanningProblem
from sayso.planning.relaxed import RelaxedTask

Node = tuple[int, int]
"""A state of the ground task and a belief about the specification."""
Path = tuple[int, ...]
"""Numbers of ground actions."""
Poll = Callable[[], None]
"""Called once for each expansion; raises to end the search."""
PROOF_TESTS = 400_000
"""Tests of one action in one state, about a tenth of a second, spent on a cheapest plan."""


class ExhaustedError(Exception):
    """There is no plan: everything reachable was searched."""


class OutOfBudgetError(Exception):
    """The search was ended by its number of expansions."""


@dataclass(frozen=True)
class Product:
    """A problem made ready for search."""

    task: GroundTask
    reader: LetterReader
    relaxed: RelaxedTask

    @staticmethod
    def of(problem: PlanningProblem, candidates: Iterable[Candidate] | None = None) -> Product:
        """The problem, of which the `candidate_actions` may be known."""
        never = barred(problem.task, problem.states)
        task = ground(problem, letter_atoms(problem.task), never, candidates)
        exclusion = Exclusion(task)
        task = replace(task, actions=tuple(filter(exclusion.applicable, task.actions)))
        reader = LetterReader(problem, task)
        return Product(task, reader, RelaxedTask(task, problem.task.automata, exclusion))

    @property
    def start(self) -> Node:
        return self.task.initial, self.reader.start

    def facts(self, node: Node) -> list[int]:
        """The relaxed facts of a node."""
        return self.relaxed.facts(node[0], self.reader.states(node[1]))

    def accepting(self, node: Node) -> bool:
        return self.reader.accepting(node[1])

    def successors(self, node: Node) -> Iterator[tuple[int, Node]]:
        """The actions that may be taken, with where they lead; none into a trap."""
        state, belief = node
        run = self.reader.run
        for number, action in enumerate(self.task.actions):
            needs = action.needs
            if state & needs == needs and not state & action.forbids:
                after = state & ~action.clear | action.add
                reached = run(belief, state, action, after)
                if reached != TRAP:
                    yield number, (after, reached)

    def cost(self, path: Path) -> float:
        return sum(self.task.actions[i].cost for i in path)


def solve(product: Product, poll: Poll) -> Path:
    """A cheapest plan if that is proven within `PROOF_TESTS`, else the first one found.

    Raises:
        ExhaustedError: there is no plan.
    """
    try:
        return cheapest(product, poll)
    except OutOfBudgetError:
        return first(product, poll)


def cheapest(product: Product, poll: Poll, max_tests: int = PROOF_TESTS) -> Path:
    """A path to acceptance of least cost; `max_tests` bounds the tests of actions in states.

    Raises:
        ExhaustedError: there is none.
        OutOfBudgetError: not found within the bound.
    """
    if product.reader.start == TRAP:
        raise ExhaustedError
    if product.accepting(product.start):
        return ()
    marks = landmarks(product.relaxed, product.facts(product.start))
    if marks is None:
        raise ExhaustedError
    return _a_star(product, marks, poll, max_tests // max(1, len(product.task.actions)))


def _a_star(product: Product, marks: tuple[Landmark, ...], poll: Poll, max_expansions: int) -> Path:
    hits = [
        sum(1 << m for m, mark in enumerate(marks) if i in mark.actions)
        for i in range(len(product.task.actions))
    ]
    remaining = _Remaining(marks)
    every = (1 << len(marks)) - 1
    start = product.start
    best: dict[Node, float] = {start: 0.0}
    pending: dict[Node, int] = {start: every}
    parents: dict[Node, tuple[Node, int]] = {}
    tickets = count()
    queue = [(remaining(every), remaining(every), next(tickets), 0.0, start)]
    expanded = 0
    while queue:
        total, estimate, _, cost, node = heappop(queue)
        if cost > best[node]:
            continue
        if product.accepting(node):
            return _path(parents, node)
        if remaining(pending[node]) > estimate:
            # Another way here has shown that more is still to come than was thought.
            estimate = remaining(pending[node])
            heappush(queue, (cost + estimate, estimate, next(tickets), cost, node))
            continue
        poll()
        expanded += 1
        if expanded > max_expansions:
            raise OutOfBudgetError
        for number, after in product.successors(node):
            todo = pending[node] & ~hits[number]
            pending[after] = todo = pending.get(after, 0) | todo
            reached = cost + product.task.actions[number].cost
            if reached < best.get(after, float("inf")):
                best[after] = reached
                parents[after] = (node, number)
                estimate = remaining(todo)
                entry = (max(total, reached + estimate), estimate, next(tickets), reached, after)
                heappush(queue, entry)
    raise ExhaustedError


def first(product: Product, poll: Poll) -> Path:
    """Some path to acceptance, found by following the FF heuristic.

    Raises:
        ExhaustedError: there is none.
    """
    start = product.start
    parents: dict[Node, tuple[Node, int]] = {}
    tickets = count()
    seen: set[Node] = set()
    queue: list[tuple[float, bool, int, Node, Node, int]] = []
    heappush(queue, (0.0, False, next(tickets), start, start, -1))
    while queue:
        _, _, _, node, parent, number = heappop(queue)
        if node in seen:
            continue
        seen.add(node)
        if number >= 0:
            parents[node] = (parent, number)
        if product.accepting(node):
            return _path(parents, node)
        poll()
        relaxed = product.relaxed.estimate(product.facts(node))
        if relaxed is None:
            continue
        for number, after in product.successors(node):
            if after not in seen:
                dull = number not in relaxed.helpful
                heappush(queue, (relaxed.cost, dull, next(tickets), after, node, number))
    raise ExhaustedError


class _Remaining:
    """Sum of the costs of a set of landmarks, given as a mask; memoised."""

    def __init__(self, marks: tuple[Landmark, ...]) -> None:
        self._costs = [m.cost for m in marks]
        self._memo: dict[int, float] = {}

    def __call__(self, mask: int) -> float:
        known = self._memo.get(mask)
        if known is None:
            known = sum(c for m, c in enumerate(self._costs) if mask >> m & 1)
            self._memo[mask] = known
        return known


def _path(parents: dict[Node, tuple[Node, int]], node: Node) -> Path:
    numbers: list[int] = []
    while node in parents:
        node, number = parents[node]
        numbers.append(number)
    return tuple(reversed(numbers))
