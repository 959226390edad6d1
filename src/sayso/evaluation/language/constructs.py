"""The constructs of instructions: each draws a meaning, and what fills its wordings.

The wordings of a construct are in `wordings.yaml` under its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from sayso.evaluation.language import (
    drawn_conditions,
    drawn_goals,
    drawn_groups,
    drawn_references,
    drawn_rules,
)
from sayso.evaluation.language.drawing import Construct, Draw, NotHereError
from sayso.evaluation.language.meanings import Both, Meaning, Open, Ordered, is_reached
from sayso.evaluation.language.phrases import sentence
from sayso.evaluation.language.scenes import Thing


@dataclass(frozen=True)
class Instruction:
    """A sentence, its meaning, and the things it is about."""

    construct: str
    text: str
    meaning: Meaning
    things: tuple[Thing, ...]


EVERYWHERE: Mapping[str, Construct] = {
    **drawn_goals.CONSTRUCTS,
    **drawn_rules.CONSTRUCTS,
    **drawn_conditions.CONSTRUCTS,
    **drawn_groups.CONSTRUCTS,
    **drawn_references.CONSTRUCTS,
}
ON_A_TABLE: Mapping[str, Construct] = {**drawn_goals.ON_A_TABLE, **drawn_references.ON_A_TABLE}
IN_A_FLAT: Mapping[str, Construct] = {**drawn_goals.IN_A_FLAT, **drawn_rules.IN_A_FLAT}
CONSTRUCTS: Mapping[str, Construct] = {**EVERYWHERE, **ON_A_TABLE, **IN_A_FLAT}
TWO = "two sentences"
_SINGLE = ("goal", "polite", "then", "before", "never", "not until", "keep", "if", "whenever",
           "all", "any", "never, several", "pronoun")  # fmt: skip


def constructs(drives: bool) -> tuple[str, ...]:
    """The names of those that a robot can be told: one that drives, or an arm."""
    return (*EVERYWHERE, *(IN_A_FLAT if drives else ON_A_TABLE), TWO)


def draw(rng: Random, drives: bool, construct: str) -> Instruction:
    """An instruction of a construct, in a scene that has what it needs."""
    while True:
        try:
            d = Draw(rng, drives)
            return _two(d) if construct == TWO else _one(construct, d)
        except NotHereError:
            continue


def another(rng: Random, drives: bool, things: tuple[Thing, ...]) -> Instruction:
    """A further instruction about the things of a scene."""
    while True:
        try:
            return _one(rng.choice(_SINGLE), Draw(rng, drives, things))
        except NotHereError:
            continue


def _one(name: str, d: Draw) -> Instruction:
    meaning, fields = CONSTRUCTS[name](d)
    template = d.rng.choice(d.words["constructs"][name])
    return Instruction(name, sentence(template, d.rng, fields), meaning, d.things)


def _two(d: Draw) -> Instruction:
    """Two instructions, one after the other, as sentences."""
    first, second = (_one(d.rng.choice(_SINGLE), d) for _ in range(2))
    text = f"{first.text.rstrip('.')}. {second.text[:1].upper()}{second.text[1:]}"
    return Instruction(TWO, text, _after_each_other(first.meaning, second.meaning), d.things)


def _after_each_other(first: Meaning, second: Meaning) -> Meaning:
    """What the second sentence has one thing come before is held back from the start, or not."""
    both = Both((first, second))
    if isinstance(second, Ordered) and second.held_back and is_reached(first):
        return Open("held back", (Ordered((first, *second.goals), held_back=2), both))
    return both
