"""Grammars as text: what a mistake in one says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

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


def test_what_cannot_begin_or_go_on_is_passed_over_and_nothing_else() -> None:
    grammar = Grammar(
        ['a = [x] y | <b> z | <b> <c>* w | x "," <a>\nb = x | x y | <c> <c>\nc = u | v u'], {}, {}
    )
    said = re.compile(r"(x , )*((x )?y |(x (y )?|(v )?u (v )?u )(z |((v )?u )*w ))")
    for length in range(1, 6):
        for words in product("xyzwuv,", repeat=length):
            read = Chart(grammar, words, {}, 10_000).readings("a")
            assert bool(read) == bool(said.fullmatch(" ".join((*words, "")))), words


def test_where_words_end_too_early_is_told_with_what_may_come() -> None:
    grammar = Grammar(["a = x y z | x <b>\nb = u v | w"], {}, {})
    chart = Chart(grammar, ["x", "q"], {}, 100)
    assert not chart.readings("a")
    assert (chart.reached, chart.expected) == (1, {"y", "u", "w"})


def test_words_of_a_slot_are_found_behind_others() -> None:
    def slot(words: Sequence[str], at: int) -> Iterator[tuple[int, str]]:
        if words[at] == "y":
            yield at + 1, "y"

    grammar = Grammar(["a = x what:{b} -> B"], {"b": (slot, frozenset({"y"}))}, {"B": _second_word})
    assert Chart(grammar, ["x", "y"], {}, 100).readings("a") == {"y": 0}
    assert not Chart(grammar, ["x", "z"], {}, 100).readings("a")


def _second_word(_: tuple[int, int], what: str) -> str:
    return what
