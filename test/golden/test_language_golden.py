"""Instructions and the formulas that they mean, from `language_instructions.txt`.

Each case is two lines: the instruction, then the formula indented.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.text import parse, to_text

_FILE = Path(__file__).with_name("language_instructions.txt")
_CASES = [tuple(case.split("\n    ")) for case in _FILE.read_text().strip().split("\n\n")]
LEXICON = Lexicon.of(load(builtin_path()))


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
