"""What controlled English of a flat refuses and where it points; corrections there."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.corrections import correct
from sayso.language.lexicon import Lexicon
from sayso.logic.english import read_back
from sayso.logic.text import to_text

LIBRARY = load(builtin_path("flat"))
LEXICON = Lexicon.of(LIBRARY)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "Leave the doors as they are.",
            "all x1 in door: (G(closed(x1)) | G(!closed(x1))) & "
            "all x1 in door: (G(open(x1)) | G(!open(x1)))",
        ),
        ("Leave the lamp alone.", "(G(lit(lamp)) | G(!lit(lamp))) & G(!holding(lamp))"),
        ("Leave the lamp where it is.", "G(!holding(lamp))"),
        ("Leave the mug as it is.", "G(!holding(mug))"),
    ],
)
def test_what_is_left_alone_keeps_its_states_and_may_be_gone_near(text: str, formula: str) -> None:
    assert to_text(interpret(text, LEXICON).formula) == formula


@pytest.mark.parametrize(
    ("place", "predicate"),
    [("on {1}", "on"), ("onto {1}", "on"), ("inside {1}", "in"), ("beside {1}", "placed"),
     ("to {1}", None)],
)  # fmt: skip
def test_the_library_says_what_is_so_of_things_at_a_place(
    place: str, predicate: str | None
) -> None:
    assert LEXICON.state_of(place) == predicate


def test_there_may_be_where_the_library_knows_things_to_be() -> None:
    assert LEXICON.places == {"on": "on {1}", "in": "in {1}", "placed": "at {1}"}
    table = Lexicon.of(load(builtin_path("tabletop")))
    assert table.places == {"on": "on {1}", "in": "in {1}"}


# The instruction, the words pointed at and a part of the message or hint.
REFUSED = [
    ("take the mug to the sofa, and on your way back avoid the cat", "", "too early"),
    ("keep all doors closed but the kitchen door", "the kitchen door", "left out"),
    ("avoid the bed, but the sofa", "the sofa", "left out"),
    ("carry the mug to the bed, but do not put it down", "do not put it down", "be held"),
    ("avoid the cat when you go to the sofa", "when you go to the sofa", "which way"),
    ("juggle the mug", "juggle", "instruction should begin"),
    ("keep off the bed until you have been to the sofa and the table", "you", "meant at once"),
    ("open the door. Actually, go to the bed", "", "takes the place"),
    ("go to the sofa, then the bed. No wait, the desk", "", "takes the place"),
    ("go to the sofa, then the bed. No wait, go to the desk", "", "takes the place"),
    ("go to the sofa, then the bed but only after the sink. Actually, skip the sink", "", "asked"),
    ("go to the sofa and the bed. Then go to the last one.", "the last one", "what is left"),
    ("wait until the cat is in the kitchen, then go to the sofa", "wait until", "as soon as"),
    ("wait until the kitchen door is open. Then go to the sofa.", "wait until", "as soon as"),
    ("go to the sofa. Skip it", "Skip it", "what is left out"),
    ("go to the sofa, but before that the bed, then the sink", "", "comes at the end"),
    ("go to the sofa and the bed, then go to the first place you visited", "the", "no such one"),
    ("visit the sofa, then the bed, but avoid the sofa on the way to the bed", "on the way", "way"),
    ("bring something to the sofa", "something", "what this may be"),
    ("put another one on the desk", "another", "what 'another' is of"),
    ("get rid of it", "it", "nothing named before"),
    ("never go near the bed, it on the table", "it", "or is to be so"),
    ("the mug is on the table", "", "nothing is asked"),
    ("go to the sofa quickly", "quickly", "not understood"),
    ("go to the sofa and clean it", "clean", "instruction should begin"),
    ("go to the sofa and wash dishes", "", "understood: 'go to the sofa'"),
    ("go to the kitchen to get the mug", "get", "not understood"),
    ("carry the mug carefully to the sofa", "carefully", "not understood"),
    ("never go near two chairs", "two chairs", "does not go with"),
    ("never pick up the mug before the book", "the book", "say the verb again"),
    ("visit the kitchen, then the bathroom, and then the rest", "the rest", "which others"),
    ("go to the second door", "", "too early"),
    ("go to the other door", "the other", "named before"),
    ("go to the sof", "sof", "say 'go to the sofa'"),
    ("go to the sofa not the bed", "the", "not understood"),
    ("go to the door without the mug", "the", "after 'without'"),
    ("put the mug on the table on the desk", "", "more than one meaning"),
    ("put the mug on the table in the kitchen", "", "more than one meaning"),
    ("get the mug from the sink", "the mug", "on, in or next to"),
    ("take the mug to the sofa and the bed", "the bed", "what is to be done with this"),
    ("go to the mug on the floor", "", "lie on top"),
    ("move the sofa", "", "ends too early"),
    ("visit the sofa once", "once", "more often"),
    ("visit the bed and the sofa twice", "", "one thing"),
    ("go to the sofa, bed, sink", "the sofa, bed, sink", "joined"),
    ("go to all of the sofa", "all of the sofa", "several things"),
    ("go to the bed after the sofa and the sink", "the sofa and the sink", "at once"),
    ("do not go to the sofa and go to the bed", "", "forbidden too"),
    ("go to the sofa or go to the bed then go to the sink", "", "what the alternative is to"),
    ("go to the sofa, then the desk or go to the bed", "", "what the alternative is to"),
    ("either go to the bed and the sofa", "either", "needs 'or'"),
    ("when you see the cat, never go to the sofa", "", "more than one meaning"),
    ("you can go to the sofa", "", "ends too early"),
    ("go to the red counter and the kitchen counter, but never go to the counter", "", "which of"),
    ("there is a sofa and a bed. go to the sink", "there", "for nothing"),
    ("close every door that is open, then go to the sofa", "every door", "in which order"),
    ("close the door that is open", "the door", "which of them"),
    ("never go near a door that is open", "a door", "before the task begins"),
    ("I am by the sofa", "", "nothing is asked"),
    ("patrol the sink, then go to the bed", "", "nothing comes after"),
    ("patrol between the sink", "patrol between", "two places"),
    ("patrol the sink and the door in that order", "", "what is repeated"),
    ("when you have visited both desks, go to the sofa", "when", "meant at once"),
    ("patrol the sink three times", "three", "not understood"),
    ("go to the sofa and the rest anywhere but the kitchen", "", ""),
    ("go to the sofa and the rest wherever but the kitchen", "", ""),
    ("bring the mug to the table again and again", "", "only places"),
    ("visit the bed and visit the sofa over and over", "", "what is repeated"),
    ("either go to the bed or patrol the sink", "", "how this goes with"),
    ("go to the bed, then patrol the sink, but avoid the cat on the way", "", "what is repeated"),
    ("never go near the cat and patrol the sink", "", "forbidden too"),
    ("never patrol the sink", "patrol", "not understood"),
    ("", "", "nothing is asked"),
]


@pytest.mark.parametrize(("text", "words", "says"), REFUSED)
def test_refuses(text: str, words: str, says: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    error = caught.value
    assert error.code is Code.NOT_UNDERSTOOD
    assert says in f"{error.message} {error.hint}"
    assert error.span is not None
    assert text[error.span.start : error.span.end].startswith(words)


def test_places_that_wait_for_each_other_contradict() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("Do not go to the bed until the sofa and do not go to the sofa until the bed.",
                  LEXICON)  # fmt: skip
    assert caught.value.code is Code.CONTRADICTION


def test_a_missing_predicate_is_named() -> None:
    few = {k: v for k, v in LIBRARY.predicates.items() if k != "placed"}
    with pytest.raises(SaySoError) as caught:
        interpret("put the mug on the table", Lexicon(few, LIBRARY.vocabulary))
    assert caught.value.code is Code.UNSUPPORTED
    assert "placed" in caught.value.message


def test_endless_instructions_are_refused() -> None:
    for text in (", then ".join(["go to the sofa"] * 60), "Visit the bed 10 times. " * 4):
        with pytest.raises(SaySoError) as caught:
            interpret(text, LEXICON)
        assert caught.value.code is Code.NOT_UNDERSTOOD
        assert "steps" in caught.value.message


@pytest.mark.parametrize(
    ("words", "formula"),
    [
        ("no, the blue sofa", "F(near(blue_sofa) & F(near(bed)))"),
        ("not the bed, the sink", "F(near(red_sofa) & F(near(sink)))"),
        ("the bed first", "F(near(bed) & F(near(red_sofa)))"),
        ("never go near the cat", "F(near(red_sofa) & F(near(bed))) & G(!near(cat))"),
        ("then visit the sink", "F(near(red_sofa) & F(near(bed) & F(near(sink))))"),
        ("No, bring the mug to the bed.", "F(holding(mug) & F(placed(mug, bed)))"),
    ],
)
def test_corrections(words: str, formula: str) -> None:
    spec = interpret("Go to the red sofa, then the bed.", LEXICON)
    corrected = correct(spec, words, LEXICON)
    assert to_text(corrected.formula) == formula
    assert corrected.version == 2


@pytest.mark.parametrize(
    ("words", "formula"),
    [
        ("no, patrol the bed", "G(F(near(bed)))"),
        ("not the door, the window", "F(near(bed)) & G(F(near(sink))) & G(F(near(window)))"),
        ("never mind the door", "F(near(bed)) & G(F(near(sink)))"),
        (
            "also patrol the desk",
            "F(near(bed)) & G(F(near(sink))) & G(F(near(door))) & G(F(near(desk)))",
        ),
    ],
)
def test_corrections_of_a_patrol(words: str, formula: str) -> None:
    spec = interpret("Go to the bed, then patrol the sink and the door.", LEXICON)
    assert to_text(correct(spec, words, LEXICON).formula) == formula


def test_nothing_is_put_after_a_patrol() -> None:
    spec = interpret("Go to the bed, then patrol the sink.", LEXICON)
    with pytest.raises(SaySoError, match="after which step"):
        correct(spec, "then visit the desk", LEXICON)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("throw the mug away", "throw away the mug"),
        ("Bring the mug to me. I am by the sofa.", "I am by the sofa, bring me the mug"),
        ("go to my desk", "go to the desk"),
        # who speaks is the person, where no other place is told
        ("bring me the mug", "bring the mug to the person"),
        ("go to the fridge, then come back to me", "go to the fridge, then go to the person"),
        ("the lamp has to stay dark", "the lamp must not be on"),
        ("take the mug to the sofa for the moment", "take the mug to the sofa"),
        ("don't go near the cat", "avoid the cat"),
        ("you can't visit the bed", "never go to the bed"),
        ("find some masks", "find a mask"),
        ("keep going to the sink and the bed in any order", "patrol the sink and the bed"),
        ("go back and forth between the sink and the bed", "patrol the sink and the bed"),
    ],
)
def test_wordings_mean_the_same(one: str, other: str) -> None:
    assert interpret(one, LEXICON).formula == interpret(other, LEXICON).formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "Take the mug to the sofa. Only then go to the bed.",
            "F(holding(mug) & F(placed(mug, sofa) & F(near(bed)))) & (G(!near(bed)) | "
            "(!near(bed) U (holding(mug) & (!near(bed) U placed(mug, sofa)))))",
        ),
        (
            "Go to the sofa and the sink. Only then go to the bed.",
            "F(near(sofa) & F(near(bed))) & F(near(sink) & F(near(bed))) & (G(!near(bed)) | "
            "((!near(bed) U near(sofa)) & (!near(bed) U near(sink))))",
        ),
        (
            "After you have put the can on the bed, take the mug to the sofa.",
            "F(holding(can) & F(placed(can, bed) & F(holding(mug) & F(placed(mug, sofa)))))",
        ),
    ],
)
def test_what_comes_only_then_waits_for_every_step_of_it(text: str, formula: str) -> None:
    specification = interpret(text, LEXICON)
    assert to_text(specification.formula) == formula
    said_again = interpret(read_back(specification.formula, LIBRARY.predicates), LEXICON)
    assert said_again.formula == specification.formula


@pytest.mark.parametrize(
    ("words", "formula"),
    [
        *(
            (f"{said} the bedroom", "G(!(holding(mug) & near(bedroom)))")
            for said in (
                "do not carry the mug into", "never take the mug to", "never bring the mug past",
                "the mug must not be brought to", "do not move the mug through",
                "no carrying the mug through",
            )
        ),
        ("never put the mug in the bedroom", "G(!placed(mug, bedroom))"),
        (
            "do not carry anything into the bedroom",
            "all x1 in thing: (G(!(holding(x1) & near(bedroom))))",
        ),
        ("go to the sofa and after that stay away from it",
         "F(near(sofa) & (near(sofa) U G(!near(sofa))))"),
        (
            "do not bring the mug to the bed until the lamp is on",
            "G(!placed(mug, bed)) | (!placed(mug, bed) U lit(lamp))",
        ),
        (
            "do not carry the mug into the bedroom until the lamp is on",
            "G(!(holding(mug) & near(bedroom))) | (!(holding(mug) & near(bedroom)) U lit(lamp))",
        ),
        ("while you carry the mug to the kitchen, do not go near the cat",
         "F(placed(mug, kitchen)) & (G(!near(cat)) | (!near(cat) U placed(mug, kitchen)))"),
        ("go to the sofa and don't go near it again",
         "F(near(sofa) & (near(sofa) U G(!near(sofa))))"),
        ("go to the sofa, then the bed. Don't go near the sofa again",
         "F(near(sofa) & F(near(bed))) & !F(near(sofa) & F(!near(sofa) & F(near(sofa))))"),
        ("take the book to the desk, drop it there, and don't pick it up again",
         "F(holding(book) & F(placed(book, desk) & G(!holding(book)) & F(placed(book, desk))))"),
        ("anything on the table should be moved to the counter",
         "all x1 in thing::isabove(table): (F(holding(x1) & F(placed(x1, counter))))"),
        ("take the mug to the bedroom", "F(holding(mug) & F(placed(mug, bedroom)))"),
        ("do not go to the bed until you have taken the mug to the sofa",
         "G(!near(bed)) | (!near(bed) U placed(mug, sofa))"),
    ],
)  # fmt: skip
def test_what_is_forbidden_on_the_way_or_once_it_is_done(words: str, formula: str) -> None:
    assert to_text(interpret(words, LEXICON).formula) == formula
