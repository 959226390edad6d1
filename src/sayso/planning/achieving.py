"""The shortest way to make some literals hold, with hundreds of things about.

Actions are grounded backwards from what is wanted, and so only those that may be of use: what
makes a literal true, what that needs and does not have, and so on. What is not bound by the
literal is bound by what is true now or can be made so. A blind search over these few actions
then finds a shortest sequence that the task can live with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count, islice

from sayso.core.symbols import Action, Atom, Literal, Operator
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression
from sayso.planning.grounding import candidate, masked
from sayso.planning.letters import TRAP, LetterReader, letter_atoms
from sayso.planning.problem import PlanningProblem
from sayso.planning.product import Node, Path

MOST_BINDINGS = 12
"""Choices of arguments that are tried for one operator and one literal."""
MOST_ACTIONS = 400
"""Ground actions that are searched over."""
MOST_EXPANSIONS = 3000
"""States that are looked into."""
ROUNDS = 3
"""How often what actions make true is taken as something that others may use."""


@dataclass(frozen=True)
class Situation:
    """A moment of a plan: what is true, what is not known, and where the task stands."""

    true: frozenset[Atom]
    unknown: frozenset[Atom]
    states: States

    @staticmethod
    def of(problem: PlanningProblem) -> Situation:
        """Where a problem begins."""
        at = problem.states
        if at is None:
            at = problem.task.step(problem.task.initial, _letter(problem.task, problem.initial))
        return Situation(problem.initial, problem.unknown - problem.initial, at)

    def holds(self, literal: Literal) -> bool:
        """Whether a literal is known to hold."""
        return literal.atom not in self.unknown and (literal.atom in self.true) == literal.positive

    def lacks(self, literals: Iterable[Literal]) -> frozenset[Literal]:
        return frozenset(x for x in literals if not self.holds(x))

    def after(self, action: Action, task: Progression) -> Situation:
        """After an action, as the task sees it."""
        *while_running, after = action.trace(self.true)
        at, last = self.states, _letter(task, self.true)
        for seen in while_running:
            if (letter := _letter(task, seen)) != last:
                at, last = task.step(at, letter), letter
        at = task.step(at, _letter(task, after))
        return Situation(after, self.unknown - action.add - action.delete, at)


def achieve(
    wanted: Iterable[Literal], here: Situation, problem: PlanningProblem
) -> tuple[Action, ...] | None:
    """A shortest sequence after which all of some literals hold, and the task is not lost.

    Args:
        here: where the sequence begins, in place of the problem's own beginning.

    Returns:
        None where none was found among the actions that seem to be of use.
    """
    goal = frozenset(wanted)
    useful = _Useful(problem, here)
    onward = replace(problem, initial=here.true, unknown=here.unknown, states=here.states)
    for restoring in (False, True):
        actions = useful.actions(goal, restoring)
        path = None if actions is None else _shortest(goal, actions, onward)
        if path is not None:
            return path
    return None


def _shortest(
    goal: frozenset[Literal], actions: tuple[Action, ...], problem: PlanningProblem
) -> tuple[Action, ...] | None:
    """Blind search over some actions, the shortest sequence first, of these the cheapest."""
    letters = (*letter_atoms(problem.task), *(x.atom for x in sorted(goal)))
    named, names = {op.name: op for op in problem.domain.operators}, problem.objects
    pairs = [(named[a.name], a.args) for a in actions]
    task = masked(
        problem, letters, [candidate(op, op.preconditions, args, names) for op, args in pairs]
    )
    reader = LetterReader(problem, task)
    if reader.start == TRAP:  # nothing that is done after the task was lost keeps it
        return None
    needs = sum(1 << task.index[x.atom] for x in goal if x.positive)
    forbids = task.both(x.atom for x in goal if not x.positive)
    tickets = count()
    queue: list[tuple[int, float, int, Node, Path]] = []
    heappush(queue, (0, 0.0, next(tickets), (task.initial, reader.start), ()))
    seen: set[Node] = set()
    while queue and len(seen) < MOST_EXPANSIONS:
        steps, cost, _, node, path = heappop(queue)
        state, belief = node
        if state & needs == needs and not state & forbids:
            return tuple(actions[i] for i in path)
        if node in seen:
            continue
        seen.add(node)
        for number, action in enumerate(task.actions):
            if state & action.needs != action.needs or state & action.forbids:
                continue
            after = state & ~action.clear | action.add
            reached = reader.run(belief, state, action, after)
            if reached != TRAP and (after, reached) not in seen:
                more = (steps + 1, cost + action.cost, next(tickets))
                heappush(queue, (*more, (after, reached), (*path, number)))
    return None


def _letter(task: Progression, true: frozenset[Atom]) -> frozenset[Prop]:
    return frozenset(p for p in task.propositions if prop_atom(p) in true)


class _Useful:
    """Finds the ground actions that may help towards a goal."""

    def __init__(self, problem: PlanningProblem, here: Situation) -> None:
        self._problem = problem
        self._here = here
        self._makers = _makers(problem.domain.operators)
        self._facts = _Facts(here.true)

    def actions(self, goal: frozenset[Literal], restoring: bool) -> tuple[Action, ...] | None:
        """Those found, in a fixed order; None if something wanted has no action at all.

        Args:
            restoring: whether what holds now, and one of them undoes, may have to be made anew.
        """
        wanted = self._here.lacks(goal)
        if any((x.atom.predicate, x.positive) not in self._makers for x in wanted):
            return None
        found: dict[Action, None] = {}
        for _ in range(ROUNDS):
            before = len(self._facts)
            found = self._backwards(goal, restoring)
            self._facts.add(a for action in found for a in action.add)
            if len(self._facts) == before:
                break
        made = {Literal(a) for action in found for a in action.add}
        made |= {Literal(a, False) for action in found for a in action.delete}
        return None if wanted - made else tuple(found)

    def _backwards(self, goal: frozenset[Literal], restoring: bool) -> dict[Action, None]:
        found: dict[Action, None] = {}
        asked: set[Literal] = set()
        needed, undone = set(goal), set[Literal]()
        todo = sorted(self._here.lacks(goal))
        while todo and len(found) < MOST_ACTIONS:
            literal = todo.pop(0)
            if literal in asked:
                continue
            asked.add(literal)
            for action in self._makers_of(literal):
                if action in found:
                    continue
                found[action] = None
                needed |= action.preconditions
                undone |= {Literal(a, False) for a in action.add}
                undone |= {Literal(a) for a in action.delete - action.add}
                lacking = self._here.lacks(action.preconditions)
                todo += sorted((lacking | (needed & undone if restoring else set())) - asked)
        return found

    def _makers_of(self, literal: Literal) -> Iterator[Action]:
        for operator, effect in self._makers.get((literal.atom.predicate, literal.positive), ()):
            binding = _unified(effect, literal.atom, {})
            if binding is None:
                continue
            chosen = {v: binding[v] for v in operator.parameters if v in binding}
            for args in islice(self._bindings(operator, chosen), MOST_BINDINGS):
                action = operator.ground(*args, objects=self._problem.objects)
                if (action.name, action.args) not in self._problem.avoid:
                    yield action

    def _bindings(self, operator: Operator, binding: dict[str, str]) -> Iterator[tuple[str, ...]]:
        """Arguments that agree with a binding, and with what is true where that says more."""
        free = [p for p in operator.parameters if p not in binding]
        if len(set(binding.values())) < len(binding) or self._hopeless(operator, binding):
            return
        if not free:
            yield tuple(binding[p] for p in operator.parameters)
            return
        choices = self._narrowest(operator, binding)
        if choices is None:
            choices = [{**binding, free[0]: name} for name in self._problem.objects]
        for choice in choices:
            yield from self._bindings(operator, choice)

    def _hopeless(self, operator: Operator, binding: Mapping[str, str]) -> bool:
        """Whether a bound condition does not hold and nothing ever makes it hold."""
        return any(
            (x.atom.predicate, x.positive) not in self._makers
            and binding.keys() >= _variables(x.atom)
            and not self._here.holds(x.substitute(binding))
            for x in operator.preconditions
        )

    def _narrowest(
        self, operator: Operator, binding: dict[str, str]
    ) -> list[dict[str, str]] | None:
        """The bindings that the condition with the fewest instances allows; None if all do."""
        best: list[dict[str, str]] | None = None
        for literal in sorted(operator.preconditions):
            if not literal.positive or binding.keys() >= _variables(literal.atom):
                continue
            pattern = literal.atom.substitute(binding)
            like = self._facts.like(pattern)
            if best is None or len(like) < len(best):
                unified = (_unified(pattern, atom, {}) for atom in like)
                best = [{**binding, **more} for more in unified if more is not None]
        return best


class _Facts:
    """True atoms, found by predicate and any argument."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._atoms: set[Atom] = set()
        self._like: dict[tuple[str, int, str], list[Atom]] = defaultdict(list)
        self._of: dict[str, list[Atom]] = defaultdict(list)
        self.add(atoms)

    def __len__(self) -> int:
        return len(self._atoms)

    def add(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            if atom in self._atoms:
                continue
            self._atoms.add(atom)
            self._of[atom.predicate].append(atom)
            for place, name in enumerate(atom.args):
                self._like[atom.predicate, place, name].append(atom)

    def like(self, pattern: Atom) -> list[Atom]:
        """Atoms that may be instances of a pattern: those that share its rarest argument."""
        rarest = self._of.get(pattern.predicate, [])
        for place, name in enumerate(pattern.args):
            if not name.startswith("?"):
                found = self._like.get((pattern.predicate, place, name), [])
                rarest = min(rarest, found, key=len)
        return sorted(rarest)


Makers = Mapping[tuple[str, bool], list[tuple[Operator, Atom]]]


def _makers(operators: Iterable[Operator]) -> Makers:
    """For each predicate and truth, the operators that make it so, with the effect."""
    makers: dict[tuple[str, bool], list[tuple[Operator, Atom]]] = defaultdict(list)
    for operator in operators:
        for atom in sorted(operator.add):
            makers[atom.predicate, True].append((operator, atom))
        for atom in sorted(operator.delete):
            makers[atom.predicate, False].append((operator, atom))
    return dict(makers)


def _variables(atom: Atom) -> set[str]:
    return {a for a in atom.args if a.startswith("?")}


def _unified(pattern: Atom, atom: Atom, binding: dict[str, str]) -> dict[str, str] | None:
    """What a pattern's variables are where it is a ground atom; None where it is not."""
    if pattern.predicate != atom.predicate or len(pattern.args) != len(atom.args):
        return None
    bound = dict(binding)
    for mine, other in zip(pattern.args, atom.args, strict=True):
        if mine.startswith("?"):
            if bound.setdefault(mine, other) != other:
                return None
        elif mine != other:
            return None
    return bound
