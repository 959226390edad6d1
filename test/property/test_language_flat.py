"""Controlled English of a flat: generated instructions mean what their generator says."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.corrections import correct
from sayso.language.lexicon import Lexicon
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Referent,
    Relation,
    Until,
    conjunction,
)
from sayso.logic.text import parse, to_text

LEXICON = Lexicon.of(load(builtin_path("flat")))
SETTINGS = settings(derandomize=True, deadline=None, max_examples=80)
PLACES = ("sofa", "fridge", "kitchen counter", "glass door", "sink", "bed", "television")
CARRIED = ("mug", "bag of chips", "plush toy", "takis", "book")
RELATIONS = (("next to", "isnextto"), ("behind", "isbehind"), ("on the left of", "isleftof"))


@st.composite
def things(draw: st.DrawFn, nouns: tuple[str, ...] = PLACES) -> tuple[str, Referent]:
    noun, color = draw(st.sampled_from(nouns)), draw(st.sampled_from(["", "red", "blue"]))
    text, attributes = f"the {color} {noun}".replace("  ", " "), (color,) if color else ()
    if draw(st.integers(0, 3)):
        return text, Referent(noun, attributes)
    phrase, comparator = draw(st.sampled_from(RELATIONS))
    other = draw(st.sampled_from(PLACES))
    relation = Relation(comparator, (Referent(other),))
    return f"{text} {phrase} the {other}", Referent(noun, attributes, (relation,))


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, list[Formula]]:
    """An action and the states that it passes, in order."""
    if draw(st.booleans()):
        text, place = draw(things())
        verb = draw(st.sampled_from(["go to", "visit", "navigate to", "find", "move to"]))
        return f"{verb} {text}", [Prop("near", (place,))]
    text, thing = draw(things(CARRIED))
    held = Prop("holding", (thing,))
    if draw(st.booleans()):
        return f"{draw(st.sampled_from(['pick up', 'grab']))} {text}", [held]
    where_text, where = draw(things())
    verb = draw(st.sampled_from(["bring", "take", "move", "carry", "put"]))
    preposition = "on" if verb == "put" else "to"
    return f"{verb} {text} {preposition} {where_text}", [held, Prop("placed", (thing, where))]


def in_order(states: list[Formula]) -> Formula:
    formula: Formula = Eventually(states[-1])
    for state in reversed(states[:-1]):
        formula = Eventually(conjunction(state, formula))
    return formula


def with_what_is_held(states: list[Formula]) -> list[Formula]:
    """The states where "the mug" after "pick up the red mug" is that one."""
    held: Referent | None = None
    found: list[Formula] = []
    for state in states:
        assert isinstance(state, Prop)
        first = state.args[0]
        if held and state.predicate != "near" and first == Referent(held.noun):
            state = Prop(state.predicate, (held, *state.args[1:]))
        if state.predicate == "holding":
            held = state.args[0]  # type: ignore[assignment]
        elif state.predicate == "placed" and state.args[0] == held:
            held = None
        found.append(state)
    return found


def equivalent(a: Formula, b: Formula) -> bool:
    differ = Or((And((a, Not(b))), And((b, Not(a)))))
    return not automaton_of(differ).satisfiable


@SETTINGS
@given(st.lists(steps(), min_size=1, max_size=3), st.data())
def test_steps_are_done_in_the_order_said(tasks: list[tuple[str, list[Formula]]],
                                          data: st.DataObject) -> None:  # fmt: skip
    text = tasks[0][0]
    for more, _ in tasks[1:]:
        text += data.draw(st.sampled_from([", then ", " and then ", ". ", ", after that "])) + more
    expected = in_order(with_what_is_held([s for _, states in tasks for s in states]))
    try:
        assert interpret(f"Hey, can you {text}, please?", LEXICON).formula == expected
    except SaySoError as error:  # "put the mug on the bed next to the sofa" can be read in two ways
        assert error.code is Code.NOT_UNDERSTOOD
        readings = [interpret(choice, LEXICON).formula for choice in error.choices]
        assert any(equivalent(reading, expected) for reading in readings)


@SETTINGS
@given(steps(), things(), st.sampled_from([
    ". Never go near {}", ", but avoid {}", ", in addition always avoid {}",
    " but do not pass by {}", ", in addition you are not permitted to visit {}",
    ", in addition avoid visiting {}",
]))  # fmt: skip
def test_rules_hold_throughout(
    step: tuple[str, list[Formula]], place: tuple[str, Referent], words_: str
) -> None:
    visited = [a for s in step[1] if isinstance(s, Prop) for a in s.args]
    if any(isinstance(a, Referent) and a.noun == place[1].noun for a in visited):
        return  # may be understood as the same place
    formula = interpret(step[0] + words_.format(place[0]), LEXICON).formula
    rule = Always(Not(Prop("near", (place[1],))))
    assert equivalent(formula, conjunction(in_order(step[1]), rule))


@SETTINGS
@given(st.lists(things(), min_size=2, max_size=5, unique_by=lambda t: t[1]))
def test_any_order_and_that_order(places: list[tuple[str, Referent]]) -> None:
    listed = ", ".join(t for t, _ in places[:-1]) + " and " + places[-1][0]
    states: list[Formula] = [Prop("near", (r,)) for _, r in places]
    unordered = conjunction(*map(Eventually, states))
    assert interpret(f"go to {listed} in any order", LEXICON).formula == unordered
    assert interpret(f"visit {listed} in that order", LEXICON).formula == in_order(states)
    strict = interpret(f"visit {listed} in that exact order", LEXICON).formula
    assert not automaton_of(And((strict, Not(in_order(states))))).satisfiable
    for before, later in pairwise(states):
        sooner = Until(Not(before), And((later, Not(before))))
        assert not automaton_of(And((strict, sooner))).satisfiable


@SETTINGS
@given(
    st.lists(steps(), max_size=2),
    st.lists(things(), min_size=2, max_size=4, unique_by=lambda t: t[1]),
    st.sampled_from(["patrol {}", "patrol between {}", "keep visiting {} forever"]),
)
def test_a_patrol_comes_to_each_place_again_and_again(
    before: list[tuple[str, list[Formula]]], places: list[tuple[str, Referent]], verb: str
) -> None:
    listed = ", ".join(t for t, _ in places[:-1]) + " and " + places[-1][0]
    text = ", then ".join([*(t for t, _ in before), verb.format(listed)])
    first = [in_order([s for _, states in before for s in states])] if before else []
    again = [Always(Eventually(Prop("near", (r,)))) for _, r in places]
    formula = interpret(f"{text}, never near the cat", LEXICON).formula
    assert formula == conjunction(*first, *again, Always(Not(Prop("near", (Referent("cat"),)))))


VOCABULARY = st.sampled_from(
    sorted(
        {
            *(w for v in LEXICON.verbs for w in v.split()),
            *("never do not you must make sure to avoid keep away from stay".split()),  # noqa: SIM905
            *PLACES, *CARRIED, "the", "a", "all", "red", "blue", "it", "them", "one", "on", "in",
            "of", "with", "left", "between", "and", "or", "then", ",", ".", "before", "after",
            "first", "if", "until", "while", "either", "alternatively", "in addition", "once",
            "twice", "exactly", "at least", "times", "3", "is", "any order", "in any order",
            "in that exact order", "only", "only after", "only then", "before that", "from",
            "patrol", "keep visiting", "again and again", "forever",
            "me", "i am by", "there is", "all the locations", "please", "juggle", "next to",
        }
    )
)  # fmt: skip


def check(text: str, error: SaySoError) -> None:
    assert error.code in (Code.NOT_UNDERSTOOD, Code.CONTRADICTION, Code.UNSUPPORTED)
    assert error.message.endswith(".")
    if error.span is not None:
        assert 0 <= error.span.start <= error.span.end <= len(text)


@settings(derandomize=True, deadline=None, max_examples=600)
@given(st.lists(VOCABULARY, max_size=14).map(" ".join))
def test_words_in_any_order_are_understood_or_refused(text: str) -> None:
    try:
        formula = interpret(text, LEXICON).formula
    except SaySoError as error:
        check(text, error)
    else:
        assert parse(to_text(formula)) == formula
        assert "speaker" not in to_text(formula)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        interpret(text, LEXICON)
    except SaySoError as error:
        check(text, error)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(VOCABULARY, max_size=8).map(" ".join))
def test_any_correction_is_understood_or_refused(text: str) -> None:
    spec = interpret("Bring the mug to the red sofa, then go to the bed.", LEXICON)
    try:
        corrected = correct(spec, text, LEXICON)
    except SaySoError as error:
        check(text, error)
    else:
        assert corrected.version == 2
