"""Measures of formulas, against values counted by hand."""

from __future__ import annotations

import pytest

from sayso.evaluation.measures import (
    WordErrors,
    aligned,
    avoided,
    closeness,
    edit_distance,
    equivalent,
    word_errors,
)
from sayso.logic.text import parse


@pytest.mark.parametrize(
    ("said", "meant", "errors"),
    [
        ("red sofa", "red sofa", 0),
        ("sofa", "red sofa", 1),
        ("big red sofa", "red sofa", 1),
        ("red couch", "red sofa", 1),
        ("", "red sofa", 2),
        ("sofa red", "red sofa", 2),
    ],
)
def test_edit_distance_counts_words(said: str, meant: str, errors: int) -> None:
    assert edit_distance(tuple(said.split()), tuple(meant.split())) == errors


def test_word_errors_do_not_depend_on_the_order_of_things() -> None:
    said, meant = [("red", "sofa"), ("bed",)], [("bed",), ("blue", "sofa"), ("sink",)]
    assert word_errors(said, meant) == word_errors(said[::-1], meant[::-1]) == WordErrors(2, 4)
    assert WordErrors(2, 4).rate == 0.5
    assert WordErrors(1, 0).rate == 1.0
    assert WordErrors(0, 0).rate == 0.0


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("F(near(sofa) & F(near(bed)))", "F(near(bed)) & F(near(sofa) & F(near(bed)))", True),
        ("F(near(sofa) & F(near(bed)))", "F(near(sofa)) & F(near(bed))", False),
        ("F(near(a sofa))", "F(near(sofa))", True),
        ("F(near(all sofa))", "F(near(sofa))", False),
        ("F(near(sofa::isbehind(bed)))", "F(near(sofa))", False),
        ("F(near(sofa::isbehind(bed)::isnextto(tv)))", "F(near(sofa::isnextto(tv)::isbehind(bed)))",
         True),
    ],
)  # fmt: skip
def test_equivalence(a: str, b: str, same: bool) -> None:
    assert equivalent(parse(a), parse(b)) is same


def test_equivalence_under_a_condition() -> None:
    a, b = parse("G(!near(a1) | G(!near(b1)))"), parse("G(!near(a1) | WX(G(!near(b1))))")
    assert not equivalent(a, b)
    assert equivalent(a, b, given=parse("G(!(near(a1) & near(b1)))"))


@pytest.mark.parametrize(
    ("said", "meant", "expected"),
    [
        ("F(near(couch) & F(near(bed)))", "F(near(sofa) & F(near(bed)))", True),
        ("F(near(x) & F(near(y)))", "F(near(sofa) & F(near(bed)))", True),
        ("F(near(x)) & F(near(y))", "F(near(sofa) & F(near(bed)))", False),
        ("F(holding(x) & F(placed(x, y)))", "F(holding(mug) & F(placed(mug, bed)))", True),
        ("F(holding(x) & F(placed(z, y)))", "F(holding(mug) & F(placed(mug, bed)))", False),
        ("F(near(x)) & G(!near(y))", "F(near(bed)) & G(!near(sofa))", True),
    ],
)
def test_alignment_is_equivalence_after_renaming(said: str, meant: str, expected: bool) -> None:
    assert aligned(parse(said), parse(meant)) is expected


def test_what_is_avoided() -> None:
    formula = parse("F(near(bed)) & G(!near(red_sofa)) & (!near(tv) U near(sink))")
    assert [r.noun for r in avoided(formula)] == ["sofa", "tv"]


def test_closeness_of_an_answer_and_of_none() -> None:
    meant = parse("F(near(red_sofa::isnextto(green_bed))) & G(!near(tv))")
    near = closeness(parse("F(near(sofa::isnextto(bed))) & G(!near(tv))"), meant)
    assert near.referents == WordErrors(1, 3)
    assert near.avoidance == WordErrors(0, 1)
    assert near.spatial == WordErrors(1, 3)
    assert near.aligned and not near.equivalent
    none = closeness(None, meant)
    assert none.referents == WordErrors(3, 3)
    assert not none.aligned
    assert closeness(parse("F(near(bed))"), parse("F(near(bed))")).avoidance is None
