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


CLAUSES = (
    "the mug is on the tray", "the mug is not on the tray", "the mug is in the drawer",
    "the mug is not in the drawer", "the mug is above the tray", "my hand is empty",
    "my hand is not empty", "the drawer is closed", "the drawer is not closed",
)  # fmt: skip
WORDS = (
    "mug",
    "tray",
    "drawer",
    "hand",
    "is",
    "the",
    "not",
    "closed",
    "empty",
    "on",
    "in",
    "never",
)


def read_back(needs, effects):
    return (
        f"From 3 demonstrations: I can put the mug on the tray when {', '.join(needs)}. "
        f"Afterwards {', '.join(effects)}. Is this right?"
    )


some = st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=3)
LEARNED = read_back(CLAUSES[5:9:2], CLAUSES[:4:3])


def content(words):
    return [w for w in words.split() if w not in ("is", "the")]


@given(some, some, st.lists(st.sampled_from(WORDS), min_size=1))
def test_a_yes_with_a_condition_is_no_yes(needs, effects, words):
    asked = read_back(needs, effects)
    assert judged(f"Yes, but only if {' '.join(words)}", asked) is not Judgement.YES


@given(some, some, st.lists(st.sampled_from(WORDS), min_size=1))
def test_a_yes_with_words_of_the_question_is_a_yes_only_where_they_are_a_clause_of_it(
    needs, effects, words
):
    said, asked = " ".join(words), read_back(needs, effects)
    if content(said) not in map(content, (*needs, *effects)):
        assert judged(f"Yes, {said}.", asked) is not Judgement.YES
        assert judged(f"Ok {said}", asked) is not Judgement.YES


@given(some, some, st.sampled_from(CLAUSES))
def test_after_a_yes_a_clause_is_agreed_to_or_told_and_after_a_no_told(needs, effects, clause):
    asked, known = read_back(needs, effects), clause in (*needs, *effects)
    assert (judged(f"Yes, {clause}.", asked) is Judgement.YES) is known
    assert judged(f"No, {clause}.", asked) is Judgement.CORRECTION


@pytest.mark.parametrize(
    "words",
    [
        "yes, avoid the tray", "yes, never with an empty tray", "yes, nothing in the drawer",
        "yes, keep the drawer closed", "yes, the other hand is empty", "sure, put it in the drawer",
    ],
)  # fmt: skip
def test_what_ends_like_the_question_is_told_none_the_less(words):
    assert judged(words, LEARNED) is Judgement.CORRECTION


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("Yes, hold on.", "unclear"),
        ("yes wait", "unclear"),
        ("No, hang on a second...", "unclear"),
        ("Hold on. Yes.", "yes"),
        ("I have changed my mind, yes", "unclear"),
        ("yes I changed my mind", "unclear"),
        ("I changed my mind, no.", "no"),
        ("Yes, hold on to the tray.", "correction"),
        ("Not wrong.", "yes"),
        ("That's not wrong", "yes"),
        ("It is not incorrect.", "yes"),
        ("not false", "yes"),
        ("Not entirely wrong.", "unclear"),
        ("Never mind, forget that I asked.", "stop"),
        ("Enough questions, get on with your work.", "stop"),
    ],
)
def test_what_is_held_back_denied_twice_or_dropped(words, means):
    assert judged(words, LEARNED).value == means


@given(st.text())
def test_any_text_is_judged(text):
    assert judged(text) in Judgement
