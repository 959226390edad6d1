"""Courses of events on which meanings and formulas are compared.

Random ones would nearly all be false of an order and true of a prohibition. So some are made to
follow what was said, step by step, and changed here and there until both truths have occurred
often; what differs in one atom at one step tells readings apart best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from sayso.evaluation.language.meanings import (
    Atom,
    Meaning,
    Step,
    Trace,
    facts,
    states,
)

LONGEST = 9
_ROUNDS = 4


def traces(
    meaning: Meaning,
    atoms: Sequence[Atom],
    is_true: Callable[[Trace], bool],
    rng: Random,
    count: int,
) -> tuple[Trace, ...]:
    """Distinct traces over some atoms, true and false ones in like numbers as far as they exist.

    Args:
        is_true: what decides which of the mutants are kept.
    """
    found = {False: dict[Trace, None](), True: dict[Trace, None]()}
    for _ in range(count // 2):
        trace = _random(atoms, rng) if rng.random() < 0.3 else _following(meaning, atoms, rng)
        found[is_true(trace)][trace] = None
    for _ in range(_ROUNDS * count):
        if sum(map(len, found.values())) >= count:
            break
        rarer = min(found.values(), key=len) or max(found.values(), key=len)
        trace = _mutant(rng.choice(tuple(rarer)), atoms, rng)
        truth = is_true(trace)
        if len(found[truth]) <= count // 2 or not rarer:
            found[truth][trace] = None
    return (*found[True], *found[False])


def _random(atoms: Sequence[Atom], rng: Random) -> Trace:
    """Atoms that change now and then."""
    now = {a for a in atoms if rng.random() < 0.3}
    trace = []
    for _ in range(rng.randint(1, LONGEST)):
        trace.append(frozenset(now))
        now ^= {a for a in atoms if rng.random() < 0.25}
    return tuple(trace)


def _following(meaning: Meaning, atoms: Sequence[Atom], rng: Random) -> Trace:
    """What is spoken of becomes true, mostly in the order said, for a while or for good."""
    spoken = [f.atom for s in states(meaning) for f in facts(s)]
    spoken = list(dict.fromkeys(a for a in spoken if a in set(atoms))) + [
        a for a in atoms if a not in spoken and rng.random() < 0.5
    ]
    if rng.random() < 0.4:
        rng.shuffle(spoken)
    now: set[Atom] = {a for a in atoms if rng.random() < 0.08}
    trace: list[Step] = [frozenset(now)] if rng.random() < 0.7 else []
    for atom in spoken:
        if rng.random() < 0.35:
            continue
        now |= {atom, *(a for a in atoms if a[0] == "holding" and a[1] == atom[1])}
        if atom[0] != "holding" and rng.random() < 0.7:
            trace.append(frozenset(now - {atom}))
            now -= {a for a in now if a[0] == "holding" and a[1] == atom[1]}
        trace.append(frozenset(now))
        if rng.random() < 0.35:
            now.discard(atom)
    return tuple(trace[: LONGEST + 3]) or (frozenset(now),)


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
