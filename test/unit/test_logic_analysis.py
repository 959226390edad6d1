"""Prohibitions, conflicts, what remains, and automata in words and pictures."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.logic.analysis import forbidden, remaining, transitions_in_words
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import Prop, clauses
from sayso.logic.progression import (
    conflict,
    explain_contradiction,
    is_endless,
    progression_of,
)
from sayso.logic.semantics import satisfies
from sayso.logic.text import parse, to_text

PREDICATES = load(builtin_path()).predicates
EXAMPLE = "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"


def grounded(text):
    return parse(text, grounded=True)


def test_clauses_are_the_conjuncts_at_every_depth():
    assert list(map(to_text, clauses(parse("a & (b & (c | d))")))) == ["a()", "b()", "c() | d()"]
    assert clauses(parse("F(a & b)")) == (parse("F(a & b)"),)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (EXAMPLE, ["touching(mug)"]),
        ("G(!a & !b) & F(c)", ["a()", "b()"]),
        ("G(!(a | b))", ["a()", "b()"]),
        ("G(!(a & b))", []),
        ("F(a) & (G(!b) | F(c))", []),
        ("G(a -> !b)", []),
    ],
)
def test_forbidden_propositions(text, names):
    assert list(map(to_text, forbidden(grounded(text)))) == names


@pytest.mark.parametrize(
    ("text", "endless"),
    [
        ("G(F(near(sink))) & G(!near(cat))", True),
        ("F(near(bed)) & G(F(near(sink)) & !near(cat))", True),
        (EXAMPLE, False),
        ("G(F(near(sink) & F(near(bed))))", True),
        ("F(G(near(sink)))", False),
        ("G(!near(bed) | F(near(sink)))", False),
    ],
)
def test_a_task_is_endless_if_something_is_to_recur(text, endless):
    assert is_endless(grounded(text)) == endless


def test_what_remains_is_the_easiest_way_without_precautions():
    automaton = automaton_of(grounded(EXAMPLE))
    red, blue = "the red block is on the plate", "the blue block is on the red block"
    assert remaining(automaton, automaton.initial, PREDICATES) == (red, blue)
    placed = automaton.step(0, {Prop("on", ("red_block", "plate"))})
    assert remaining(automaton, placed, PREDICATES) == (blue,)
    done = automaton.step(placed, {Prop("on", ("blue_block", "red_block"))})
    assert remaining(automaton, done) == ()
    trap = automaton.step(0, {Prop("touching", ("mug",))})
    assert remaining(automaton, trap) == ()


def test_what_remains_names_the_easier_alternative():
    automaton = automaton_of(parse("F(a & b) | F(c)"))
    assert remaining(automaton, 0) == ("c()",)


def test_a_needed_absence_remains():
    assert remaining(automaton_of(parse("F(!a)")), 0) == ("not a()",)


def test_a_contradiction_names_only_the_parts_in_conflict():
    formula = parse("F(a) & F(b) & G(!a | c) & F(d) & G(!c)")
    assert list(map(to_text, conflict(formula))) == ["F(a())", "G(!a() | c())", "G(!c())"]


def test_a_contradiction_is_explained_in_text_and_english():
    formula = grounded(f"{EXAMPLE} & F(touching(mug))")
    with pytest.raises(SaySoError) as error:
        progression_of(formula, PREDICATES)
    assert error.value.code == Code.CONTRADICTION
    assert error.value.message == (
        "these cannot be fulfilled together: "
        "G(!touching(mug)) (At all times: the robot does not touch the mug.); "
        "F(touching(mug)) (At some point: the robot touches the mug.)"
    )


def test_a_single_part_can_contradict_itself():
    assert explain_contradiction(parse("F(a & !a) & F(b)")).startswith(
        "this can never be fulfilled: F(a() & !a())"
    )
    assert explain_contradiction(parse("F(a)")) == ""


def test_a_doubled_conflicting_part_is_named_once():
    assert len(conflict(parse("F(a) & F(a) & G(!a)"))) == 2


def test_transitions_in_words():
    sentences = transitions_in_words(automaton_of(grounded("F(open(drawer))")), PREDICATES)
    assert sentences == (
        "From state 0, the start, to state 1 when the drawer is open.",
        "State 1: the task is fulfilled whatever happens.",
    )


def test_transitions_in_words_say_how_much_is_left_out():
    automaton = automaton_of(parse("F(a) & F(b) & F(c)"))
    assert transitions_in_words(automaton, limit=1)[-1] == "7 more states are not shown."


def test_an_automaton_backend_must_exist():
    with pytest.raises(SaySoError) as error:
        automaton_of(parse("a"), "mona")
    assert error.value.code == Code.CONFIG
    assert "spot" in error.value.choices


def test_an_empty_trace_is_no_trace():
    with pytest.raises(SaySoError) as error:
        satisfies(parse("true"), [])
    assert error.value.code == Code.INVALID
