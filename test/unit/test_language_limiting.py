"""The words that limit are one list, which has every such word of the grammar."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from sayso.language import asides
from sayso.language.limiting import DENYING, LIMITING
from sayso.language.units import may_limit

GRAMMAR = (resources.files("sayso.language") / "english.grammar").read_text(encoding="utf-8")
RULES = (
    "never", "not_ever", "must_not", "making_sure", "excepting", "until", "only_from",
    "only_bound", "limit", "at_the_most", "capped", "no_sooner", "only", "alone_one", "off_limits",
)  # fmt: skip

FILLING = ({"just"}, {"up", "to"})
"""Phrases that limit only in their place, and elsewhere say nothing: "just put it there"."""


def alternatives(rule: str) -> list[set[str]]:
    """The words of each alternative of a rule, those of its brackets included; none of what only
    names another rule."""
    body = re.search(rf"^{rule} = (.*(?:\n .*)*)", GRAMMAR, re.MULTILINE)
    assert body is not None
    found, depth, start = [], 0, 0
    text = re.sub(r"#.*|->[^|\n]*|\S*<\w+>|\{\w+\}|\w+:(?=[(\[])|!\d", " ", body[1])
    for at, mark in enumerate(f"{text}|"):
        depth += (mark in "([") - (mark in ")]")
        if mark == "|" and depth == 0:
            found.append(set(re.findall(r"[a-z']+", text[start:at])))
            start = at + 1
    return [words for words in found if words]


@pytest.mark.parametrize("rule", RULES)
def test_each_limiting_phrase_of_the_grammar_has_a_limiting_word(rule: str) -> None:
    phrases = alternatives(rule)
    assert phrases
    assert [w for w in phrases if w.isdisjoint(LIMITING) and w not in FILLING] == []


def test_whatever_passes_words_over_knows_all_of_them() -> None:
    assert LIMITING <= asides.MATTERS
    assert all(may_limit([word]) for word in LIMITING)
    assert DENYING < LIMITING
