"""The examples of docs/controlled-english.md mean what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.text import to_text

_PAGE = Path(__file__).parents[2] / "docs" / "controlled-english.md"
_ROW = re.compile(r"^\| [^|]+ \| ([A-Z][^|]+\.) \| `(.+)` \|$", re.MULTILINE)
_ROWS = [(text, formula.replace("\\|", "|")) for text, formula in _ROW.findall(_PAGE.read_text())]
LEXICON = Lexicon.of(load(builtin_path()))


def test_the_rows_are_found() -> None:
    assert len(_ROWS) >= 20


@pytest.mark.parametrize(("instruction", "formula"), _ROWS)
def test_example(instruction: str, formula: str) -> None:
    assert to_text(interpret(instruction, LEXICON).formula) == formula
