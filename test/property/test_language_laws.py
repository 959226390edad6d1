"""Naming more things in a sentence never weakens what it asks for or forbids of one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from sayso.evaluation.language.constructs import Instruction, constructs, draw
from sayso.evaluation.language.system import System, World
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import COLORS, And, Not
from sayso.logic.text import to_text

WORLDS: tuple[World, ...] = ("table", "flat")
SYSTEMS = {world: System(world) for world in WORLDS}
DRAWN = 3
"""Sentences of each construct."""
TURNED = (
    "if", "unless", "whenever", "as soon as", "once you have", "not after", "not while",
    "until", "nothing but", "only", "but", "two sentences",
)  # fmt: skip
"""Words of constructs in which the thing may stand in a condition, a bound or an exception."""
ONE_MOMENT = ("any", "so many", "exactly so many", "one and another", "one and the other")
""" "A can" or "two cans on every desk" is one state at one moment: in a flat, where "a can on the
desk" is to carry it there, that asks for less of a single desk."""
EVERY = ("every {}", "each {}", "all the {}s", "the {}s")


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_said_of_all_holds_of_each(world: World) -> None:
    system, compared = SYSTEMS[world], 0
    for name in constructs(world == "flat"):
        turned = any(word in name for word in TURNED) and name != "only after"
        if turned or (world == "flat" and name in ONE_MOMENT):
            continue
        for i in range(DRAWN):
            rng = Random(f"laws/{world}/{name}/{i}")
            instruction = draw(rng, world == "flat", name)
            of_one = system.read(instruction.text, instruction.things).formula
            said = list(of_all(instruction))
            if of_one is None or not said:
                continue
            text = rng.choice(said)
            read = system.read(text, instruction.things).formula
            if read is None:
                continue
            compared += 1
            weaker = automaton_of(And((read, Not(of_one)))).satisfiable
            assert not weaker, f"{text}\n{to_text(read)}\n{instruction.text}\n{to_text(of_one)}"
    assert compared > 60


def of_all(instruction: Instruction) -> Iterator[str]:
    """The sentence with one of the things named replaced by all of its kind."""
    kinds = [t.category for t in instruction.things]
    several = "|".join(sorted({k for k in kinds if kinds.count(k) > 1})) or "-"
    color = "|".join(COLORS)
    pattern = rf"\b[Tt]he ((small|big|large) )?(({color}) )?({several})\b"
    for found in re.finditer(pattern, instruction.text):
        for words in EVERY:
            every = words.format(found[5])
            yield instruction.text[: found.start()] + every + instruction.text[found.end() :]
