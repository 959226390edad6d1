"""Grammars as text: what a mistake in one says."""

from __future__ import annotations

import pytest

from sayso.language.chart import Chart
from sayso.language.grammar import Grammar


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = <b>", "no rule 'b'"),
        ("a = {b}", "no slot 'b'"),
        ("a = x -> B", "nothing makes 'B'"),
        ("a = ( x", "a bracket is open"),
        ("a = x ]", "out of place"),
        ("a = x\na = y", "'a' is defined before"),
    ],
)
def test_a_mistake_is_named(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Grammar([text], {}, {})


def test_no_text_changes_a_rule_of_another_unless_it_says_so() -> None:
    with pytest.raises(ValueError, match="'a' is defined before"):
        Grammar(["a = x", "a = y"], {}, {})
    grammar = Grammar(["a = x", "a += y"], {}, {})
    read = {word: Chart(grammar, [word], {}, 100).readings("a") for word in ("x", "y", "z")}
    assert read == {"x": {"x": 0}, "y": {"y": 0}, "z": {}}
