"""Formulas and their meaning in English, one pair in two lines of `logic_read_back.txt`."""

from pathlib import Path

import pytest

from sayso.core.library import builtin_path, load
from sayso.logic.english import read_back
from sayso.logic.text import parse

PREDICATES = load(builtin_path()).predicates
LINES = Path(__file__).with_name("logic_read_back.txt").read_text(encoding="utf-8").splitlines()
PAIRS = list(zip(LINES[::2], map(str.strip, LINES[1::2]), strict=True))


@pytest.mark.parametrize(("text", "english"), PAIRS, ids=LINES[::2])
def test_read_back(text, english):
    assert read_back(parse(text), PREDICATES) == english


def test_the_file_covers_many_formulas():
    assert len(PAIRS) >= 30
    assert len({english for _, english in PAIRS}) == len(PAIRS)
