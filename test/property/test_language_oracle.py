"""Drawn sentences are read as they are meant, and nonsense gets a named error."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.evaluation.language.constructs import constructs, draw
from sayso.evaluation.language.fuzz import text
from sayso.evaluation.language.insertion import TELLING, swallowed
from sayso.evaluation.language.judging import judge
from sayso.evaluation.language.system import System, World

KNOWN = json.loads(
    (Path(__file__).parent.parent / "data" / "language" / "drawn_known.json").read_text()
)
"""How many of the drawn sentences are known to be misread: they may only become fewer."""

SENTENCES = 1000
WORLDS: tuple[World, ...] = ("table", "flat")


@pytest.mark.parametrize("world", WORLDS)
def test_no_more_drawn_sentences_are_misread_than_known(world: World) -> None:
    system, names = System(world), constructs(world == "flat")
    misread, examples = Counter[str](), []
    for i in range(SENTENCES):
        rng = Random(f"drawn/{world}/{i}")
        instruction = draw(rng, world == "flat", names[i % len(names)])
        verdict = judge(instruction, system, rng, hints=False)
        if verdict.outcome == "misread":
            misread[instruction.construct] += 1
            examples.append(f"{instruction.construct}: {instruction.text}")
    known = KNOWN["misread"][world]
    assert all(misread[c] <= known.get(c, 0) for c in misread), "\n".join(examples)


@pytest.mark.parametrize("world", WORLDS)
def test_no_more_inserted_words_are_swallowed_than_known(world: World) -> None:
    system, names = System(world), constructs(world == "flat")
    found, tried = [], 0
    for i in range(0, len(names), 8):
        if names[i] in TELLING:
            continue
        rng = Random(f"inserted/{world}/{i}")
        instruction = draw(rng, world == "flat", names[i])
        verdict = judge(instruction, system, rng, hints=False)
        if verdict.outcome == "right" and verdict.answer.formula is not None:
            lost, count = swallowed(instruction, verdict.answer.formula, system, rng)
            found += [f"{s.word}: {s.text}" for s in lost]
            tried += count
    assert tried > 0
    assert len(found) <= KNOWN["swallowed"][world], "\n".join(found)


@pytest.mark.parametrize("world", WORLDS)
@settings(derandomize=True, deadline=None, max_examples=150)
@given(seed=st.integers(0, 10**9))
def test_whatever_is_typed_is_read_or_refused_with_a_named_error(world: World, seed: int) -> None:
    said, things = text(Random(seed), world == "flat")
    error = SYSTEMS[world].read(said, things).error
    assert error is None or error.message
    assert error is None or error.span is None or error.span.end <= len(said) + 1


SYSTEMS = {world: System(world) for world in WORLDS}
