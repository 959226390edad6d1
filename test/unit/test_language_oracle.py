"""The oracle of `sayso eval language`: its truths and wordings, and that it finds what is wrong."""

from __future__ import annotations

from random import Random

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.cases import Case
from sayso.evaluation.language.constructs import CONSTRUCTS, constructs, draw
from sayso.evaluation.language.judging import difference, judge
from sayso.evaluation.language.meanings import (
    Both,
    Collect,
    Either,
    Fact,
    Facts,
    Finally,
    Goal,
    HoldUntil,
    If,
    Keep,
    Leg,
    Meaning,
    Never,
    NotAfter,
    NotUntil,
    Number,
    Ordered,
    Times,
    Trace,
    Whenever,
    Without,
    readings,
)
from sayso.evaluation.language.phrases import wordings
from sayso.evaluation.language.suite import Language
from sayso.evaluation.language.system import Answer, System
from sayso.evaluation.language.traces import traces
from sayso.evaluation.language.truth import is_true
from sayso.logic.text import parse

A, B, C = (Fact((name,)) for name in "abc")
DO_A, DO_B, DO_C = Goal(A), Goal(B), Goal(C)


def trace(text: str) -> Trace:
    """Steps apart by spaces, a letter for each atom, "-" for none: "a ab -"."""
    return tuple(frozenset((x,) for x in step if x != "-") for step in text.split())


def truths(meaning: Meaning, text: str) -> set[bool]:
    """What all readings say of a trace."""
    return {is_true(meaning, trace(text), reading) for reading in readings(meaning)}


@pytest.mark.parametrize(
    ("meaning", "yes", "no"),
    [
        (DO_A, "- a -", "- b"),
        (Ordered((DO_A, DO_B)), "a b", "b a"),
        (Ordered((DO_A, DO_B), held_back=1), "a - b", "b a b"),
        (Both((DO_A, DO_B)), "ab", "a a"),
        (Ordered((DO_C, DO_A, DO_B), held_back=2), "c a b", "c b a b"),
        (Ordered((DO_C, DO_A, DO_B), held_back=2), "c a b", "a b c a b"),
        (Ordered((Without(DO_A, (C,)), DO_B)), "a b", "c a b"),
        (HoldUntil(A, B), "- a a ab", "a - b"),
        (Leg(A, B, (C,)), "a - b c", "a c b"),
        (Leg(A, B, (C,)), "a c a b", "b a"),
        (Goal(Facts((A, B), "none")), "a - b", "a b ab"),
        (Either((DO_A, DO_B)), "- b", "c"),
        (Either((DO_A, Never((B,)))), "b a", "b c"),
        (Never((A, B)), "- c", "c b"),
        (NotUntil((A, B), C), "- c a", "a c"),
        (NotAfter((A, B), C), "a c -", "c - b"),
        (Without(DO_A, (B,)), "- a", "b a"),
        (If(A, DO_B, DO_C), "a b", "a c"),
        (If(A, DO_B, DO_C), "- c", "b a b"),
        (Whenever(A, DO_B), "a b a b", "a b a"),
        (Whenever(A, DO_B, once=True), "a b", "a -"),
        (Keep(A), "a ab", "a -"),
        (Keep(A, DO_B), "a ab", "- ab"),
        (Finally(A), "- a", "- b"),
        (Times(A, 2, "exactly"), "a - a", "a - a - a"),
        (Times(A, 2, "at least"), "a - a - a", "a a"),
        (Times(A, 1, "at most"), "a a -", "a - a"),
        (Number((A, B, C), 1, "at most"), "a a", "ab"),
        (Number((A, B, C), 1, "at most in all"), "a - a", "a b"),
        (Number((A, B, C), 2, "exactly"), "- ab", "abc"),
        (Collect((DO_A, DO_B, DO_C), least=2), "- ac", "b -"),
        (Collect((DO_A, DO_B)), "ab", "a"),
    ],
)
def test_all_readings_agree_on_clear_courses_of_events(meaning: Meaning, yes: str, no: str) -> None:
    assert truths(meaning, yes) == {True}
    assert truths(meaning, no) == {False}


@pytest.mark.parametrize(
    ("meaning", "text"),
    [
        (Ordered((DO_A, DO_B)), "ab"),
        (Both((DO_A, DO_B)), "b a"),
        (NotUntil((A,), C), "- b"),
        (NotUntil((A,), C), "ac"),
        (NotAfter((A,), C), "ac"),
        (HoldUntil(A, B), "a b"),
        (HoldUntil(A, B), "- a a"),
        (Without(DO_A, (B,)), "a b"),
        (Finally(A), "a -"),
        (Number((A, B), 1, "at most"), "a b"),
    ],
)
def test_what_english_leaves_open_has_readings_that_differ(meaning: Meaning, text: str) -> None:
    assert truths(meaning, text) == {True, False}


@pytest.mark.parametrize(
    ("meaning", "right", "wrong"),
    [
        (Ordered((DO_A, DO_B), held_back=1), "(!b U a) & F(b)", "F(a & F(b))"),
        (Ordered((DO_A, DO_B)), "F(a & F(b))", "F(a) & F(b)"),
        (
            Ordered((DO_C, DO_A, DO_B), held_back=2),
            "!b U (c & (!b U (a & F(b))))",
            "F(c & (!b U (a & F(b))))",
        ),
        (HoldUntil(A, B), "F(a & (a U b))", "F(a & F(b))"),
        (Leg(A, B, (C,)), "F(a & (!c U b))", "F(a & F(b)) & G(!c)"),
        (NotAfter((A,), C), "G(!c | G(!a))", "G(!c | !a)"),
        (Never((Facts((A, B)),)), "G(!(a & b))", "G(!a) & G(!b)"),
        (Either((DO_A, Never((B,)))), "F(a) | G(!b)", "F(a) & G(!b)"),
        (Never((A, B)), "G(!a) & G(!b)", "G(!a) | G(!b)"),
        (NotUntil((A, B), C), "c R (!a & !b)", "(c R !a) | (c R !b)"),
        (Times(A, 1, "at most"), "!F(a & F(!a & F(a)))", "G(!a)"),
        (Collect((DO_A, DO_B, DO_C), least=2), "F(a & b) | F(a & c) | F(b & c)", "F(a & b)"),
        (Keep(A, DO_B), "a U b", "G(!b | a)"),
        (Whenever(A, DO_B), "G(a -> F(b))", "F(a & F(b))"),
    ],
)
def test_a_formula_is_told_right_or_wrong(meaning: Meaning, right: str, wrong: str) -> None:
    for seed in range(5):
        assert difference(meaning, parse(right, grounded=True), Random(seed)) is None
        assert difference(meaning, parse(wrong, grounded=True), Random(seed))


def test_the_courses_of_events_are_true_about_as_often_as_false() -> None:
    atoms = [("a",), ("b",), ("c",)]
    meaning = Ordered((DO_A, DO_B, DO_C), held_back=1)
    reading = next(readings(meaning))
    found = traces(meaning, atoms, lambda t: is_true(meaning, t, reading), Random(0), 80)
    true = sum(is_true(meaning, t, reading) for t in found)
    assert len(found) >= 60
    assert 0.25 < true / len(found) < 0.75


@pytest.mark.parametrize("drives", [False, True])
def test_every_wording_of_every_construct_can_be_filled(drives: bool) -> None:
    for name in constructs(drives):
        for seed in range(12):
            instruction = draw(Random(seed), drives, name)
            assert instruction.text
            assert "{" not in instruction.text
            assert any(True for _ in readings(instruction.meaning))


def test_every_wording_belongs_to_a_construct() -> None:
    assert set(wordings()["constructs"]) == set(CONSTRUCTS)


def test_a_sentence_is_drawn_again_from_its_seed() -> None:
    assert draw(Random(5), True, "then three") == draw(Random(5), True, "then three")


class _Deaf(System):
    """Reads everything as one formula, or refuses."""

    def read(self, text: str, things: object) -> Answer:
        if text.startswith("!"):
            return Answer(error=SaySoError(Code.NOT_UNDERSTOOD, "no."))
        return Answer(parse("true", grounded=True))


def test_what_is_taken_for_anything_is_misread() -> None:
    instruction = draw(Random(1), False, "never")
    verdict = judge(instruction, _Deaf("table"), Random(0))
    assert verdict.outcome == "misread"
    assert verdict.witness


def test_a_case_of_the_suite_says_what_was_said_meant_and_understood() -> None:
    suite = Language(sentences=3, insertions=1)
    cases = suite.cases()
    assert [c.key for c in cases[:4]] == ["table/0", "table/1", "table/2", "table/inserted/0"]
    outcome = suite.run(cases[0], seed=1)
    assert {"text", "meaning", "formula", "right", "misread"} <= set(outcome.measures)
    row = suite.run(Case("x", "flat: goal", dict(cases[4].data)), seed=2)
    assert row.measures["text"]
