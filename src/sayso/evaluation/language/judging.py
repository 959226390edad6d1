"""What was understood, compared with what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from sayso.evaluation.language.constructs import Instruction
from sayso.evaluation.language.meanings import (
    Atom,
    Meaning,
    Reading,
    Trace,
    facts,
    open_questions,
    parts,
    readings,
    states,
)
from sayso.evaluation.language.system import Answer, System
from sayso.evaluation.language.traces import traces
from sayso.evaluation.language.truth import is_true
from sayso.logic.formula import Formula, Prop, propositions
from sayso.logic.semantics import satisfies

Outcome: TypeAlias = Literal[
    "right", "misread", "asked", "offered", "offered wrong", "hinted", "refused"
]
TRACES = 80
MOST_READINGS = 3000


@dataclass(frozen=True)
class Verdict:
    """What became of a sentence.

    Attributes:
        outcome: read "right" or "misread"; "asked" which thing or meaning; a reading without
            some words "offered", or one that is "offered wrong"; refused with what to say instead
            ("hinted"), or just "refused".
        instruction: what was said and meant.
        answer: what SaySo made of it.
        witness: of a misread sentence, a trace that tells the two apart.
    """

    outcome: Outcome
    instruction: Instruction
    answer: Answer
    witness: Trace = ()


def judge(instruction: Instruction, system: System, rng: Random, *, hints: bool = True) -> Verdict:
    """Has the sentence read, and judges it.

    Args:
        hints: whether a refusal is asked what it says to say instead: it takes a while.
    """
    answer = system.read(instruction.text, instruction.things)
    if answer.formula is not None:
        witness = difference(instruction.meaning, answer.formula, rng)
        return Verdict("misread" if witness else "right", instruction, answer, witness or ())
    if answer.asked:
        return Verdict("asked", instruction, answer)
    if answer.offered is not None:
        witness = difference(instruction.meaning, answer.offered, rng)
        return Verdict("offered wrong" if witness else "offered", instruction, answer)
    if hints and answer.error and system.hints(instruction.text, answer.error, instruction.things):
        return Verdict("hinted", instruction, answer)
    return Verdict("refused", instruction, answer)


def difference(meaning: Meaning, formula: Formula, rng: Random) -> Trace | None:
    """A trace of which the two are not both true or both false; None if none was found.

    A formula has to agree with one reading of the meaning on all traces. The witness is from the
    reading that it agrees with best.
    """
    atoms = _atoms(meaning, formula)
    usual = next(readings(meaning))
    sample = traces(meaning, atoms, lambda t: is_true(meaning, t, usual), rng, TRACES)
    understood = [satisfies(formula, _propositions(trace)) for trace in sample]
    best: Trace | None = None
    most = -1
    for reading in _some(readings(meaning)):
        witness, agreed = _first_difference(meaning, reading, sample, understood)
        if witness is None:
            return None
        if agreed > most:
            best, most = witness, agreed
    return best


def agree(meaning: Meaning, a: Formula, b: Formula, rng: Random) -> bool:
    """Whether two formulas are true of the same traces of a sample about a meaning."""
    atoms = dict.fromkeys((*_atoms(meaning, a), *_atoms(meaning, b)))
    sample = traces(meaning, tuple(atoms), lambda t: satisfies(a, _propositions(t)), rng, TRACES)
    return all(satisfies(a, steps) == satisfies(b, steps) for steps in map(_propositions, sample))


def _first_difference(
    meaning: Meaning, reading: Reading, sample: tuple[Trace, ...], understood: list[bool]
) -> tuple[Trace | None, int]:
    for i, (trace, truth) in enumerate(zip(sample, understood, strict=True)):
        if is_true(meaning, trace, reading) != truth:
            return trace, i
    return None, len(sample)


def _some(all_readings: Iterable[Reading]) -> Iterable[Reading]:
    for i, reading in enumerate(all_readings):
        if i == MOST_READINGS:
            raise ValueError("a meaning that leaves too much open")
        yield reading


def _atoms(meaning: Meaning, formula: Formula) -> tuple[Atom, ...]:
    """All atoms that either speaks of, in a fixed order."""
    meant = [f.atom for s in states(meaning) for f in facts(s)]
    held = [("holding", c) for c in (getattr(n, "carried", "") for n in parts(meaning)) if c]
    said = [(p.predicate, *map(str, p.args)) for p in propositions(formula)]
    return tuple(dict.fromkeys((*meant, *(held if _opens_carrying(meaning) else ()), *said)))


def _opens_carrying(meaning: Meaning) -> bool:
    return "carry" in open_questions(meaning)


def _propositions(trace: Trace) -> list[frozenset[Prop]]:
    return [frozenset(map(_prop, step)) for step in trace]


@lru_cache(maxsize=4096)
def _prop(atom: Atom) -> Prop:
    return Prop(atom[0], atom[1:])
