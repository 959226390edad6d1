"""The shortest way to make some literals hold, with hundreds of things about.

Actions are grounded backwards from what is wanted, and so only those that may be of use: what
makes a literal true, what that needs and does not have, and so on. What is not bound by the
literal is bound by what is true now or can be made so. A search over these few actions then
finds a shortest sequence that the task can live with.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain, count, islice
from operator import itemgetter

from sayso.core.symbols import Action, Atom, Literal, Operator
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression
from sayso.planning.grounding import GroundAction, GroundTask, bits, candidate, masked
from sayso.planning.letters import TRAP, LetterReader, letter_atoms
from sayso.planning.problem import PlanningProblem
from sayso.planning.product import Node, Path

MOST_BINDINGS = 12
"""Choices of arguments that are tried for one operator and one literal."""
MOST_ACTIONS = 400
"""Ground actions that are searched over."""
MOST_EXPANSIONS = 3000
"""States that are looked into. Of 33 searches in a household that found something the longest took
361, most took one; most of those that find nothing take all."""
FEW_EXPANSIONS = 250
"""The same for what would be better, and can be done without."""
FEW_THINGS = 30
"""Among so many, a search for what is made anew costs little."""
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
        return Situation(after, self.unknown - action.delete - after, at)


def achieve(
    wanted: Iterable[Literal],
    here: Situation,
    problem: PlanningProblem,
    *,
    thorough: bool = True,
) -> tuple[Action, ...] | None:
    """A shortest sequence after which all of some literals hold, and the task is not lost.

    Args:
        here: where the sequence begins, in place of the problem's own beginning.
        thorough: whether many states are looked into, and, where many things are about, whether
            what holds now may be undone and made anew; not worth it for what can be done without.

    Returns:
        None where none was found among the actions that seem to be of use.
    """
    goal = frozenset(wanted)
    useful = _Useful(problem, here)
    onward = replace(problem, initial=here.true, unknown=here.unknown, states=here.states)
    tried: frozenset[_Move] | None = None
    few = len(problem.objects) <= FEW_THINGS
    for restoring in (False, True) if thorough or few else (False,):
        moves = useful.moves(goal, restoring)
        if moves is None or tried == frozenset(moves):
            continue
        tried = frozenset(moves)
        path = _shortest(goal, moves, onward, MOST_EXPANSIONS if thorough else FEW_EXPANSIONS)
        if path is not None:
            return tuple(m.operator.ground(*m.args, objects=problem.objects) for m in path)
    return None


def makers(
    lacking: Iterable[Literal], true: frozenset[Atom], problem: PlanningProblem
) -> tuple[Action, ...]:
    """Actions on some things that make a literal hold, as far as what is true binds these."""
    useful = _Useful(problem, Situation(true, frozenset(), ()))
    found = dict.fromkeys(chain.from_iterable(map(useful.makers_of, sorted(lacking))))
    return tuple(m.operator.ground(*m.args, objects=problem.objects) for m in found)


@dataclass(frozen=True)
class _Move:
    """An operator on some things, which may be of use.

    Attributes:
        action: without what it deletes of all things alike.
        wild: what it deletes of all things alike, with variables for these.
    """

    operator: Operator = field(compare=False)
    name: str
    args: tuple[str, ...]
    action: Action = field(compare=False)
    wild: tuple[Atom, ...] = field(compare=False)

    @staticmethod
    @lru_cache(maxsize=20_000)
    def of(operator: Operator, args: tuple[str, ...]) -> _Move:
        action = operator.ground(*args)
        binding = dict(zip(operator.parameters, args, strict=True))
        wild = tuple(a.substitute(binding) for a in operator.delete if not operator.binds(a))
        return _Move(operator, operator.name, args, action, wild)

    def makes(self, literal: Literal) -> bool:
        atom = literal.atom
        if literal.positive:
            return atom in self.action.add
        return atom in self.action.delete or any(
            unified(w, atom, {}) is not None for w in self.wild
        )


def _shortest(
    goal: frozenset[Literal],
    moves: tuple[_Move, ...],
    problem: PlanningProblem,
    most_expansions: int,
) -> tuple[_Move, ...] | None:
    """The shortest sequence of some actions, of these the cheapest (A*: of the literals of the goal
    an action achieves at most so many at once)."""
    task = _masks(goal, moves, problem)
    reader = LetterReader(problem, task)
    if reader.start == TRAP:  # nothing that is done after the task was lost keeps it
        return None
    needs = sum(1 << task.index[x.atom] for x in goal if x.positive)
    forbids = task.both(x.atom for x in goal if not x.positive)
    at_once = max(
        ((a.add & needs | a.clear & forbids).bit_count() for a in task.actions), default=0
    )

    def least(state: int) -> int:
        """How many steps are left, at least."""
        return -(-(needs & ~state | forbids & state).bit_count() // max(1, at_once))

    tickets, applicable = count(), _Applicable(task)
    start: Node = (task.initial, reader.start)
    best: dict[Node, tuple[int, float]] = {start: (0, 0.0)}
    queue: list[tuple[int, float, int, int, Node, Path]] = []
    heappush(queue, (least(task.initial), 0.0, next(tickets), 0, start, ()))
    looked_into = 0
    while queue and looked_into < most_expansions:
        _, cost, _, steps, node, path = heappop(queue)
        state, belief = node
        if state & needs == needs and not state & forbids:
            return tuple(moves[i] for i in path)
        if (steps, cost) > best[node]:
            continue
        looked_into += 1
        for number, action in applicable(state):
            after = state & ~action.clear | action.add
            reached = reader.run(belief, state, action, after)
            if reached == TRAP:
                continue
            there, so_far = (after, reached), (steps + 1, cost + action.cost)
            if there not in best or so_far < best[there]:
                best[there] = so_far
                total = steps + 1 + least(after)
                heappush(
                    queue, (total, so_far[1], next(tickets), steps + 1, there, (*path, number))
                )
    return None


class _Applicable:
    """Which actions of a task may be taken in a state.

    Each is listed under one thing that it needs, of which the actions undo as much as of any: in
    most states most of these do not hold, such as being near something.
    """

    def __init__(self, task: GroundTask) -> None:
        undone = Counter(bit for a in task.actions for bit in bits(a.clear))
        self._always: list[tuple[int, GroundAction]] = []
        self._needing: dict[int, list[tuple[int, GroundAction]]] = defaultdict(list)
        for number, action in enumerate(task.actions):
            needs = bits(action.needs)
            key = max(needs, key=lambda bit: undone[bit]) if needs else None
            (self._always if key is None else self._needing[key]).append((number, action))
        self._keys = sum(1 << key for key in self._needing)
        self._listed: dict[int, list[tuple[int, GroundAction]]] = {}

    def __call__(self, state: int) -> Iterator[tuple[int, GroundAction]]:
        keys = state & self._keys
        listed = self._listed.get(keys)
        if listed is None:
            few = (self._needing[key] for key in bits(keys))
            listed = sorted(chain(self._always, *few), key=itemgetter(0))
            self._listed[keys] = listed
        for number, action in listed:
            if state & action.needs == action.needs and not state & action.forbids:
                yield number, action


def _masks(
    goal: frozenset[Literal], moves: tuple[_Move, ...], problem: PlanningProblem
) -> GroundTask:
    """The actions as masks over those atoms alone that one of them, the goal or the task reads."""
    letters = (*letter_atoms(problem.task), *(x.atom for x in sorted(goal)))
    read = {x.atom for m in moves for x in m.action.preconditions}.union(letters)
    names = sorted({name for atom in read for name in atom.args})
    return masked(
        problem,
        letters,
        [candidate(m.operator, m.operator.preconditions, m.args, names) for m in moves],
    )


def _letter(task: Progression, true: frozenset[Atom]) -> frozenset[Prop]:
    return frozenset(p for p in task.propositions if prop_atom(p) in true)


class _Useful:
    """Finds the ground actions that may help towards a goal."""

    def __init__(self, problem: PlanningProblem, here: Situation) -> None:
        self._problem = problem
        self._here = here
        self._makers = _makers(problem.domain.operators)
        self._facts = _Facts(here.true, _needed(problem.domain.operators))
        self._known: dict[tuple[str, tuple[str, ...]], _Move] = {}

    def moves(self, goal: frozenset[Literal], restoring: bool) -> tuple[_Move, ...] | None:
        """Those found, in a fixed order; None if something wanted has no action at all.

        Args:
            restoring: whether what holds now, and one of them undoes, may have to be made anew.
        """
        wanted = self._here.lacks(goal)
        if any((x.atom.predicate, x.positive) not in self._makers for x in wanted):
            return None
        found: dict[_Move, None] = {}
        for _ in range(ROUNDS):
            before = len(self._facts)
            found = self._backwards(goal, restoring)
            self._facts.add(a for move in found for a in move.action.add)
            if len(self._facts) == before:
                break
        return tuple(found) if all(any(m.makes(x) for m in found) for x in wanted) else None

    def _backwards(self, goal: frozenset[Literal], restoring: bool) -> dict[_Move, None]:
        found: dict[_Move, None] = {}
        todo = sorted(self._here.lacks(goal))
        asked, needs = set(todo), _Needs(goal)
        while todo and len(found) < MOST_ACTIONS:
            for move in self.makers_of(todo.pop(0)):
                if move in found:
                    continue
                found[move] = None
                spoiled = needs.take(move) if restoring else set()
                more = (self._here.lacks(move.action.preconditions) | spoiled) - asked
                asked |= more
                todo += sorted(more)
        return found

    def makers_of(self, literal: Literal) -> Iterator[_Move]:
        for operator, effect in self._makers.get((literal.atom.predicate, literal.positive), ()):
            binding = unified(effect, literal.atom, {})
            if binding is None:
                continue
            chosen = {v: binding[v] for v in operator.parameters if v in binding}
            for args in islice(self._bindings(operator, chosen), MOST_BINDINGS):
                key = (operator.name, args)
                if key not in self._known:
                    self._known[key] = _Move.of(operator, args)
                if key not in self._problem.avoid:
                    yield self._known[key]

    def _bindings(self, operator: Operator, binding: dict[str, str]) -> Iterator[tuple[str, ...]]:
        """Arguments that agree with a binding, and with what is true where that says more."""
        free = [p for p in operator.parameters if p not in binding]
        if len(set(binding.values())) < len(binding) or self._hopeless(operator, binding):
            return
        if not free:
            args = tuple(binding[p] for p in operator.parameters)
            if self._problem.may_take(operator, args):
                yield args
            return
        narrowed = self._narrowed(operator, binding)
        for choices in narrowed or [[{**binding, free[0]: name} for name in self._problem.objects]]:
            found = False
            for choice in choices:
                for args in self._bindings(operator, choice):
                    found = True
                    yield args
            if found:
                return

    def _hopeless(self, operator: Operator, binding: Mapping[str, str]) -> bool:
        """Whether a bound condition does not hold and nothing ever makes it hold."""
        return any(
            (x.atom.predicate, x.positive) not in self._makers
            and binding.keys() >= _variables(x.atom)
            and not self._here.holds(x.substitute(binding))
            for x in operator.preconditions
        )

    def _narrowed(self, operator: Operator, binding: dict[str, str]) -> list[list[dict[str, str]]]:
        """The bindings that each condition's instances allow, the fewest first.

        Others than the first are for where nothing comes of those before: the hand is emptied onto
        what things stand on, if the robot happens to be at something else.
        """
        patterns = [
            x.atom.substitute(binding)
            for x in sorted(operator.preconditions)
            if x.positive and not binding.keys() >= _variables(x.atom)
        ]
        likes = sorted(
            ((self._facts.like(p), p) for p in patterns), key=lambda found: len(found[0])
        )
        return [
            [{**binding, **more} for a in like if (more := unified(p, a, {})) is not None]
            for like, p in likes
        ]


class _Needs:
    """What a goal and the moves towards it need, of which some of these moves undo some."""

    def __init__(self, goal: frozenset[Literal]) -> None:
        self._needed, self._undone = set[Literal](), set[Literal]()
        self._wanted: dict[str, set[Literal]] = defaultdict(set)
        self._wild: dict[str, set[Atom]] = defaultdict(set)
        self._add(goal)

    def take(self, move: _Move) -> set[Literal]:
        """One move more; what is needed and undone because of it."""
        new = self._add(move.action.preconditions - self._needed)
        undone = {Literal(a, False) for a in move.action.add}
        undone |= {Literal(a) for a in move.action.delete - move.action.add}
        wild = {w for w in move.wild if w not in self._wild[w.predicate]}
        spoiled = undone & self._needed | new & self._undone
        spoiled |= {x for w in wild for x in self._wanted[w.predicate] if _clears(w, x)}
        spoiled |= {x for x in new if any(_clears(w, x) for w in self._wild[x.atom.predicate])}
        self._undone |= undone
        for w in wild:
            self._wild[w.predicate].add(w)
        return spoiled

    def _add(self, literals: frozenset[Literal]) -> frozenset[Literal]:
        self._needed |= literals
        for x in literals:
            self._wanted[x.atom.predicate].add(x)
        return literals


def _clears(wild: Atom, literal: Literal) -> bool:
    """Whether a literal is among what is deleted of all things alike."""
    return literal.positive and unified(wild, literal.atom, {}) is not None


class _Facts:
    """True atoms, found by predicate and any argument.

    Args:
        predicates: of all others nobody will ask.
    """

    def __init__(self, atoms: Iterable[Atom], predicates: frozenset[str]) -> None:
        self._predicates = predicates
        self._atoms: set[Atom] = set()
        self._like: dict[tuple[str, int, str], list[Atom]] = defaultdict(list)
        self._of: dict[str, list[Atom]] = defaultdict(list)
        self.add(atoms)

    def __len__(self) -> int:
        return len(self._atoms)

    def add(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            if atom.predicate not in self._predicates or atom in self._atoms:
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


@lru_cache(maxsize=16)
def _makers(operators: tuple[Operator, ...]) -> Makers:
    """For each predicate and truth, the operators that make it so, with the effect."""
    makers: dict[tuple[str, bool], list[tuple[Operator, Atom]]] = defaultdict(list)
    for operator in operators:
        for atom in sorted(operator.add):
            makers[atom.predicate, True].append((operator, atom))
        for atom in sorted(operator.delete):
            makers[atom.predicate, False].append((operator, atom))
    return dict(makers)


@lru_cache(maxsize=16)
def _needed(operators: tuple[Operator, ...]) -> frozenset[str]:
    """The predicates that some operator needs to be true of something."""
    return frozenset(x.atom.predicate for o in operators for x in o.preconditions if x.positive)


def _variables(atom: Atom) -> set[str]:
    return {a for a in atom.args if a.startswith("?")}


def unified(pattern: Atom, atom: Atom, binding: dict[str, str]) -> dict[str, str] | None:
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
