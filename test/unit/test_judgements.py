"""What a person's answer to "is that right?" does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.language.judgements import Judgement, judged

SAID = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "answers_to_a_learner.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("said", SAID, ids=lambda s: s["text"])
def test_what_people_answer(said):
    assert judged(said["text"], said["question"]).value == said["means"]


WORDS = ("glass", "table", "lid", "it", "is", "not", "wet", "never", "two", "under")


@given(st.lists(st.sampled_from(WORDS), min_size=1))
def test_a_yes_with_a_condition_is_no_yes(words):
    assert judged(f"Yes, but only if {' '.join(words)}") is not Judgement.YES


@given(st.lists(st.sampled_from(WORDS)))
def test_a_yes_with_something_that_is_not_understood_is_no_yes(words):
    assert judged(f"Yes, {' '.join(words)} glass.") is not Judgement.YES


@given(st.text())
def test_any_text_is_judged(text):
    assert judged(text) in Judgement
