"""A planning problem as bit masks: only the actions that could ever be applied.

States are integers. Atom number i is true if bit i is set, and unknown if bit `i + n` is set
(then bit i is clear), so that one AND tests that nothing an action needs to be false is true or
unknown. Grounding keeps the actions that are reachable when delete effects are ignored
(Helmert, "Concise finite-domain representations for PDDL planning tasks", 2009, section 6).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from sayso.core.symbols import Atom, Literal, Operator, instances
from sayso.planning.problem import PlanningProblem


@dataclass(frozen=True)
class Candidate:
    """A ground action before it is known to be reachable; static preconditions are gone.

    Attributes:
        delete: what it ends, as far as the task or some action asks for it.
    """

    operator: Operator
    args: tuple[str, ...]
    needs: tuple[Atom, ...]
    forbids: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]
    during: tuple[Atom, ...]

    def shows(self, literals: Collection[Literal]) -> bool:
        """Whether one of the literals holds while the action runs or after it, by its doing."""
        return any(
            x.atom in self.add or x.atom in self.during
            if x.positive
            else x.atom in self.delete and x.atom not in self.add
            for x in literals
        )


@dataclass(frozen=True)
class GroundAction:
    """A ground action as masks. `after = state & ~clear | add`."""

    name: str
    args: tuple[str, ...]
    cost: float
    needs: int
    forbids: int
    clear: int
    add: int
    during_clear: int
    during_add: int


@dataclass(frozen=True)
class GroundTask:
    """The actions and atoms of a problem, numbered.

    Attributes:
        atoms: those with a bit, by number: of which the task speaks, and which some action needs to
            be so or not. What actions change besides tells states apart in vain.
        index: each such atom's number.
        actions: in a fixed order: operators as in the domain, arguments as in the objects.
        initial: the state's bits.
    """

    atoms: tuple[Atom, ...]
    index: Mapping[Atom, int]
    actions: tuple[GroundAction, ...]
    initial: int

    @property
    def size(self) -> int:
        """How many atoms have a bit; the unknown bit of atom i is `i + size`."""
        return len(self.atoms)

    def both(self, atoms: Iterable[Atom]) -> int:
        """Mask of the true bits and the unknown bits of some atoms."""
        return _both(self.index, self.size, atoms)


def bits(mask: int) -> list[int]:
    """The numbers of the set bits, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def ground(
    problem: PlanningProblem,
    letters: Iterable[Atom],
    barred: Collection[Literal] = (),
    candidates: Iterable[Candidate] | None = None,
) -> GroundTask:
    """Masks for a problem; the atoms of `letters` always get a bit.

    Args:
        barred: actions that ever show one of these are left out.
        candidates: the problem's `candidate_actions`, where they are known.
    """
    every = candidate_actions(problem) if candidates is None else candidates
    usable = (c for c in every if not c.shows(barred))
    return masked(problem, letters, reachable(problem, usable))


def masked(
    problem: PlanningProblem, letters: Iterable[Atom], candidates: Collection[Candidate]
) -> GroundTask:
    """Masks for some actions of a problem; the atoms of `letters` always get a bit."""
    atoms = dict.fromkeys(letters)
    for c in candidates:
        atoms.update(dict.fromkeys((*c.needs, *c.forbids)))
    index = {a: i for i, a in enumerate(atoms)}
    n = len(index)
    initial = sum(1 << i for a, i in index.items() if a in problem.initial)
    initial |= sum(
        1 << (i + n) for a, i in index.items() if a in problem.unknown and a not in problem.initial
    )
    actions = tuple(_masks(c, index, n) for c in candidates)
    return GroundTask(tuple(index), index, actions, initial)


def candidate_actions(
    problem: PlanningProblem, operators: Iterable[Operator] | None = None
) -> Iterator[Candidate]:
    """Every action, or each of some operators, whose unchanging preconditions hold."""
    changing = {a.predicate for op in problem.domain.operators for a in (*op.add, *op.delete)}
    asked = {x.atom.predicate for op in problem.domain.operators for x in op.preconditions}
    asked |= {p.predicate for p in problem.task.propositions}
    for op in problem.domain.operators if operators is None else operators:
        static = [x for x in op.preconditions if x.atom.predicate not in changing]
        fluent = sorted(x for x in op.preconditions if x.atom.predicate in changing)
        for args in _bindings(op, static, problem):
            if (op.name, args) not in problem.avoid:
                yield candidate(op, fluent, args, problem.objects, asked)


def reachable(problem: PlanningProblem, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The actions that can be applied if what was once true, or once false, stays usable."""
    waiting = list(enumerate(candidates))
    true = set(problem.initial)
    false: set[Atom] = set()
    found: list[tuple[int, Candidate]] = []
    grown = True
    while grown:
        grown = False
        still = []
        for number, c in waiting:
            if all(a in true for a in c.needs) and all(
                a in false or (a not in problem.initial and a not in problem.unknown)
                for a in c.forbids
            ):
                true.update(c.add)
                false.update(c.delete)
                found.append((number, c))
                grown = True
            else:
                still.append((number, c))
        waiting = still
    return tuple(c for _, c in sorted(found, key=lambda pair: pair[0]))


def _bindings(
    op: Operator, static: list[Literal], problem: PlanningProblem
) -> Iterator[tuple[str, ...]]:
    """Distinct arguments of the right types for which the static preconditions hold."""
    unary = [x for x in static if len(x.atom.args) == 1]
    rest = [x for x in static if len(x.atom.args) != 1]
    choices = [
        [
            o
            for o in things
            if all(_known(x.substitute({p: o}), problem) for x in unary if x.atom.args == (p,))
        ]
        for p, things in zip(op.parameters, problem.choices(op), strict=True)
    ]
    for args in product(*choices):
        if len(set(args)) == len(args):
            binding = dict(zip(op.parameters, args, strict=True))
            if all(_known(x.substitute(binding), problem) for x in rest):
                yield args


def _known(literal: Literal, problem: PlanningProblem) -> bool:
    """Whether a literal is known to hold initially."""
    if literal.positive:
        return literal.atom in problem.initial
    return literal.atom not in problem.initial and literal.atom not in problem.unknown


def candidate(
    op: Operator,
    fluent: Collection[Literal],
    args: tuple[str, ...],
    objects: Iterable[str],
    asked: Container[str] | None = None,
) -> Candidate:
    """An operator on some things; of its preconditions only `fluent` are tested.

    Args:
        asked: the predicates of which it matters whether they end; None: of all.
    """
    binding, names = dict(zip(op.parameters, args, strict=True)), tuple(objects)

    ends = (a for a in op.delete if asked is None or a.predicate in asked)

    def bind(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(a.substitute(binding) for a in atoms)

    return Candidate(
        op,
        args,
        needs=bind(x.atom for x in fluent if x.positive),
        forbids=bind(x.atom for x in fluent if not x.positive),
        add=bind(sorted(op.add)),
        delete=tuple(b for a in bind(sorted(ends)) for b in instances(a, names)),
        during=bind(sorted(op.during)),
    )


def _masks(c: Candidate, index: Mapping[Atom, int], n: int) -> GroundAction:
    add = [a for a in c.add if a in index]
    during = [a for a in c.during if a in index]
    return GroundAction(
        name=c.operator.name,
        args=c.args,
        cost=c.operator.cost,
        needs=_true(index, c.needs),
        forbids=_both(index, n, c.forbids),
        clear=_both(index, n, (*add, *(a for a in c.delete if a in index))),
        add=_true(index, add),
        during_clear=_both(index, n, during),
        during_add=_true(index, during),
    )


def _true(index: Mapping[Atom, int], atoms: Iterable[Atom]) -> int:
    mask = 0
    for a in atoms:
        mask |= 1 << index[a]
    return mask


def _both(index: Mapping[Atom, int], n: int, atoms: Iterable[Atom]) -> int:
    mask = _true(index, atoms)
    return mask | mask << n
