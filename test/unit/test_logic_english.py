"""The wording of descriptions and formulas."""

from itertools import product

import pytest

from sayso.core.library import builtin_path, load
from sayso.logic.english import clause, describe, read_back
from sayso.logic.formula import (
    Always,
    And,
    Bottom,
    Eventually,
    Next,
    Not,
    Or,
    Prop,
    Referent,
    Relation,
    Release,
    Top,
    Until,
    WeakNext,
    clauses,
)
from sayso.logic.text import parse

PREDICATES = load(builtin_path()).predicates


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("red_block", "the red block"),
        ("a orange_bowl", "an orange bowl"),
        ("all small_red_block", "every small red block"),
        ("red_block::isleftof(mug)", "the red block left of the mug"),
        (
            "block::isleftof(mug::isnextto(plate))",
            "the block left of (the mug next to the plate)",
        ),
        (
            "block::isleftof(mug)::isnextto(plate)",
            "the block left of the mug and next to the plate",
        ),
        ("block::isbetween(mug, a bowl)", "the block between the mug and a bowl"),
        ("a soda_1", "soda 1"),
        ("a red_soda_2::isleftof(mug)", "red soda 2 left of the mug"),
    ],
)
def test_descriptions(text, words):
    (referent,) = parse(f"holding({text})").args
    assert describe(referent) == words


@pytest.mark.parametrize(
    ("comparator", "words"),
    [
        ("isnextto", "the can with no mug next to it"),
        ("isbelow", "the can with no mug on it"),
        ("isleftof", "the can with no mug left of it"),
    ],
)
def test_a_thing_is_told_by_what_is_not_beside_it(comparator, words):
    none = Relation(comparator, (Referent("mug", quantifier="no"),))
    assert describe(Referent("can", relations=(none,))) == words


def test_names_of_objects_read_as_words():
    assert describe("red_block_2") == "the red block 2"


def test_a_predicate_without_english_is_read_as_its_text():
    assert clause(Prop("near", ("mug",)), {}) == "near(the mug)"
    assert clause(Prop("near", ("mug",)), {}, positive=False) == "not near(the mug)"


def test_no_two_small_formulas_read_alike():
    by_words = {}
    for formula in _formulas():
        words = read_back(formula, PREDICATES)
        other = by_words.setdefault(words, formula)
        assert clauses(other) == clauses(formula), words


def _formulas():
    """All formulas of up to three operators over two literals."""
    p, q = Prop("open", ("drawer",)), Prop("on", ("mug", "plate"))
    small = [p, q, Top(), Bottom()]
    middle = [*small, *_larger(small, small)]
    yield from middle
    for f in _larger(middle, [p, Not(q), Eventually(q), Next(Eventually(p)), Or((Not(p), q))]):
        yield f
        yield Eventually(f)
        yield Or((f, q))


def _larger(left, right):
    for kind in (Not, Next, WeakNext, Eventually, Always):
        yield from map(kind, left)
    for a, b in product(left, right):
        yield from (Until(a, b), Release(a, b), Until(b, a), Release(b, a))
        if a != b:
            yield from (And((a, b)), Or((a, b)), And((b, a)), Or((b, a)))
    yield from (And((a, *right[:2])) for a in left)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        (
            "all x in block: (G(!touching(x)))",
            "For each block: at all times the robot does not touch that block.",
        ),
        ("F(all x in block: (in(x, bowl)))", "At some point: every block is in the bowl."),
        (
            "F(all x in block: (some y in bowl: (in(x, y))))",
            "At some point: for each block: for some bowl: that block is in that bowl.",
        ),
        (
            "some x in block: (some y in block other than x: (F(on(x, y))))",
            "For some block: for some second block other than that block: "
            "at some point that block is on that second block.",
        ),
        (
            "at least 2 x in red_block::isleftof(mug) other than green_block: (F(in(x, bowl)))",
            "For at least 2 red blocks left of the mug other than the green block: "
            "at some point that red block is in the bowl.",
        ),
        (
            "G(at most 1 x in block: (touching(x)))",
            "At all times: for at most 1 block: the robot touches that block.",
        ),
    ],
)
def test_quantified_formulas_in_words(text: str, english: str) -> None:
    assert read_back(parse(text), PREDICATES) == english
