"""Generated instructions mean what their generator says; arbitrary words never crash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language import offers
from sayso.language.controlled_english import interpret
from sayso.language.corrections import correct
from sayso.language.entities import same_thing
from sayso.language.inflection import gerund as in_ing
from sayso.language.lexicon import Lexicon
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import (
    COLORS,
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Prop,
    Referent,
    Relation,
    conjunction,
    referents_of,
)
from sayso.logic.semantics import satisfies
from sayso.logic.text import parse, to_text

LEXICON = Lexicon.of(load(builtin_path()))
SETTINGS = settings(derandomize=True, deadline=None, max_examples=60)
Phrase = tuple[str, Referent]
Clause = tuple[str, Formula]

NOUNS = ("block", "mug", "plate", "bowl", "coaster", "plush toy", "drawer")
SMALL = ("block", "mug", "plate", "bowl", "coaster", "plush toy")
TAKES_THINGS = {"on": ("block", "plate", "coaster"), "in": ("bowl", "drawer")}
SIDES = (
    ("left of", "isleftof"),
    ("to the right of", "isrightof"),
    ("behind", "isbehind"),
    ("in front of", "isinfrontof"),
    ("next to", "isnextto"),
)
RELATIONS = (("above", "isabove"), ("that is below", "isbelow"))


@st.composite
def phrases(
    draw: st.DrawFn, depth: int = 2, nouns: Sequence[str] = NOUNS, placed: bool = False
) -> Phrase:
    """A thing; where it is placed, its sides are told in a clause: they may also say where to."""
    noun = draw(st.sampled_from(nouns))
    color = draw(st.sampled_from(["", *COLORS]))
    size = draw(st.sampled_from(["", "small", "big"]))
    text = " ".join(w for w in ("the", size, color, noun) if w)
    relations: tuple[Relation, ...] = ()
    match draw(st.integers(0, 3)) if depth else 0:
        case 1:
            words, comparator = draw(st.sampled_from((*SIDES, *RELATIONS)))
            if placed and (words, comparator) in SIDES:
                words = f"that is {words}"
            other_text, other = draw(phrases(depth - 1, placed=placed))
            text, relations = f"{text} {words} {other_text}", (Relation(comparator, (other,)),)
        case 2:
            a_text, a = draw(phrases(0))
            b_text, b = draw(phrases(depth - 1, placed=placed))
            text += f" between {a_text} and {b_text}"
            relations = (Relation("isbetween", (a, b)),)
    attributes = tuple(sorted(w for w in (size, color) if w))
    return text, Referent(noun, attributes, relations)


@st.composite
def clauses(draw: st.DrawFn, gerund: bool = False) -> Clause:
    verb, make = draw(
        st.sampled_from(
            [
                ("put", "place"), ("move", "place"), ("pick up", "holding"), ("grasp", "holding"),
                ("touch", "touching"), ("open", "open"), ("close", "closed"),
            ]
        )
    )  # fmt: skip
    nouns = {"touching": NOUNS, "open": ("drawer",), "closed": ("drawer",)}.get(make, SMALL)
    text, thing = draw(phrases(nouns=nouns, placed=make == "place"))
    spoken = in_ing(verb) if gerund else verb
    if make != "place":
        return f"{spoken} {text}", Prop(make, (thing,))
    preposition, predicate = draw(
        st.sampled_from([("on", "on"), ("onto", "on"), ("in", "in"), ("into", "in")])
    )
    if draw(st.integers(0, 4)) == 0:
        return f"{spoken} {text} on the table", Prop("on_table", (thing,))
    where_text, where = draw(phrases(1, TAKES_THINGS[predicate], placed=True))
    return f"{spoken} {text} {preposition} {where_text}", Prop(predicate, (thing, where))


def in_order(states: list[Formula]) -> Formula:
    """F(a & F(b & F(c)))."""
    first, *rest = reversed(states)
    return reduce(lambda inner, s: Eventually(conjunction(s, inner)), rest, Eventually(first))


@SETTINGS
@given(st.lists(clauses(), min_size=1, max_size=4), st.data())
def test_steps_joined_by_then_nest(steps: list[Clause], data: st.DataObject) -> None:
    text = steps[0][0]
    for more, _ in steps[1:]:
        text += data.draw(st.sampled_from([", then ", " and then ", ". ", ". Then ", ", finally "]))
        text += more
    assert interpret(text, LEXICON).formula == in_order([s for _, s in steps])


def said_in_full(step: Clause, forbidden: Iterable[Clause]) -> bool:
    """Whether no rule repeats, in fewer words, what the step named."""
    named = referents_of(step[1])
    return all(same_thing(r, named) == [r] for _, s in forbidden for r in referents_of(s))


@SETTINGS
@given(clauses(), st.lists(clauses(), min_size=1, max_size=2))
def test_never_adds_a_rule(step: Clause, forbidden: list[Clause]) -> None:
    assume(said_in_full(step, forbidden))
    text = ". ".join((step[0], *(f"Never {t}" for t, _ in forbidden)))
    rules = [Always(Not(s)) for _, s in forbidden]
    assert interpret(text, LEXICON).formula == conjunction(Eventually(step[1]), *rules)


@SETTINGS
@given(clauses(), clauses())
def test_before_and_after_are_opposites(a: Clause, b: Clause) -> None:
    wanted = in_order([a[1], b[1]])
    for text in (
        f"{b[0]} after you {a[0]}",
        f"After you {a[0]}, {b[0]}",
        f"{b[0]}, but before that {a[0]}",
    ):
        assert interpret(text, LEXICON).formula == wanted, text
    for text in (f"{a[0]} before you {b[0]}", f"Before you {b[0]}, {a[0]}"):
        formula = interpret(text, LEXICON).formula
        assert not automaton_of(And((formula, Not(wanted)))).satisfiable, text
        if isinstance(a[1], Prop) and isinstance(b[1], Prop) and a[1] != b[1]:
            assert not satisfies(formula, [{b[1]}, {a[1]}, {b[1]}]), text


@SETTINGS
@given(clauses(), clauses(gerund=True))
def test_without_and_avoid_forbid(step: Clause, forbidden: Clause) -> None:
    assume(said_in_full(step, [forbidden]))
    wanted = conjunction(Eventually(step[1]), Always(Not(forbidden[1])))
    for text in (f"{step[0]} without {forbidden[0]}", f"{step[0]}. Avoid {forbidden[0]}."):
        assert interpret(text, LEXICON).formula == wanted, text


@SETTINGS
@given(st.lists(clauses(), min_size=2, max_size=4, unique_by=lambda c: c[1]))
def test_any_order_does_not_nest(steps: list[Clause]) -> None:
    texts = [t for t, _ in steps]
    joined = f"{', '.join(texts[:-1])} and {texts[-1]}"
    wanted = conjunction(*(Eventually(s) for _, s in steps))
    assert interpret(f"{joined} in any order", LEXICON).formula == wanted
    assert interpret(f"In any order, {joined}", LEXICON).formula == wanted


WORDS = st.sampled_from(
    sorted(
        {
            *(w for v in LEXICON.verbs for form in (v, in_ing(v)) for w in form.split()),
            "the", "a", "all", "red", "blue", "small", "block", "blocks", "mug", "plate", "drawer",
            "table", "it", "them", "one", "on", "in", "of", "left", "between", "and", "or", "then",
            ",", ".", "before", "after", "first", "never", "not", "do", "avoid", "without", "if",
            "until", "while", "keep", "always", "either", "both", "twice", "exactly", "at", "least",
            "times", "3", "is", "open", "robot", "holds", "any", "order", "juggle", "that", "next",
            "to", "up", "off", "out", "make", "sure", "please", "otherwise", "whenever", "instead",
        }
    )
)  # fmt: skip


def check_refusal(error: SaySoError, text: str) -> None:
    assert error.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED, Code.CONTRADICTION)
    assert error.span is not None
    assert 0 <= error.span.start <= error.span.end <= len(text)
    assert error.message.endswith(".")


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_words_in_any_order_are_understood_or_refused(text: str) -> None:
    try:
        formula = interpret(text, LEXICON).formula
    except SaySoError as error:
        check_refusal(error, text)
    else:
        assert parse(to_text(formula)) == formula


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        interpret(text, LEXICON)
    except SaySoError as error:
        check_refusal(error, text)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_any_correction_is_understood_or_refused(words: str) -> None:
    spec = interpret("Put the red block on the plate, then pick up the blue block.", LEXICON)
    try:
        corrected = correct(spec, words, LEXICON)
    except SaySoError as error:
        check_refusal(error, words)
    else:
        assert corrected.version == 2


@SETTINGS
@given(clauses())
def test_an_unknown_verb_is_pointed_at(clause: Clause) -> None:
    text = f"Open the drawer, then juggle {clause[0]}"
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    span = caught.value.span
    assert span is not None
    assert text[span.start : span.end] == "juggle"
    assert "put" in caught.value.choices


TELLERS = ("I", "we", "she", "my boss", "nobody", "the weather", "this", "there", "somebody")
TOLD = ("flubbed", "sings", "was", "is", "had", "will be", "saw", "quipped", "zigzags", "knows")
ABOUT = ("", "it", "that", "the idea", "a zebra", "two zebras", "sideways", "tomorrow", "sad",
         "not much", "about the glorp", "in Paris", "the red block", "off", "again")  # fmt: skip
AROUND = ("{o}, {c}.", "{o}, because {c}.", "{o}, which {c}.", "{o}, so that {c}.", "{c}, so {o}.",
          "{c}: {o}.", "{o}, and {c}.", "{o}, but {c}.", "Before I forget, {c}, {o}.", "{o}. {c}.",
          "{o} until I come back, {c}.", "{o}, to be honest, {c}.")  # fmt: skip


@SETTINGS
@given(
    st.sampled_from(AROUND), st.sampled_from(TELLERS), st.sampled_from(TOLD), st.sampled_from(ABOUT)
)
def test_no_word_of_a_clause_is_dropped_in_silence(
    around: str, teller: str, told: str, about: str
) -> None:
    """A word of it that is not read back is told to ask for nothing, or the person is asked."""
    clause = f"{teller} {told} {about}".strip()
    try:
        spec = offers.interpret(around.format(o="put the mug on the tray", c=clause), LEXICON)
    except SaySoError as error:
        assert error.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
        return
    said = " ".join((*spec.assumptions, to_text(spec.formula).replace("_", " ")))
    assert not [w for w in clause.lower().split() if w not in said.lower()]
