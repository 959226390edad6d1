"""The examples of the page on controlled English mean what the page says."""

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


def _rows(part: str) -> list[tuple[str, str]]:
    return [(text, formula.replace("\\|", "|")) for text, formula in _ROW.findall(part)]


_TABLE, _FLAT = (_DOCS / "controlled-english.md").read_text().split("## In a flat")
_ROWS = _rows(_TABLE)
_FLAT_ROWS = _rows(_FLAT)
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
