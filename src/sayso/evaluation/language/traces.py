"""Courses of events on which meanings and formulas are compared.

Random ones would nearly all be false of an order and true of a prohibition. So some are made to
follow what was said, step by step, and changed here and there until both truths have occurred
often; what differs in one atom at one step tells readings apart best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from sayso.evaluation.language.meanings import (
    Atom,
    Meaning,
    Step,
    Trace,
    facts,
    forbidden,
    states,
)

LONGEST = 9
_PUT = ("on", "in", "placed", "on_table")
_ROUNDS = 4
_BASES = 3
"""Of how many true and how many false traces all neighbours are looked at."""


def traces(
    meaning: Meaning,
    atoms: Sequence[Atom],
    is_true: Callable[[Trace], bool],
    rng: Random,
    count: int,
) -> tuple[Trace, ...]:
    """Distinct traces over some atoms, true and false ones in like numbers as far as they exist.

    There are about `count`, and besides the nearest neighbours of some of them.

    Args:
        is_true: what decides which of the mutants are kept.
    """
    found = {False: dict[Trace, None](), True: dict[Trace, None]()}
    for _ in range(count // 2):
        trace = _drawn(meaning, atoms, rng)
        found[is_true(trace)][trace] = None
    for _ in range(_ROUNDS * count):
        if sum(map(len, found.values())) >= count:
            break
        rarer = min(found.values(), key=len) or max(found.values(), key=len)
        trace = _mutant(rng.choice(tuple(rarer)), atoms, rng)
        truth = is_true(trace)
        if len(found[truth]) <= count // 2 or not rarer:
            found[truth][trace] = None
    for base in [t for truth in found.values() for t in _bases(tuple(truth), rng)]:
        for trace in _neighbours(base, atoms, rng):
            found[is_true(trace)][trace] = None
    return (*found[True], *found[False])


def _bases(found: Sequence[Trace], rng: Random) -> list[Trace]:
    """Some traces, long ones rather than short ones."""
    longer = [t for t in found if len(t) > 2] or found
    return rng.sample(longer, min(_BASES, len(longer)))


def _neighbours(trace: Trace, atoms: Sequence[Atom], rng: Random) -> Iterator[Trace]:
    """The trace with each atom, one after the other, turned round, always, or never true.

    Only these find a single thing that was forgotten among several.
    """
    for atom in atoms:
        at = rng.randrange(len(trace))
        for last in (at + 1, len(trace)):
            yield tuple(step ^ {atom} if at <= i < last else step for i, step in enumerate(trace))
        yield tuple(step - {atom} for step in trace)
        yield tuple(step | {atom} for step in trace)


def _pulsing(atoms: Sequence[Atom], rng: Random) -> Trace:
    """One atom that comes and goes."""
    atom = rng.choice(atoms)
    others = frozenset(a for a in atoms if a != atom and rng.random() < 0.3)
    return tuple(others | {atom} if i % 2 else others for i in range(rng.randint(2, LONGEST + 2)))


def _drawn(meaning: Meaning, atoms: Sequence[Atom], rng: Random) -> Trace:
    kind = rng.random()
    if kind < 0.1:
        return _pulsing(atoms, rng)
    return _random(atoms, rng) if kind < 0.35 else _following(meaning, atoms, rng)


def _random(atoms: Sequence[Atom], rng: Random) -> Trace:
    """Atoms that change now and then."""
    now = {a for a in atoms if rng.random() < 0.3}
    trace = []
    for _ in range(rng.randint(1, LONGEST)):
        trace.append(frozenset(now))
        now ^= {a for a in atoms if rng.random() < 0.25}
    return tuple(trace)


def _following(meaning: Meaning, atoms: Sequence[Atom], rng: Random) -> Trace:
    """What is spoken of becomes true, mostly in the order said, for a while or for good.

    Half of these keep to all prohibitions, and half leave nothing out.
    """
    banned = forbidden(meaning) if rng.random() < 0.5 else frozenset()
    skipped = rng.choice((0.0, 0.4))
    said = [f.atom for s in states(meaning) for f in facts(s)]
    wanted = [a for a in dict.fromkeys((*said, *atoms)) if a not in banned and a in set(atoms)]
    if rng.random() < 0.4:
        rng.shuffle(wanted)
    now: set[Atom] = {a for a in wanted if rng.random() < 0.08}
    trace: list[Step] = [frozenset(now)] if rng.random() < 0.7 else []
    for atom in wanted:
        if rng.random() >= skipped:
            trace += _happening(atom, now, rng)
    return tuple(trace) or (frozenset(now),)


def _happening(atom: Atom, now: set[Atom], rng: Random) -> list[Step]:
    """The steps in which an atom becomes true: what is put somewhere is mostly held before."""
    steps: list[Step] = []
    if atom[0] in _PUT:
        held = ("holding", atom[1])
        if rng.random() < 0.8:
            steps.append(frozenset(now | {held}))
        now.discard(held)
    now.add(atom)
    steps.append(frozenset(now))
    if rng.random() < 0.35:
        now.discard(atom)
    return steps


def _mutant(trace: Trace, atoms: Sequence[Atom], rng: Random) -> Trace:
    """The trace with one atom turned round for a while, or steps repeated, left out, swapped."""
    steps = list(trace)
    at = rng.randrange(len(steps))
    change = rng.random()
    if change < 0.6 and atoms:
        atom = rng.choice(atoms)
        last = at + 1 if rng.random() < 0.5 else len(steps)
        value = atom not in steps[at]
        for i in range(at, last):
            steps[i] = steps[i] | {atom} if value else steps[i] - {atom}
    elif change < 0.7 and len(steps) > 1:
        del steps[at]
    elif change < 0.8 and len(steps) < LONGEST + 3:
        steps.insert(at, steps[rng.randrange(len(steps))])
    else:
        other = rng.randrange(len(steps))
        steps[at], steps[other] = steps[other], steps[at]
    return tuple(steps)
