"""What operators do in a flat besides changing facts: where the robot stands, what goes with it.

The words of an operator's motion:

    drive_to(?a)        a way over the floor, to where the robot is near ?a
    stand_by(?a)        done standing still, near ?a
    take(?a)            from then on ?a goes along with the robot
    leave_on(?a, ?b)    from then on ?a is where ?b is, which has room on top of it;
                        leave_in: inside it; leave_beside: beside it alone
    clear(?a)           from then on the floor that ?a is over is free, such as a door's
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom, Domain, Literal, Operator
from sayso.planning.hidden_things import shows_anything

DRIVE, STAND, TAKE, CLEAR = "drive_to", "stand_by", "take", "clear"
LEAVE: Mapping[str, str] = {"leave_on": "on", "leave_in": "in", "leave_beside": "beside"}
"""Where a thing stays, as `flat.Place.receives` says it."""
WORDS = (DRIVE, STAND, TAKE, CLEAR, *LEAVE)

_Binding = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Handling:
    """An operator on some things, carried out standing still.

    Attributes:
        action: what it needs and changes.
        place: near what the robot stands for it.
        takes: what goes along with the robot from then on, or "".
        leaves: what stays at `place` from then on, or "".
        room: where at the place there must be room for that: "on", "in" or "beside".
        clears: what is not in the way from then on, or "".
    """

    operator: Operator
    action: Action
    place: str
    takes: str = ""
    leaves: str = ""
    room: str = ""
    clears: str = ""


def drives(operator: Operator) -> bool:
    """Whether an operator is a way over the floor."""
    return any(m.predicate == DRIVE for m in operator.motion)


def driving(domain: Domain) -> Operator:
    """The operator that is a way over the floor.

    Raises:
        SaySoError: UNSUPPORTED where the domain has none; INVALID for a word of no motion.
    """
    for op in domain.operators:
        for word in op.motion:
            if word.predicate not in WORDS:
                raise SaySoError(
                    Code.INVALID,
                    f"operator {op.name} has the unknown motion '{word.predicate}'.",
                    choices=WORDS,
                )
    found = next(filter(drives, domain.operators), None)
    if found is None:
        raise SaySoError(
            Code.UNSUPPORTED,
            "no operator of the library drives anywhere.",
            hint=f"give one the motion {DRIVE}.",
        )
    return found


def map_predicates(domain: Domain) -> frozenset[str]:
    """The predicates whose truth follows from where the robot is: those that driving changes."""
    return frozenset(a.predicate for a in driving(domain).add)


def handling(operator: Operator, args: tuple[str, ...], objects: Iterable[str] = ()) -> Handling:
    """An operator on some things.

    Args:
        objects: as for `Operator.ground`.

    Raises:
        SaySoError: INVALID for one that is not done standing still at one place.
    """
    action = operator.ground(*args, objects=objects)
    binding = dict(zip(operator.parameters, args, strict=True))
    place, takes, leaves, room, clears = "", "", "", "", ""
    for word in (m.substitute(binding) for m in operator.motion):
        if word.predicate == STAND:
            place = word.args[0]
        elif word.predicate == TAKE:
            takes = word.args[0]
        elif word.predicate == CLEAR:
            clears = word.args[0]
        elif word.predicate in LEAVE:
            leaves, room = word.args[0], LEAVE[word.predicate]
    if not place:
        raise SaySoError(
            Code.INVALID,
            f"operator {operator.name} does not say what the robot stands by.",
            hint=f"give it the motion {STAND}.",
        )
    return Handling(operator, action, place, takes, leaves, room, clears)


@dataclass(frozen=True)
class Choice:
    """What the robot may handle for a task.

    Args:
        domain: its operators; those that drive are left out.
        facts: what is true at first.
        rooms: where each place has room: "on", "in", "beside", or "" for nowhere.
        carried: what goes along with the robot at first.
        excluded: actions that are not to be done, as `str` tells them.
    """

    domain: Domain
    facts: frozenset[Atom]
    rooms: Mapping[str, str]
    carried: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def clearing(self) -> tuple[Handling, ...]:
        """All that takes something out of the way, where not all of that is so by now, or what
        that needs; sorted."""
        ways = [op for op in self.domain.operators if any(m.predicate == CLEAR for m in op.motion)]
        added = (
            op.ground(name, objects=self._objects).add
            for op in ways
            for name in self.rooms
            if self._possible(op, (name,), ())
        )
        return self.for_task(a for atoms in added if not atoms <= self.facts for a in atoms)

    def showing(self) -> tuple[Handling, ...]:
        """All after which something may be seen that was hidden, as what is in a chest; sorted."""
        looks = (op for op in self.domain.operators if shows_anything(op))
        ways = (h for op in looks for h in self._all(op, (), ()))
        unseen = (h for h in ways if not h.action.add <= self.facts)
        return tuple(sorted(unseen, key=lambda h: (h.operator.name, h.action.args)))

    def for_task(self, atoms: Iterable[Atom]) -> tuple[Handling, ...]:
        """All that changes one of some atoms, or what that needs; sorted.

        Whatever else could be done, such as tidying up, brings the task nowhere.
        """
        bound = self._bound(atoms)
        takes = [h for op, b in bound for h in self._all(op, b, ()) if h.takes]
        carried = self.carried.union(h.takes for h in takes)
        found = {
            (h.operator.name, h.action.args): h
            for op, b in bound
            for h in self._all(op, b, sorted(carried))
        }
        return tuple(found[key] for key in sorted(found))

    def _bound(self, atoms: Iterable[Atom]) -> list[tuple[Operator, _Binding]]:
        """The operators that matter, each with those of its parameters that are settled."""
        operators = [op for op in self.domain.operators if not drives(op)]
        found: dict[tuple[Operator, _Binding], None] = {}
        waiting = [Literal(a, truth) for a in atoms for truth in (False, True)]
        asked = set[Literal]()
        while waiting:
            wanted = waiting.pop()
            if wanted in asked:
                continue
            asked.add(wanted)
            for op in operators:
                for binding in _bringing_about(op, wanted):
                    found[op, binding] = None
                    for settled in (binding, *self._settled(op, binding)):
                        needs = (x.substitute(dict(settled)) for x in op.preconditions)
                        waiting += (x for x in needs if not any(a[0] == "?" for a in x.atom.args))
        return list(found)

    def _settled(self, op: Operator, binding: _Binding) -> Iterator[_Binding]:
        """With what further parameters are, as facts that the operator needs have them: a thing
        that is taken out of something is in it."""
        for need in (x.substitute(dict(binding)).atom for x in op.preconditions if x.positive):
            if any(a in op.parameters for a in need.args):
                for fact in self.facts:
                    found = dict(zip(need.args, fact.args, strict=False))
                    if need.substitute(found) == fact:
                        free = {p: n for p, n in found.items() if p in op.parameters}
                        yield tuple(sorted((*binding, *free.items())))

    def _all(self, op: Operator, binding: _Binding, carried: Collection[str]) -> Iterator[Handling]:
        """The operator with all choices for what is not settled yet."""
        settled = dict(binding)
        domains = [
            (settled[p],) if p in settled else self._candidates(op, p, carried)
            for p in op.parameters
        ]
        for args in product(*domains):
            if len(set(args)) == len(args) and self._possible(op, args, carried):
                yield handling(op, args, self._objects)

    def _candidates(self, op: Operator, parameter: str, carried: Collection[str]) -> Iterable[str]:
        for word in op.motion:
            if word.predicate in LEAVE:
                if parameter == word.args[0]:
                    return carried
                if parameter == word.args[1]:
                    return [n for n, room in self.rooms.items() if room == LEAVE[word.predicate]]
        return self.rooms

    def _possible(self, op: Operator, args: tuple[str, ...], carried: Collection[str]) -> bool:
        """Whether what nothing changes is as it must be, there is room, and it can be carried."""
        if f"{op.name}({', '.join(args)})" in self.excluded:
            return False
        binding = dict(zip(op.parameters, args, strict=True))
        for word in (m.substitute(binding) for m in op.motion):
            if word.predicate in LEAVE and self.rooms.get(word.args[1]) != LEAVE[word.predicate]:
                return False
            if word.predicate in LEAVE and word.args[0] not in carried:
                return False
        needs = (x.substitute(binding) for x in op.preconditions)
        return all(
            (x.atom in self.facts) == x.positive
            for x in needs
            if x.atom.predicate not in self._changed
        )

    @cached_property
    def _objects(self) -> frozenset[str]:
        return frozenset(n for a in self.facts for n in a.args).union(self.rooms)

    @cached_property
    def _changed(self) -> frozenset[str]:
        return frozenset(a.predicate for op in self.domain.operators for a in (*op.add, *op.delete))


def _bringing_about(op: Operator, wanted: Literal) -> Iterator[_Binding]:
    """How an operator's parameters are settled where it is to bring something about."""
    atom = wanted.atom
    for effect in sorted(op.add if wanted.positive else op.delete):
        if effect.predicate != atom.predicate or len(effect.args) != len(atom.args):
            continue
        binding: dict[str, str] = {}
        for variable, name in zip(effect.args, atom.args, strict=True):
            if variable in op.parameters and binding.setdefault(variable, name) != name:
                break
        else:
            yield tuple(sorted(binding.items()))
