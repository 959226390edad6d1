"""What controlled English refuses, where it points, and what it says instead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.predicates import Predicate
from sayso.language.chart import Attempt, Chart, TooMuchError
from sayso.language.controlled_english import MAX_PARTS, Refuse, interpret
from sayso.language.lexicon import Lexicon
from sayso.language.refusals import MAX_CHOICES, not_parsed
from sayso.language.tokens import sentences, tokenize
from sayso.logic.text import parse, to_text

IF_NOT = (
    ("Put the mug on the tray. If not, open the drawer.", 1),
    ("Put the mug on the tray; if not then open the drawer.", 1),
    ("Put the mug on the tray. If not all blocks are in the bowl, open the drawer.", 2),
    ("Put the mug on the tray. Otherwise open the drawer.", 1),
)
LIBRARY = load(builtin_path())
LEXICON = Lexicon.of(LIBRARY)

# The instruction, the words pointed at, a part of the message or hint, and a valid choice.
REFUSED = [
    ("Close the drawer before touching anything else.", "touching", "to be done at all", None),
    (
        "When the mug is on the tray, open the drawer before you pick up anything else.",
        "pick up",
        "to be done at all",
        None,
    ),
    ("Keep the mug off the plate until the bowl's on it.", "it", "several things", "the plate"),
    ("If you can't open the drawer, touch the mug.", "can't", "'can' is not", None),
    ("Put the mug on the tray. It had better be gentle.", "gentle", "not understood", None),
    ("Open the drawer. Then keep it open until the mug is in it.", "keep", "two limits", None),
    ("Open the drawer. Then the mug must not stay on the tray.", "the mug", "or of the end", None),
    (
        "The mug must not be on the tray or the plate must not be on it.",
        "the plate",
        "which of these",
        None,
    ),
    ("Never touch the mug at the end.", "at the end", "before the end", None),
    ("juggle the mug", "juggle", "instruction should begin", "put"),
    ("Open the drawer, then juggle the mug.", "juggle", "instruction should begin", "put"),
    ("opne the drawer", "opne", "say 'open the drawer'", "open"),
    ("put the red block", "", "ends too early", "on"),
    ("put the red block next to", "", "ends too early", "block"),
    ("put the mug quickly on the plate", "quickly", "understood: 'put the mug on the plate'", None),
    ("put the mug to the plate", "", "ends too early", "on"),
    ("move the mug", "", "ends too early", "on"),
    ("pick up", "", "ends too early", "block"),
    ("pick up the", "", "ends too early", "block"),
    ("pick up the small", "the small", "what 'one' stands for", None),
    ("put it on the plate", "it", "nothing named before", None),
    ("Put the mug on the plate, then pick it up.", "it", "several things", "the plate"),
    ("Pick up the red block or the blue block and the mug.", "Pick", "more than one meaning", None),
    ("Open the drawer and touch the mug or touch the plate.", "Open the drawer", "mixed", None),
    ("Either open the drawer and touch the mug.", "Either", "needs 'or'", None),
    ("Both open the drawer or touch the mug.", "Both", "needs 'and'", None),
    ("Never touch the mug and open the drawer.", "open", "forbidden too", None),
    ("Put the mug on the tray, not the coaster.", "not the coaster", "in place of which", None),
    ("Put the mug in the bowl, not the tray.", "not the tray", "in place of which", None),
    ("Put the mug on the tray. Otherwise put it in the bowl.", "put", "not understood", None),
    ("Once it is put away, open the drawer.", "Once", "before that", None),
    ("Put the mug in the bowl and the other block somewhere else.", "else", "this much", None),
    ("The drawer should be closed and the rest somewhere else.", "somewhere", "", None),
    ("Put the mug in the bowl and the rest anywhere.", "", "", None),
    ("Put the mug in the bowl, the rest anywhere you like but not on the tray.", "", "", None),
    ("After closing the drawer, it must not be closed.", "it", "come again", None),
    ("Never open the drawer after opening the drawer.", "after", "come again", None),
    ("Let the mug be in the bowl until the drawer is open.", "the", "this much", None),
    ("When the mug is off the tray again, open the drawer.", "When", "question", None),
    (
        "Open the drawer. When it is again closed, put the mug in the bowl.",
        "When it",
        "question",
        None,
    ),
    ("It would be nice if the mug was not on the tray and the drawer was open.", "was", "", None),
    (
        "Put all the blocks in the bowl, but not the red one if the drawer is open.",
        ", but not the red one",
        "only the exception",
        None,
    ),
    (
        "Never touch a block, except the red one while the drawer is open.",
        ", except the red one",
        "only the exception",
        None,
    ),
    ("After we put the mug on the tray, open the drawer.", "put", "after 'we'", None),
    ("Put the mug in your hand.", "hand", "after 'your'", None),
    (
        "Nothing may be on the tray unless the drawer is closed.",
        "unless the drawer is closed",
        "only at the beginning",
        None,
    ),
    (
        "No block on the tray unless the drawer is closed.",
        "unless the drawer is closed",
        "only at the beginning",
        None,
    ),
    (
        "Not a single block on the tray if the drawer is open.",
        "if the drawer is open",
        "only at the beginning",
        None,
    ),
    (
        "Neither the mug nor the bowl on the tray if the drawer is open.",
        "if the drawer is open",
        "only at the beginning",
        None,
    ),
    (
        "Never touch the mug more than once unless the drawer is closed.",
        "unless the drawer is closed",
        "only at the beginning",
        None,
    ),
    (
        "Do not touch the mug before touching the bowl or the plate.",
        "before touching the bowl or the plate",
        "one of these is enough",
        None,
    ),
    ("Put the mug in the bowl after I open the drawer.", "open", "after 'i'", None),
    ("Put two blocks in the bowl and the other one on the tray.", "the other", "are left", None),
    ("If there is a block on the plate, put it in the bowl.", "it", "nothing named", None),
    ("put blocks in the bowl", "blocks", "how many", None),
    ("pick up the block on the table", "", "understood: 'pick up the block'", None),
    ("put the block on the plate in the bowl", "put", "more than one meaning", None),
    ("pick up the table", "table", "not understood", None),
    ("Put a block on the plate, then put a block in the bowl.", "a block", "same one", None),
    ("Stack the blocks on the plate.", "Stack", "stand on each other", None),
    ("Pick up the mug, not on the plate.", "not on", "what is not to be done", None),
    ("Put nothing but the blue block in the bowl.", "Put", "more than one meaning", None),
    ("Put the red block on the plate, you may touch the mug.", "you may", "allowed", None),
    ("Do not touch anything else.", "anything else", "nothing was named", None),
    (
        "Put a block on the plate and the last one in the bowl.",
        "the last one",
        "what is left",
        None,
    ),
    ("Put a block on the plate only if the drawer is open.", "Put", "where that is not so", None),
    ("Take a block off every plate.", "Take", "same one for each", None),
    ("Put one block on each plate and touch it.", "it", "could stand", None),
    ("Put exactly one block on the plate and the others in the bowl.", "", "same one", None),
    ("If a block is not on each plate, open the drawer.", "a block is", "same one", None),
    ("Touch the block next to each plate.", "each plate", "one for each", None),
    ("Never touch both plates.", "touch both", "only all of them", None),
    ("If the drawer is open, touch the mug, then touch it.", "touch", "on the condition", None),
    ("Touch the mug and open the box if the drawer is open.", "if", "on the condition", None),
    ("If the drawer is open, touch the mug and never touch it.", "touch", "any case", None),
    (
        "Touch the mug, and if the drawer is open, close it, and in any case open the box.",
        "close it",
        "depends on the condition",
        None,
    ),
    ("If you touch the mug, touch the plate.", "If", "when this is asked for", None),
    ("Never leave the mug on the plate.", "leave", "at first", None),
    ("Never touch the mug, the drawer open.", "the drawer", "forbidden too", None),
    ("All but one of the blocks belong on the plate.", "All but one of the blocks", "may be", None),
    ("Put everything on a plate.", "everything", "what this may be", None),
    ("Only put everything except the mug in the bowl.", "Only", "'only' leaves out", None),
    ("Put only everything except the mug in the bowl.", "Put only", "'only' leaves out", None),
    ("Pick up everything.", "everything", "what this may be", None),
    (
        "Open the drawer until the mug is on the plate.",
        "the",
        "understood: 'open the drawer'",
        None,
    ),
    ("if the drawer is ajar, close it", "ajar", "not understood", "open"),
    ("always touch the mug", "touch", "always", "keep"),
    ("open the drawer once", "once", "more often", None),
    ("open the drawer 11 times", "11 times", "from 1 to 10", None),
    ("open the drawer at least", "", "ends too early", None),
    ("never touch the mug exactly once", "exactly once", "does not go with", None),
    ("never hold two blocks", "two blocks", "does not go with", None),
    ("open the drawer in any order", "open the drawer", "several steps", None),
    ("put the mug # on the plate", "#", "character", None),
    ("pon el bloque rojo en la mesa", "pon el bloque rojo", "another language", None),
    ("Leg den Würfel auf den Teller", "Würfel", "no English word", None),
    ("把红色的积木放在盘子上", "把红色的积木放在盘子上", "in English", None),
    ("put the other block on the plate", "the other", "named before", None),
    ("touch the highest block", "the highest block", "cannot be seen", None),
    ("the mug is on the plate", "", "nothing is asked", "put"),
    ("what do you see?", "what do you see", "a question", None),
    ("Stop!", "Stop", "asks the robot to stop", None),
    ("put the block between the mug", "", "ends too early", "and"),
    ("Wait for me, then touch the mug.", "Wait for me", "nothing can come after", None),
    ("Open the drawer and wait here. Touch the mug.", "wait here", "nothing can come after", None),
    ("Touch the mug and wait there, then close it.", "wait there", "nothing can come after", None),
    ("The mug.", "The mug", "what is to be done with this", None),
    ("Never put the mug on the tray. The plate too.", "The plate too", "forbidden too", None),
    ("Never put the mug on the tray. The bowl on it.", "The bowl on it", "forbidden too", None),
    ("I am not happy with the mug, so open the drawer.", "not", "not understood", None),
    ("I would like to have it here, so open the drawer.", "here", "not understood", None),
    ("Put the mug in the bowl so that it stays open.", "stays", "not understood", None),
    ("Do not touch the mug and open the drawer at the end.", "open", "forbidden too", None),
    ("Until the drawer is open, do not touch it.", "", "too early", None),
    ("Put the mug on the plate, where it has to stay.", "it", "not understood", None),
    ("Pick up the mug. I am expecting a parcel, so put it on the plate.", "it", "nothing", None),
    (
        "Put the mug on the tray, but the tray is wobbly, so open the drawer.",
        "the tray is wobbly",
        "what this changes",
        None,
    ),
    ("Only one of these: open the drawer or touch the mug.", "open", "not understood", None),
    ("Open the drawer, so I would like it here.", "here", "not understood", None),
    ("Put the mug on the tray, then open the drawer, not before that.", "", "too early", None),
    ("Only then open the drawer.", "open the drawer", "between two single steps", None),
    ("please", "", "ends too early", "put"),
    ("", "", "nothing is asked", "put"),
    ("...", "", "nothing is asked", "put"),
]


@pytest.mark.parametrize(("text", "number"), IF_NOT)
def test_a_condition_with_not_is_a_sentence_of_its_own(text: str, number: int) -> None:
    assert len(list(sentences(tokenize(text)))) == number


@pytest.mark.parametrize(("text", "words", "says", "choice"), REFUSED)
def test_refuses(text: str, words: str, says: str, choice: str | None) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    error = caught.value
    assert error.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
    assert error.span is not None
    pointed = text[error.span.start : error.span.end]
    assert pointed.startswith(words) if words else pointed == ""
    assert says in f"{error.message} {error.hint}"
    assert choice is None or choice in error.choices
    assert len(error.choices) <= MAX_CHOICES


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        (
            "Pick up the red block or the blue block and the mug.",
            {
                "F(holding(red_block)) | F(holding(blue_block) & F(holding(mug)))",
                "F((holding(red_block) | holding(blue_block)) & F(holding(mug)))",
            },
        ),
        (
            "put the block on the plate in the bowl",
            {"F(on(block, plate::isin(bowl)))", "F(in(block::isabove(plate), bowl))"},
        ),
    ],
)
def test_words_of_several_meanings_name_each_in_words_that_mean_only_that(
    text: str, meanings: set[str]
) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    choices = caught.value.choices
    assert {to_text(interpret(c, LEXICON).formula) for c in choices} == meanings
    assert all(f"'{c}'" in caught.value.hint for c in choices)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (". ".join(["Open the drawer", "Close the drawer"] * 40), "steps"),
        (", then ".join(["Touch the mug 10 times"] * 3), "steps"),
        (", then ".join(["touch the mug and touch the bowl in any order"] * 10), "orders"),
        ("Touch the block" + " left of the block" * 100, "too long"),
        ("Touch the block" + " left of the block" * 2000, "too long"),
        ("the block " + "next to the block " * 20 + "put everything in the bowl", "too long"),
        ("Whenever the drawer is open, " + ", then ".join(["touch the mug"] * 40), "steps"),
    ],
)
def test_endless_instructions_are_refused(text: str, says: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert says in caught.value.message


def test_a_long_task_within_the_limit_can_be_written_down() -> None:
    text = ". ".join(["Open the drawer", "Close the drawer"] * 15)
    formula = interpret(text, LEXICON).formula
    assert parse(to_text(formula)) == formula


def test_carets_stand_under_the_words() -> None:
    text = "Open the drawer, then juggle the mug."
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    assert caught.value.pointed_at(text).split("\n")[1] == " " * 22 + "^^^^^^"


def test_the_words_are_kept_unchanged() -> None:
    text = "  Put the RED block\ton the plate!! "
    assert interpret(text, LEXICON).instruction == text


def test_a_verb_without_its_predicate_is_unsupported() -> None:
    few = {k: v for k, v in LIBRARY.predicates.items() if k != "touching"}
    with pytest.raises(SaySoError) as caught:
        interpret("touch the mug", Lexicon(few, LIBRARY.vocabulary))
    assert caught.value.code is Code.UNSUPPORTED
    assert "touching" in caught.value.message


@pytest.mark.parametrize(
    ("said", "words", "choice"),
    [
        ("Touch the mug, then open the red block.", "the red block", "drawer"),
        ("If the mug is open, touch the plate.", "the mug", "drawer"),
        ("Never put the mug in the plates.", "the plates", "bowl"),
        ("Put all the blocks on the mug.", "the mug", "plate"),
        ("pick the drawer up", "the drawer", "block"),
    ],
)
def test_what_cannot_be_done_with_a_thing_is_refused(said: str, words: str, choice: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(said, LEXICON)
    error = caught.value
    assert error.code is Code.UNSUPPORTED
    assert error.span is not None and said[error.span.start : error.span.end] == words
    assert choice in error.choices and error.hint


def test_it_is_what_the_verb_fits() -> None:
    said = "Open the drawer and put the mug in it."
    assert to_text(interpret(said, LEXICON).formula) == "F(open(drawer) & in(mug, drawer))"


def test_a_learned_predicate_can_be_spoken_about() -> None:
    learned = Predicate(
        "leaning", ("a", "b"), lambda *_: None, "{0} leans against {1}", "{0} stands free of {1}"
    )
    lexicon = Lexicon({**LIBRARY.predicates, "leaning": learned}, LIBRARY.vocabulary)
    text = "Make sure that the mug leans against the red block."
    assert to_text(interpret(text, lexicon).formula) == "F(leaning(mug, red_block))"
    text = "Always make sure that the mug stands free of the bowl."
    assert to_text(interpret(text, lexicon).formula) == "G(!leaning(mug, bowl))"


def test_categories_of_the_scene_end_a_noun_phrase() -> None:
    lexicon = Lexicon.of(LIBRARY, ["spoon"])
    assert to_text(interpret("touch the wooden spoon", lexicon).formula) == (
        "F(touching(wooden_spoon))"
    )
    with pytest.raises(SaySoError):
        interpret("touch the spoon swiftly", lexicon)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don't touch the mug.", "Don\u2019t touch the mug."),
        ("put the gray mug on the plate", "put the grey mug on the plate"),
        ("put the large mug on the plate", "put the big mug on the plate"),
        ("put red block on plate", "Put the red block on the plate."),
        ("keep the blocks on the table", "keep all the blocks on the table"),
        ("make sure the blocks are on the table", "make sure all the blocks are on the table"),
    ],
)
def test_spellings_mean_the_same(one: str, other: str) -> None:
    try:
        first = interpret(one, LEXICON).formula
    except SaySoError as error:
        pytest.fail(f"{one}: {error}")
    assert first == interpret(other, LEXICON).formula


def test_a_form_that_is_understood_is_looked_for_sparingly() -> None:
    tried: list[int] = []

    def parses(words: Sequence[str]) -> bool:
        tried.append(len(words))
        return False

    words = ["open", "the", "drawer", *["and", "open", "the", "drawer"] * 60, "flumpily"]
    attempt = LEXICON.attempt("sentence", words, MAX_PARTS)
    assert not attempt.readings
    error = not_parsed(attempt, words, LEXICON, Refuse("", ()), parses)
    assert not tried, "before somebody reads the hint"
    assert error.hint
    assert 0 < sum(tried) <= 500


def test_the_second_of_two_equal_mentions_is_pointed_at() -> None:
    text = "Put a block on the plate and put a block in the bowl."
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    span = caught.value.span
    assert span is not None and span.start == text.rindex("a block")


@pytest.mark.parametrize(
    "words",
    [
        "Neither the mug nor the red block may not be touched.",
        "Neither the mug nor the red block must never be touched.",
        "No blocks may not be placed in the drawer.",
        "None of the blocks may never be on the plate until the drawer is open.",
        "There must not be none of the blocks on the plate.",
        "There must never be no blocks in the drawer.",
        "Never let none of the blocks be in the bowl.",
        "Never touch no block.",
    ],
)
def test_two_negations_in_one_clause_are_no_prohibition(words):
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert "two negations" in caught.value.message
    assert "one of them" in caught.value.hint


@pytest.mark.parametrize(
    "words",
    [
        "Stelle den roten Block auf den Teller.",
        "Mets le bloc rouge sur l'assiette.",
        "Pon el bloque rojo en el plato, por favor.",
        "Zet het rode blok op het bord.",
        "Ouvre le tiroir.",
        "Va al divano.",
        "Coloque o bloco vermelho no prato.",
        "Положи красный кубик на тарелку.",
    ],
)
def test_another_language_is_called_so(words):
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert caught.value.hint == "say it in English."


@pytest.mark.parametrize(
    "words",
    [
        # each has one word more than a sentence that is understood
        "Only put no blocks on the tray.",
        "Both touch neither the red block nor the mug.",
        "Only the red block may go on the blue or tray.",
        "Whenever you are holding the red either block, touch the mug.",
        "In any order, put the mug on the tray and either open the drawer.",
        "Or after the drawer is open, never touch the mug.",
        "Either open the drawer or put the mug in or the bowl.",
        "Touch the mug except plate.",
        "Touch the mug or the plate, I don't before care which one.",
        "I am tired, or open the drawer.",
        "Touch the mug and the plate at once.",
        "Never touch the mug and then the plate.",
        "Touch the mug. If the drawer is open, touch the plate instead.",
        "If the red block or the mug is in the bowl, take it out.",
        "Take everything off the tray and put it in the bowl.",
        "Touch exactly one of the mug and the plate.",
        "Touch none of the mug and the plate.",
        "In any order, pick the mug up and both touch the bowl.",
        "Touch neither the mug nor the red block twice.",
        "Touch none of the blocks more than once.",
        "Touch the mug or the plate. It does not twice matter which.",
    ],
)
def test_a_word_that_changes_a_meaning_is_not_passed_over(words: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    "words", ["Touch the mug wherewithal.", "Put the mug which.", "Dirty the mug."]
)
def test_no_word_is_suggested_that_is_far_off_or_was_typed(words: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    said = {w.strip(".").lower() for w in words.split()}
    assert "did you mean" not in caught.value.hint
    assert said.isdisjoint(caught.value.choices)


@pytest.mark.parametrize(
    "words",
    ["Put all non-red blocks in the bowl.", "Keep the drawer open except when the mug is in it."],
)
def test_nobody_is_told_to_leave_out_a_word_that_turns_the_meaning(words: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    assert "without" not in caught.value.hint


def test_when_nothing_is_put_there_is_no_state_that_can_be_observed() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("The drawer must be closed whenever you are not putting it there.", LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    with pytest.raises(SaySoError) as caught:
        interpret("The drawer must be closed while you are not putting the mug in it.", LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    interpret("The drawer must be closed while you are not holding the mug.", LEXICON)


def test_it_after_otherwise_may_be_what_would_have_been_put_there() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("If the plate is clear put the mug on it, otherwise put it in the bowl.", LEXICON)
    assert caught.value.choices == ("the plate", "the mug")


def test_of_what_things_only_one_may_be_is_not_passed_over() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("Of the blocks, only the red one goes into the bowl.", LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    interpret("Of the blocks, the red one goes into the bowl.", LEXICON)


def test_a_word_that_is_one_slip_away_is_suggested() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("Put the mug ontp the tray.", LEXICON)
    assert "onto" in caught.value.hint and caught.value.choices[0] == "onto"


@pytest.mark.parametrize(
    "words",
    [
        # not to be so once: never, or not at the end
        "Make sure the mug is not touched.",
        "It is important that no block is touched.",
        "See to it that neither the mug nor the bowl is held.",
        # at the beginning, or whenever it is so
        "No block should be on the tray if the drawer is open.",
        "At most one block should be on the tray unless the drawer is open.",
    ],
)
def test_what_must_not_be_so_is_no_goal_for_a_moment(words: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(words, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD


def test_the_green_ones_are_all_of_the_kind_that_was_named() -> None:
    said = "Put the red blocks in the bowl and the green ones on the tray."
    assert to_text(interpret(said, LEXICON).formula) == (
        "F(all x1 in red_block: (in(x1, bowl)) & all x2 in green_block: (on(x2, tray)))"
    )
    with pytest.raises(SaySoError) as caught:
        interpret("Put the red ones in the bowl.", LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD


def test_the_noun_after_several_colours_is_that_of_each() -> None:
    formula = interpret("Put the red, green or blue block on the tray.", LEXICON).formula
    assert (
        to_text(formula) == "F(on(red_block, tray) | on(green_block, tray) | on(blue_block, tray))"
    )


def test_what_is_too_much_to_read_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon, tried = Lexicon.of(load(builtin_path("tabletop"))), []
    made = Attempt.of

    def counted(chart: Chart, rule: str) -> Attempt:
        tried.append(rule)
        return made(chart, rule)

    monkeypatch.setattr(Attempt, "of", staticmethod(counted))
    words = ["put", "the", "red", "block", "on", "the", "plate"]
    for _ in range(2):
        with pytest.raises(TooMuchError):
            lexicon.attempt("sentence", words, 10)
    assert tried == ["sentence"]
    assert lexicon.attempt("sentence", words, 185_000).readings
