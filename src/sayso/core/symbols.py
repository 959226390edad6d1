"""Atoms, literals, symbolic states, operators and plans: the field's terms as frozen values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import permutations, product
from math import perm
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError


def in_words(name: str) -> str:
    """An object's name as people say it: "the red block" for `red_block`."""
    return "the " + name.replace("_", " ")


class Atom(NamedTuple):
    """A predicate applied to arguments: object names, or `?variables` in an operator.

    Searches make, compare and look up millions of atoms: a tuple does that some ten times faster
    than a dataclass.
    """

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.args)})"

    def substitute(self, binding: Mapping[str, str]) -> Atom:
        if not self.args:
            return self
        return Atom(self.predicate, tuple([binding.get(a, a) for a in self.args]))


class Literal(NamedTuple):
    """An atom or its negation."""

    atom: Atom
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"not {self.atom}"

    def substitute(self, binding: Mapping[str, str]) -> Literal:
        return Literal(self.atom.substitute(binding), self.positive)


ThreeValued = npt.NDArray[np.int8]
FALSE, TRUE, UNKNOWN = 0, 1, -1
NUMBERS: Mapping[bool | None, int] = {False: FALSE, True: TRUE, None: UNKNOWN}
_VALUES = (False, True, None)  # by number


class Truths(Mapping[Atom, "bool | None"]):
    """The truth of predicates over all tuples of distinct objects, most of which are false.

    Of a few hundred things, on and in alone have a hundred thousand atoms: only what is not false
    is kept. Left and right have as many that are true: what was decided of all things at once
    stays an array, and its atoms are made for those who ask for them.

    Args:
        objects: every name that an atom may be about.
        arities: every predicate that was evaluated, and how many arguments it takes.
        exceptions: the atoms that are true (True) or unknown (None), of predicates without a table.
        tables: of other predicates (n,) * arity truths over the numbers of `objects`, where no
            atom has a thing twice: TRUE, UNKNOWN or FALSE. Nobody writes into them any more.
    """

    def __init__(
        self,
        objects: Iterable[str],
        arities: Mapping[str, int],
        exceptions: Mapping[Atom, bool | None],
        tables: Mapping[str, ThreeValued] = MappingProxyType({}),
    ) -> None:
        self.objects = tuple(objects)
        self.arities = dict(arities)
        self.tables = dict(tables)
        self._listed = dict(exceptions)
        self._numbers = {name: i for i, name in enumerate(self.objects)}

    def __getitem__(self, atom: Atom) -> bool | None:
        if atom in self._listed:
            return self._listed[atom]
        if atom not in self:
            raise KeyError(atom)
        table = self.tables.get(atom.predicate)
        return False if table is None else _VALUES[table[self._place(atom)]]

    def __contains__(self, atom: object) -> bool:
        return (
            isinstance(atom, Atom)
            and self.arities.get(atom.predicate) == len(atom.args)
            and self._numbers.keys() >= set(atom.args)
            and len(set(atom.args)) == len(atom.args)
        )

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Truths):
            return super().__eq__(other)
        if self._numbers.keys() != other._numbers.keys() or self.arities != other.arities:
            return False
        if self.objects != other.objects or self.tables.keys() != other.tables.keys():
            return self.exceptions == other.exceptions
        return self._listed == other._listed and all(
            np.array_equal(table, other.tables[p]) for p, table in self.tables.items()
        )

    def __iter__(self) -> Iterator[Atom]:
        for predicate, arity in self.arities.items():
            for args in permutations(self.objects, arity):
                yield Atom(predicate, args)

    def __len__(self) -> int:
        return sum(perm(len(self.objects), arity) for arity in self.arities.values())

    @cached_property
    def exceptions(self) -> Mapping[Atom, bool | None]:
        """The atoms that are true or unknown."""
        return self._with_atoms_of(self.tables)

    @cached_property
    def dense(self) -> Mapping[str, ThreeValued]:
        """The tables with more atoms that are not false than there are objects."""
        count = len(self.objects)
        return {p: t for p, t in self.tables.items() if np.count_nonzero(t) > count}

    @property
    def sparse(self) -> Mapping[Atom, bool | None]:
        """The atoms that are true or unknown, of all predicates whose table is not dense."""
        return self._with_atoms_of(self.tables.keys() - self.dense.keys())

    def _with_atoms_of(self, tables: Iterable[str]) -> dict[Atom, bool | None]:
        found = dict(self._listed)
        for predicate in tables:
            found.update(dict.fromkeys(self._atoms(predicate, TRUE), True))
            found.update(dict.fromkeys(self._atoms(predicate, UNKNOWN)))
        return found

    def having(self, truth: bool | None) -> frozenset[Atom]:
        """The atoms that are true (True) or unknown (None)."""
        listed = [a for a, t in self._listed.items() if t is truth]
        tables = (self._atoms(p, NUMBERS[truth]) for p in self.tables)
        return frozenset(listed).union(*tables)

    def changed(self, truths: Mapping[Atom, bool | None]) -> Truths:
        """These, with other truths of some atoms."""
        listed, tables = dict(self._listed), dict(self.tables)
        for predicate in {a.predicate for a in truths} & tables.keys():
            tables[predicate] = tables[predicate].copy()
        for atom, truth in truths.items():
            if atom.predicate in tables and atom in self:
                tables[atom.predicate][self._place(atom)] = NUMBERS[truth]
            else:
                listed[atom] = truth
        listed = {a: t for a, t in listed.items() if t is not False}
        return Truths(self.objects, self.arities, listed, tables)

    def _place(self, atom: Atom) -> tuple[int, ...]:
        return tuple([self._numbers[a] for a in atom.args])

    def _atoms(self, predicate: str, number: int) -> list[Atom]:
        places = np.argwhere(self.tables[predicate] == number)
        return [Atom(predicate, tuple(args)) for args in self._names[places].tolist()]

    @cached_property
    def _names(self) -> npt.NDArray[np.object_]:
        return np.array(self.objects, object)


@dataclass(frozen=True)
class SymbolicState:
    """Truth values of ground atoms at one time; an absent atom or None is unknown.

    Attributes:
        categories: what kind of thing each object is, as its scene says, such as "mug"; of those
            that are missing nobody said it.
    """

    stamp_s: float
    objects: tuple[str, ...]
    truths: Mapping[Atom, bool | None]
    categories: Mapping[str, str] = field(default_factory=dict)

    @property
    def exceptions(self) -> Mapping[Atom, bool | None]:
        """The truths of those atoms that are not false."""
        if isinstance(self.truths, Truths):
            return self.truths.exceptions
        return {a: t for a, t in self.truths.items() if t is not False}

    @property
    def arities(self) -> Mapping[str, int]:
        """Every predicate that was evaluated, and how many arguments it takes."""
        if isinstance(self.truths, Truths):
            return self.truths.arities
        return {a.predicate: len(a.args) for a in self.truths}

    def truth(self, atom: Atom) -> bool | None:
        return self.truths.get(atom)

    def holds(self, literal: Literal) -> bool | None:
        """True, False, or None where the atom is unknown."""
        truth = self.truth(literal.atom)
        return None if truth is None else truth == literal.positive

    def changed(self, truths: Mapping[Atom, bool]) -> SymbolicState:
        """The state with other truths of some of its atoms."""
        known = self.truths
        if not isinstance(known, Truths):
            known = Truths(self.objects, self.arities, self.exceptions)
        return replace(self, truths=known.changed(truths))

    def true_atoms(self) -> frozenset[Atom]:
        return self._true

    @cached_property
    def _true(self) -> frozenset[Atom]:
        return self._having(True)

    def unknown_atoms(self) -> frozenset[Atom]:
        """Those that are neither known to be true nor to be false."""
        return self._having(None)

    def _having(self, truth: bool | None) -> frozenset[Atom]:
        if isinstance(self.truths, Truths):
            return self.truths.having(truth)
        return frozenset(a for a, t in self.truths.items() if t is truth)


@dataclass(frozen=True)
class Check:
    """A precondition or effect compared with the observed state.

    Attributes:
        observed: whether the literal holds; None where it is unknown.
        detail: the observed values behind it, for a person.
    """

    literal: Literal
    observed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Operator:
    """A lifted operator with a skill behind it.

    Attributes:
        parameters: variables, such as `("?o", "?s")`; all distinct when grounded.
        preconditions: literals over the parameters that must hold before.
        add, delete: atoms made true and false when it has ended. A variable of `delete` that is
            no parameter stands for every object.
        during: atoms true while it runs and not necessarily before or after, such as
            `touching(?d)` while a drawer is pulled. A trace sees them between before and after.
        motion: what it does in space, for robots that move about, such as `stand_by(?a)`;
            `planning.navigation.handling` has the words.
        observes: what is seen once it has ended and may have been hidden before, such as
            `in(?x, ?d)` of a drawer that is opened; `?x`, no parameter, stands for anything.
        skill: name of the skill that carries it out.
        cost: non-negative; of one that drives, the time of its way counts instead.
        english: imperative with `{0}`, `{1}` for the arguments.
        types: of which type the things are that each parameter stands for; () if that is not said.
        in_the_now: literals that are looked at right before it is done, and not when planning
            ahead, since they are about exact places, such as `not in_way(?x, ?a)` of a door that
            slides; a variable that is no parameter stands for every other thing.
        body: the contact primitives that it was shown by, such as `grasp(?a)`, `move(?a)`.
        add_where: conditional effects, pairs of an atom and the one that has to hold before; a
            variable that is no parameter stands for every object. Searches plan without them; they
            count where it is foreseen to what given steps lead.
    """

    name: str
    parameters: tuple[str, ...]
    preconditions: frozenset[Literal]
    add: frozenset[Atom]
    delete: frozenset[Atom]
    during: frozenset[Atom] = frozenset()
    skill: str = ""
    cost: float = 1.0
    english: str = ""
    motion: frozenset[Atom] = frozenset()
    types: tuple[str, ...] = ()
    observes: frozenset[Atom] = frozenset()
    in_the_now: frozenset[Literal] = frozenset()
    body: tuple[Atom, ...] = ()
    add_where: frozenset[tuple[Atom, Atom]] = frozenset()

    def binds(self, atom: Atom) -> bool:
        """Whether an effect is about its parameters alone; else it is about all things alike."""
        return set(self.parameters).issuperset(atom.args)

    def ground(self, *args: str, objects: Iterable[str] = ()) -> Action:
        """The action on some things.

        Args:
            objects: what variables that are no parameters stand for.

        Raises:
            SaySoError: INVALID for another number of arguments.
        """
        if len(args) != len(self.parameters):
            raise SaySoError(
                Code.INVALID,
                f"operator {self.name} takes {len(self.parameters)} arguments, got {len(args)}.",
            )
        binding, names = dict(zip(self.parameters, args, strict=True)), tuple(objects)
        fixed = [a.substitute(binding) for a in self.delete if self.binds(a)]
        wild = [a.substitute(binding) for a in self.delete if not self.binds(a)]
        return Action(
            name=self.name,
            args=args,
            preconditions=frozenset(x.substitute(binding) for x in self.preconditions),
            add=frozenset(a.substitute(binding) for a in self.add),
            delete=frozenset(fixed).union(*(instances(a, names) for a in wild)),
            during=frozenset(a.substitute(binding) for a in self.during),
            skill=self.skill or self.name,
            cost=self.cost,
            english=self.english.format(*map(in_words, args)),
            in_the_now=frozenset(x.substitute(binding) for x in self.in_the_now),
            add_where=frozenset(self._conditional(binding, names)),
        )

    def _conditional(
        self, binding: Mapping[str, str], objects: Iterable[str]
    ) -> Iterator[tuple[Atom, Atom]]:
        """Its conditional effects on some things."""
        for effect, condition in self.add_where:
            free = {*effect.args, *condition.args} - binding.keys()
            variables = sorted(a for a in free if a.startswith("?"))
            for chosen in product(objects, repeat=len(variables)):
                bound = {**binding, **dict(zip(variables, chosen, strict=True))}
                yield effect.substitute(bound), condition.substitute(bound)


@dataclass(frozen=True)
class Action:
    """A ground operator. Semantics: `after = (before - delete) | add`, and the atoms of `add_where`
    whose condition held before.

    Attributes:
        in_the_now: see `Operator`; its variables stand for every thing that is about then.
    """

    name: str
    args: tuple[str, ...]
    preconditions: frozenset[Literal]
    add: frozenset[Atom]
    delete: frozenset[Atom]
    during: frozenset[Atom] = frozenset()
    skill: str = ""
    cost: float = 1.0
    english: str = ""
    in_the_now: frozenset[Literal] = frozenset()
    add_where: frozenset[tuple[Atom, Atom]] = frozenset()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"

    def needs(self, objects: Iterable[str]) -> frozenset[Literal]:
        """All that must hold right before it is done, where these things are about."""
        names = tuple(objects)
        return self.preconditions.union(*(of_others(x, names) for x in self.in_the_now))

    def applicable(self, state: frozenset[Atom]) -> bool:
        """Closed world: atoms not in `state` are false."""
        return all((x.atom in state) == x.positive for x in self.preconditions)

    def trace(self, state: frozenset[Atom]) -> tuple[frozenset[Atom], ...]:
        """The states that a watcher sees from just after the start to the end, inclusive."""
        after = self.apply(state)
        return (state | self.during, after) if self.during else (after,)

    def apply(self, state: frozenset[Atom]) -> frozenset[Atom]:
        after = (state - self.delete) | self.add
        if not self.add_where:
            return after
        return after.union(effect for effect, condition in self.add_where if condition in state)


@dataclass(frozen=True)
class PlanStep:
    """One action and, in English, why it is in the plan."""

    action: Action
    why: str = ""


@dataclass(frozen=True)
class Plan:
    """A sequence of actions for a whole specification.

    Attributes:
        planner: who found it.
        from_words: whether somebody's words name its steps: a repair then keeps them if it can.
        step_by_step: whether each step is checked only when its turn comes, as of a plan from words
            that may not fit; any other plan was validated as a whole.
    """

    steps: tuple[PlanStep, ...]
    planner: str = ""
    cost: float = 0.0
    time_s: float = 0.0
    from_words: bool = False
    step_by_step: bool = False

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(s.action for s in self.steps)


@dataclass(frozen=True)
class Domain:
    """The operators and the names and arities of predicates that a planner may use."""

    operators: tuple[Operator, ...]
    arities: Mapping[str, int] = field(default_factory=dict)

    def operator(self, name: str) -> Operator:
        for op in self.operators:
            if op.name == name:
                return op
        raise SaySoError(
            Code.INVALID,
            f"there is no operator '{name}'.",
            choices=(o.name for o in self.operators),
        )


@lru_cache(maxsize=512)
def instances(atom: Atom, objects: tuple[str, ...]) -> tuple[Atom, ...]:
    """An atom with every choice of objects for its variables; many actions delete the same ones."""
    free = list(dict.fromkeys(a for a in atom.args if a.startswith("?")))
    return tuple(
        atom.substitute(dict(zip(free, chosen, strict=True)))
        for chosen in product(objects, repeat=len(free))
    )


def of_others(
    literal: Literal, objects: Iterable[str], parameters: Iterable[str] = ()
) -> Iterator[Literal]:
    """A literal with every choice of further things for its variables but some, each its own."""
    args, kept = literal.atom.args, frozenset(parameters)
    free = list(dict.fromkeys(a for a in args if a.startswith("?") and a not in kept))
    for chosen in permutations([o for o in objects if o not in args], len(free)):
        yield literal.substitute(dict(zip(free, chosen, strict=True)))
