"""Formulas as text: precedence, referents, and errors that point at the words."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Next,
    Not,
    Or,
    Prop,
    Referent,
    Relation,
    Until,
    WeakNext,
)
from sayso.logic.text import parse, to_text

A, B, C = Prop("a"), Prop("b"), Prop("c")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("a | b & c", Or((A, And((B, C))))),
        ("a & b U c", And((A, Until(B, C)))),
        ("a U b U c", Until(A, Until(B, C))),
        ("!a U b", Until(Not(A), B)),
        ("a -> b -> c", Or((Not(A), Or((Not(B), C))))),
        ("a <-> b", And((Or((Not(A), B)), Or((Not(B), A))))),
        ("~a && b || c", Or((And((Not(A), B)), C))),
        ("X WX a()", Next(WeakNext(A))),
        ("F a & G(b)", And((Eventually(A), Always(B)))),
        ("(a & b) & c", And((And((A, B)), C))),
    ],
)
def test_operators_bind_as_documented(text, formula):
    assert parse(text) == formula
    assert parse(to_text(formula)) == formula


def test_the_example_is_printed_as_people_write_it():
    text = "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"
    assert to_text(parse(text)) == text
    assert to_text(parse(text, grounded=True)) == text


def test_a_description_becomes_a_referent():
    text = "F(holding(a small_red_plush_toy::isbetween(mug, all bowl)::isleftof(plate)))"
    (prop,) = parse(text).arg.args
    assert prop == Referent(
        "plush toy",
        ("red", "small"),
        (
            Relation("isbetween", (Referent("mug"), Referent("bowl", quantifier="all"))),
            Relation("isleftof", (Referent("plate"),)),
        ),
        "a",
    )


def test_a_colour_alone_is_a_noun():
    assert parse("holding(orange)").args == (Referent("orange"),)
    assert parse("holding(a)").args == (Referent("a"),)


def test_grounded_arguments_are_names():
    assert parse("on(red_block_2, plate)", grounded=True).args == ("red_block_2", "plate")


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("F(on(a, b)", "", "expected ')', found the end"),
        ("F(on(b c))", "c", "expected ')', found 'c'"),
        ("a & & b", "&", "expected a proposition"),
        ("a $ b", "$", "'$' is no part of a formula"),
        ("a b", "b", "expected an operator or the end"),
        ("", "", "found the end"),
        ("on(x::isnear(y))", "isnear", "no comparator 'isnear'"),
        ("on(x::isbetween(y))", "isbetween", "takes 2 descriptions, got 1"),
        ("on(, y)", ",", "expected a description"),
        ("U a", "U", "expected a proposition"),
    ],
)
def test_errors_point_at_the_words(text, words, expected):
    with pytest.raises(SaySoError, match="character") as error:
        parse(text)
    assert error.value.code == Code.NOT_UNDERSTOOD
    assert expected in error.value.message
    span = error.value.span
    assert text[span.start : span.end] == words


def test_an_unknown_comparator_lists_the_known_ones():
    with pytest.raises(SaySoError) as error:
        parse("on(x::isnear(y))")
    assert "isnextto" in error.value.choices


@pytest.mark.parametrize("text", ["(" * 5000 + "a", "!" * 5000 + "a"])
def test_bottomless_nesting_is_refused(text):
    with pytest.raises(SaySoError, match="nested deeper"):
        parse(text)


def test_grounded_text_has_no_descriptions():
    with pytest.raises(SaySoError, match="expected"):
        parse("on(a red_block, plate)", grounded=True)
