"""Of a text that is understood in part, the rest is set aside, asked about, or pointed at."""

from __future__ import annotations

from typing import cast

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import LanguageModel
from sayso.language.chart import Chart
from sayso.language.controlled_english import MAX_PARTS
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import GO_ON, PartlyUnderstoodError, granted, interpret, is_offer
from sayso.language.units import cut
from sayso.logic.specification import Specification
from sayso.logic.text import to_text
from sayso.mission.confirmation import MISUNDERSTOOD

LEXICON = Lexicon.of(load(builtin_path("tabletop")))
MUG = "F(on(mug, tray))"
SET_ASIDE = (
    ("My peach, put the mug on the tray.", "My peach"),
    ("Thank you ever so much, put the mug on the tray.", "Thank you ever so much"),
    ("Put the mug on the tray, though it rained a lot.", "though it rained a lot"),
)  # fmt: skip
ASKED = (
    ("Put the mug on the tray and he bowl up.", "and he bowl up"),
    ("Put the mug on the tray, she plate too.", "she plate too"),
    ("Put the mug on the tray, polish the cutlery.", "polish the cutlery"),
    ("Put the mug on the tray, polish it.", "polish it"),
    ("Polish it, then put the mug on the tray.", "Polish it"),
    ("Put the mug on the tray, by noon at the latest.", "by noon at the latest"),
    ("Put the mug on the tray. Whistle a little tune.", "Whistle a little tune"),
)
POINTED_AT = (
    "Put the mug on the tray, not the shiny side up.",
    "Put the mug on the tray, treat it carefully though.",
    "Put the mug on the tray, only a bit slower.",
    "Put the mug on the tray. I meant three.",
    "Put the mug on the tray, singing anything but loud songs.",
    "Put the mug on the tray, singing songs other than loud ones.",
    "Put the mug on the tray, beware of spiders.",
    "Put the mug on the tray, singing is banned.",
    "Put the blocks on the tray, the red one exempted.",
    # an order that hangs on what was not understood
    "Put the mug on the tray, in which case touch the bowl.",
    "Put the mug on the tray, failing that touch the bowl.",
    "Put the mug on the tray, weather permitting.",
)


def offer(text: str) -> PartlyUnderstoodError:
    with pytest.raises(PartlyUnderstoodError) as caught:
        interpret(text, LEXICON)
    return caught.value


@pytest.mark.parametrize(("text", "aside"), SET_ASIDE)
def test_what_certainly_asks_for_nothing_is_set_aside_and_told(text: str, aside: str) -> None:
    spec = interpret(text, LEXICON)
    assert to_text(spec.formula) == MUG
    assert spec.assumptions == (f"'{aside}' asks for nothing",)


@pytest.mark.parametrize("condition", ["unless", "if"])
def test_what_a_condition_in_the_middle_goes_with_is_asked(condition: str) -> None:
    asked = offer(f"Touch the mug, {condition} the drawer is open, then touch the plate.")
    assert asked.asked.words == ()


@pytest.mark.parametrize(("text", "left"), ASKED)
def test_what_may_ask_for_something_is_one_question_that_yes_answers(text: str, left: str) -> None:
    asked = offer(text)
    assert asked.asked.words == (left,)
    assert is_offer(asked) and asked.code is Code.NOT_UNDERSTOOD
    assert to_text(asked.offered.formula) == MUG
    assert left in asked.message and "the mug is on the tray" in asked.message


@pytest.mark.parametrize("text", POINTED_AT)
def test_what_may_limit_something_is_pointed_at_and_yes_is_not_enough(text: str) -> None:
    asked = offer(text)
    assert not is_offer(asked)
    assert asked.span is not None and text[asked.span.start : asked.span.end] in asked.asked.words


@pytest.mark.parametrize(
    "text",
    [
        "If the lamp glows, put the mug on the tray.",
        "If you can hear the alarm, put the mug on the tray.",
        "Put the mug on the tray unless the lamp glows.",
        "Each time that the lamp glows, put the mug on the tray.",
        "Lift all but the green block out of the drawer.",
        "Polish the green mug, then put it on the tray.",
        "Sing to the plants, water the flowers, feed the fish, and put the mug on the tray.",
        "Put the mug on the tray, or whistle loudly, or put the block on the table.",
    ],
)
def test_nothing_is_offered_that_hangs_on_what_was_not_understood(text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    assert not isinstance(caught.value, PartlyUnderstoodError)


def test_clauses_of_one_sentence_are_read_one_by_one_where_it_is_none_as_a_whole() -> None:
    text = "The mug goes on the tray, got that, by jingo, and the red block goes in the bowl."
    asked = offer(text)
    assert to_text(asked.offered.formula) == "F(on(mug, tray) & in(red_block, bowl))"
    assert asked.asked.words == ("got that", "by jingo")


PARTLY = "Put the mug on the tray, polish the cutlery."


def corrected(*corrections: str, text: str = PARTLY) -> str:
    """The formula after these answers to the offer; each as if it came from another process."""
    reader = Interpreter(LEXICON)
    spec = offer(text).offered
    for words in corrections:
        spec = reader.correct(spec, words)
    return to_text(spec.formula)


@pytest.mark.parametrize("words", [GO_ON, "It doesn't matter.", "leave it out"])
def test_a_person_may_go_on_without_it(words: str) -> None:
    spec = Interpreter(LEXICON).correct(offer(PARTLY).offered, words)
    assert (to_text(spec.formula), spec.version, spec.corrections) == (MUG, 2, (words,))
    assert spec.assumptions == ("'polish the cutlery' asks for nothing",)


@pytest.mark.parametrize("words", ["Never mind.", "never mind that", "forget it", "Skip it."])
def test_what_may_end_the_task_as_well_does_not_set_a_limit_aside(words: str) -> None:
    with pytest.raises(SaySoError) as caught:
        corrected(words, text=POINTED_AT[1])
    assert caught.value.code in MISUNDERSTOOD
    assert corrected(words) == MUG
    assert corrected("it does not matter", text=POINTED_AT[1]) == MUG


def test_a_person_may_say_it_in_other_words() -> None:
    assert corrected("never touch the plate") == f"{MUG} & G(!touching(plate))"
    assert corrected("then open the drawer") == "F(on(mug, tray) & F(open(drawer)))"


def test_another_correction_leaves_the_question_open() -> None:
    with pytest.raises(PartlyUnderstoodError) as caught:
        corrected("not the tray, the plate")
    assert to_text(caught.value.offered.formula) == "F(on(mug, plate))"
    assert caught.value.asked.words == ("polish the cutlery",)
    assert "the mug is on the plate" in caught.value.message


def test_a_step_is_no_limit() -> None:
    with pytest.raises(PartlyUnderstoodError) as caught:
        corrected("then open the drawer", text=POINTED_AT[1])
    assert caught.value.asked.words == offer(POINTED_AT[1]).asked.words


@pytest.mark.parametrize(
    "words",
    [
        "that is important", "be careful", "the mug is full", "thanks", "please",
        "because the mug is full", "be careful, the mug is full",
    ],
)  # fmt: skip
@pytest.mark.parametrize("unclear", ["Never rush", "Polish the cutlery"])
def test_an_answer_that_says_nothing_leaves_the_question_open(unclear: str, words: str) -> None:
    asked = offer(f"Put the mug on the tray. {unclear}.").offered
    with pytest.raises(SaySoError) as caught:
        Interpreter(LEXICON).correct(asked, words)
    assert caught.value.code in MISUNDERSTOOD


@pytest.mark.parametrize("limit", ["never polish the cutlery", "singing is banned"])
@pytest.mark.parametrize(
    "words", ["touch the plate", "put the mug on the tray", "close the drawer"]
)
def test_no_step_takes_the_place_of_a_limit(limit: str, words: str) -> None:
    asked = offer(f"Put the mug on the tray, {limit}, and open the drawer.").offered
    with pytest.raises(SaySoError) as caught:
        Interpreter(LEXICON).correct(asked, words)
    assert caught.value.code in MISUNDERSTOOD
    done = Interpreter(LEXICON).correct(asked, "never touch the plate because it is hot")
    assert to_text(done.formula) == "F(on(mug, tray) & open(drawer)) & G(!touching(plate))"


def test_an_answer_says_nothing_of_what_stands_beside_it() -> None:
    words, list_of = (
        "if the plate is on the tray",
        "Put the mug on the tray, {}, and open the drawer.",
    )
    with pytest.raises(SaySoError) as caught:
        corrected(words, text=list_of.format("polish the cutlery"))
    assert caught.value.code in MISUNDERSTOOD
    done = corrected(f"{words}, open the drawer", text=f"{PARTLY[:23]}. Polish the cutlery.")
    assert done == f"{MUG} & (!on(plate, tray) | F(open(drawer)))"


def test_only_what_a_person_set_aside_stays_so() -> None:
    """What the reader took for a remark, it looks at again beside the answer."""
    asked = offer("The plate is hot. Put the mug on the tray, never rush, and never sing.")
    with pytest.raises(PartlyUnderstoodError) as caught:
        Interpreter(LEXICON).correct(asked.offered, "it does not matter")
    assert granted(asked.offered) == ()
    assert granted(caught.value.offered) == ("'never rush' asks for nothing",)
    assert "'The plate is hot' asks for nothing" in caught.value.offered.assumptions


LONG = (
    "Open the drawer. Then put the red block in it, but {step}. {limit}. "
    "Then close the drawer, and put the mug on the tray."
)
UNCLEAR = LONG.format(step="polish the cutlery meanwhile", limit="Singing is banned")
STEP, LIMIT = "touch the plate", "never touch the green block"


def answered(*answers: str) -> Specification | PartlyUnderstoodError:
    """What becomes of the unclear instruction with these answers, each from another process."""
    found: Specification | PartlyUnderstoodError = offer(UNCLEAR)
    for words in answers:
        assert isinstance(found, PartlyUnderstoodError)
        try:
            found = Interpreter(LEXICON).correct(found.offered, words)
        except PartlyUnderstoodError as still:
            found = still
    return found


def test_parts_said_in_other_words_are_read_in_their_places() -> None:
    done = answered(STEP, f"{LIMIT}.")
    assert isinstance(done, Specification)
    at_once = interpret(LONG.format(step=STEP, limit=LIMIT.capitalize()), LEXICON)
    assert done.formula == at_once.formula and done.asked is None
    assert (done.instruction, done.version) == (UNCLEAR, 3)
    assert done.corrections == (STEP, f"{LIMIT}.")


def test_parts_are_asked_about_one_after_the_other_and_a_correction_of_the_rest_is_kept() -> None:
    still = answered("not the mug, the bowl", STEP)
    assert isinstance(still, PartlyUnderstoodError) and not is_offer(still)
    assert still.asked.words == ("Singing is banned",)
    done = answered("not the mug, the bowl", STEP, "it does not matter")
    assert isinstance(done, Specification)
    said = LONG.format(step=STEP, limit="Thanks").replace("mug", "bowl")
    assert done.formula == interpret(said, LEXICON).formula


def test_of_several_parts_the_words_that_drop_one_keep_the_others_open() -> None:
    still = answered("it does not matter")
    assert isinstance(still, PartlyUnderstoodError)
    assert still.asked.words == ("Singing is banned",)


def test_an_answer_that_is_not_understood_loses_nothing() -> None:
    asked = offer(UNCLEAR)
    with pytest.raises(SaySoError) as caught:
        Interpreter(LEXICON).correct(asked.offered, "buff the cutlery")
    assert caught.value.code in MISUNDERSTOOD
    assert not isinstance(caught.value, PartlyUnderstoodError)  # the question stands as it was


def test_the_question_stays_as_it_was_asked_whatever_is_seen_since() -> None:
    """What was not understood is the name of a thing now: the answer is to what was shown."""
    asked = offer("Put the mug on the tray, and also the zorb.")
    knowing = Interpreter(Lexicon.of(load(builtin_path("tabletop")), ["zorb"]))
    with pytest.raises(PartlyUnderstoodError) as caught:
        knowing.correct(asked.offered, "not the tray, the plate")
    assert caught.value.asked.words == asked.asked.words
    gone_on = knowing.correct(asked.offered, GO_ON)
    assert (to_text(gone_on.formula), gone_on.asked) == (MUG, None)
    anew = knowing.correct(asked.offered, "No, put the mug in the bowl.")
    assert (to_text(anew.formula), anew.asked) == ("F(in(mug, bowl))", None)


def test_the_question_is_asked_where_the_model_is_down() -> None:
    class Down:
        def complete(self, *_args: object, **_options: object) -> str:
            raise SaySoError(Code.MODEL_UNAVAILABLE, "nobody answers at port 1.")

    with pytest.raises(PartlyUnderstoodError) as caught:
        Interpreter(LEXICON, cast(LanguageModel, Down())).interpret(PARTLY)
    assert is_offer(caught.value) and "nobody answers at port 1." in caught.value.hint


def test_the_reading_tells_which_answer_was_taken_for_what() -> None:
    spec = Interpreter(LEXICON).correct(offer(PARTLY).offered, "never touch the plate")
    assert spec.assumptions == ("'never touch the plate' says what 'polish the cutlery' meant",)


def test_segments_are_the_same_with_what_an_attempt_derived_and_without() -> None:
    words = ["put", "the", "mug", "on", "the", "tray", ",", "polish", "the", "cutlery"]
    anew = cut(words, Chart(LEXICON.grammar, words, LEXICON.slots, MAX_PARTS))
    assert not LEXICON.attempt("sentence", words, MAX_PARTS).readings
    taken, other = (LEXICON.chart(words, MAX_PARTS) for _ in range(2))
    assert taken is not other, "it is one taker's alone"
    assert taken.left == MAX_PARTS
    assert anew.kept and cut(words, taken) == cut(words, other) == anew


def test_of_which_things_something_is_said_is_not_left_out_unasked() -> None:
    with pytest.raises(SaySoError) as caught:
        interpret("Of the blocks, only the red one goes into the bowl.", LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD
