"""Worlds with random operators, and transitions sampled from them, for the tests of learning."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from sayso.core.symbols import Action, Atom, Literal, Operator, SymbolicState
from sayso.learning.transitions import Transition

ARITIES = {"p": 1, "q": 1, "r": 1, "s": 1, "ready": 0, "on": 2, "by": 2}
OBJECTS = ("cup", "jar", "lid", "mat", "pan")
LINK = "on"
"""Each thing is on one other at most, so it finds that other."""
State = frozenset[Atom]


def observed(
    atoms: Iterable[Atom],
    objects: tuple[str, ...] = OBJECTS,
    arities: Mapping[str, int] = ARITIES,
) -> SymbolicState:
    """A complete symbolic state in which these atoms are true and all others false."""
    true = frozenset(atoms)
    every = _every_atom(objects, tuple(arities.items()))
    return SymbolicState(0.0, objects, {a: a in true for a in every})


@lru_cache
def _every_atom(objects: tuple[str, ...], arities: tuple[tuple[str, int], ...]) -> tuple[Atom, ...]:
    return tuple(Atom(p, args) for p, k in arities for args in permutations(objects, k))


@dataclass(frozen=True)
class World:
    """Operators that exclude each other where they belong to one skill, and skills' arities."""

    operators: tuple[Operator, ...]
    skills: Mapping[str, int]


def random_world(rng: random.Random) -> World:
    """One or two skills, each with one operator or two."""
    found: list[Operator] = []
    skills: dict[str, int] = {}
    for number in range(rng.randint(1, 2)):
        skill = f"act{number}"
        arity = skills[skill] = rng.randint(1, 2)
        first = _random_operator(rng, f"{skill}_1", skill, arity, frozenset())
        found.append(first)
        shared = [x for x in first.preconditions if set(x.atom.args) <= set(("?a", "?b")[:arity])]
        if shared and rng.random() < 0.6:
            turned = rng.choice(sorted(shared))
            other = frozenset({Literal(turned.atom, not turned.positive)})
            second = _random_operator(rng, f"{skill}_2", skill, arity, other)
            if (second.add, second.delete) != (first.add, first.delete):
                found.append(second)
    return World(tuple(found), skills)


def _random_operator(
    rng: random.Random, name: str, skill: str, arity: int, given: frozenset[Literal]
) -> Operator:
    args = ("?a", "?b", "?c")[:arity]
    linked = rng.random() < 0.4 and all(x.atom.predicate != LINK for x in given)
    parameters = (*args, ("?a", "?b", "?c")[arity]) if linked else args
    atoms = [
        Atom(p, chosen)
        for p, k in ARITIES.items()
        if p != LINK
        for chosen in permutations(parameters, k)
    ]
    link = Atom(LINK, ("?a", parameters[-1]))
    preconditions = set(given) | ({Literal(link)} if linked else set())
    for atom in rng.sample(atoms, rng.randint(1, 2)):
        if atom not in {x.atom for x in preconditions}:
            preconditions.add(Literal(atom, rng.random() < 0.6))
    add, delete = set(), set()
    about = [a for a in atoms if not linked or rng.random() < 0.7 or parameters[-1] in a.args]
    for atom in rng.sample(about, min(len(about), rng.randint(1, 3))):
        before = next((x.positive for x in preconditions if x.atom == atom), rng.random() < 0.5)
        (delete if before else add).add(atom)
    if linked:
        delete.add(link)
    return Operator(
        name, parameters, frozenset(preconditions), frozenset(add), frozenset(delete), skill=skill
    )


def random_state(rng: random.Random) -> State:
    """Half of the atoms; every thing on one other, or on none."""
    free = [Atom(p, a) for p, k in ARITIES.items() if p != LINK for a in permutations(OBJECTS, k)]
    true = {a for a in free if rng.random() < 0.5}
    for name in OBJECTS:
        below = rng.choice([*OBJECTS, *OBJECTS])
        if below != name:
            true.add(Atom(LINK, (name, below)))
    return frozenset(true)


def applied(world: World, skill: str, args: tuple[str, ...], state: State) -> Action | None:
    """The ground operator that a skill amounts to here, if any."""
    for op in (o for o in world.operators if o.skill == skill):
        others = [o for o in OBJECTS if o not in args]
        for more in permutations(others, len(op.parameters) - len(args)):
            action = op.ground(*args, *more)
            if action.applicable(state):
                return action
    return None


def sampled(world: World, count: int, rng: random.Random, noise: float = 0.0) -> list[Transition]:
    """Transitions from random states; half of the noisy ones do nothing, half are seen wrongly."""
    found = []
    for _ in range(count):
        skill = rng.choice(sorted(world.skills))
        args = tuple(rng.sample(OBJECTS, world.skills[skill]))
        state = random_state(rng)
        action = applied(world, skill, args, state)
        if action is None and rng.random() >= noise:
            found.append(Transition(observed(state), skill, args, feasible=False))
            continue
        after = state if action is None else action.apply(state)
        if rng.random() < noise:
            after = state if rng.random() < 0.5 else _misread(after, rng)
        found.append(Transition(observed(state), skill, args, observed(after)))
    return found


def _misread(state: State, rng: random.Random) -> State:
    return state ^ {rng.choice(_every_atom(OBJECTS, tuple(ARITIES.items())))}
