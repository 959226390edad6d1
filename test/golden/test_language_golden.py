"""Instructions and the formulas that they mean, from `language_instructions.txt` and
`language_flat.txt`, and near ones that are not read, from `language_asked.txt`.

Each case is two lines: the instruction, then the formula indented; of those that are not read one
line, after the name of the library.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.text import parse, to_text


def _cases(name: str) -> list[tuple[str, ...]]:
    text = Path(__file__).with_name(name).read_text()
    return [tuple(case.split("\n    ")) for case in text.strip().split("\n\n")]


_CASES = _cases("language_instructions.txt")
_FLAT_CASES = _cases("language_flat.txt")
LEXICON = Lexicon.of(load(builtin_path()))
FLAT_LEXICON = Lexicon.of(load(builtin_path("flat")))
_ASKED = [
    tuple(line.split(": ", 1))
    for line in Path(__file__).with_name("language_asked.txt").read_text().splitlines()
]


def test_there_are_enough_cases() -> None:
    assert len(_CASES) >= 60
    assert len({text for text, _ in _CASES}) == len(_CASES)


@pytest.mark.parametrize(("instruction", "formula"), _CASES)
def test_means(instruction: str, formula: str) -> None:
    spec = interpret(instruction, LEXICON)
    assert to_text(spec.formula) == formula
    assert parse(formula) == spec.formula
    assert spec.instruction == instruction
    assert spec.version == 1


@pytest.mark.parametrize(("instruction", "formula"), _FLAT_CASES)
def test_means_in_a_flat(instruction: str, formula: str) -> None:
    spec = interpret(instruction, FLAT_LEXICON)
    assert to_text(spec.formula) == formula
    assert parse(formula) == spec.formula


@pytest.mark.parametrize(("library", "instruction"), _ASKED)
def test_near_ones_of_another_meaning_are_asked_back(library: str, instruction: str) -> None:
    with pytest.raises(SaySoError) as raised:
        interpret(instruction, FLAT_LEXICON if library == "flat" else LEXICON)
    assert raised.value.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
