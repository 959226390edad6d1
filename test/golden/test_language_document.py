"""The examples of the pages on controlled English mean what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.text import to_text

_DOCS = Path(__file__).parents[2] / "docs"
_ROW = re.compile(r"^\| [^|]+ \| ([A-Z][^|]+\.) \| `(.+)` \|$", re.MULTILINE)


def _rows(page: str) -> list[tuple[str, str]]:
    found = _ROW.findall((_DOCS / page).read_text())
    return [(text, formula.replace("\\|", "|")) for text, formula in found]


_ROWS = _rows("controlled-english.md")
_FLAT_ROWS = _rows("controlled-english-flat.md")
LEXICON = Lexicon.of(load(builtin_path()))
FLAT_LEXICON = Lexicon.of(load(builtin_path("flat")))


def test_the_rows_are_found() -> None:
    assert len(_ROWS) >= 20
    assert len(_FLAT_ROWS) >= 14


@pytest.mark.parametrize(("instruction", "formula"), _ROWS)
def test_example(instruction: str, formula: str) -> None:
    assert to_text(interpret(instruction, LEXICON).formula) == formula


@pytest.mark.parametrize(("instruction", "formula"), _FLAT_ROWS)
def test_example_in_a_flat(instruction: str, formula: str) -> None:
    assert to_text(interpret(instruction, FLAT_LEXICON).formula) == formula
