"""Free English is offered in controlled English, and is never a task by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import DependencyParser, ParsedWord
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.main_clauses import Trees
from sayso.language.offers import GO_ON, PartlyUnderstoodError, is_offer
from sayso.logic.text import to_text

TABLE = Lexicon.of(load(builtin_path("tabletop")))
FLAT = Lexicon.of(load(builtin_path("flat")))
OFFERED = (
    (
        "If the drawer were open, I would like you to put the mug in the bowl.",
        "If the drawer is open, put the mug in the bowl.",
        "!open(drawer) | F(in(mug, bowl))",
    ),
    (
        "Don't forget to close the drawer after you have stashed the mug in it.",
        "Close the drawer after you have put the mug in it.",
        "F(in(mug, drawer) & F(closed(drawer)))",
    ),
    (
        "Never leave the drawer open while you are carrying the mug.",
        "The drawer must not be open while you are carrying the mug.",
        "G(!(open(drawer) & holding(mug)))",
    ),
    (
        "Don't you dare fiddle with the plate.",
        "Never touch the plate.",
        "G(!touching(plate))",
    ),
    (
        "Hoist the mug, then pop it back where it was.",
        "Pick up the mug. Put it where it was.",
        "F(holding(mug) & F(on(mug, thing::isbelow(mug))))",
    ),
    (
        "Haul the mug off the tray.",
        "Take the mug off the tray.",
        "F(holding(mug) & !on(mug, tray))",
    ),
)
LOOSENED = (
    (
        "If there is a block on the plate, move it to the bowl.",
        "F(all x1 in block::isabove(plate): (in(x1, bowl)))",
    ),
    (
        "If the drawer is closed, keep it that way and simply put the mug on the tray.",
        "!closed(drawer) | (F(on(mug, tray)) & G(closed(drawer)))",
    ),
    (
        "Yo put the mug on the tray and shut the drawer, mom says the place has to look decent.",
        "F(on(mug, tray) & closed(drawer))",
    ),
)
"""Clauses near to what the grammar reads; what is said besides may ask for nothing."""
REFUSED = (
    "If the mug is on the tray, which must be empty, touch the plate.",
    "If not the mug but the plate is on the tray, open the drawer.",
    "Unless the mug is on the tray by the time you open the drawer, touch the plate.",
    # what could be meant of more than one clause is not cut
    "If the drawer is open, stash the mug in the bowl and polish it and then close it.",
    "Never hoist the mug or whistle.",
    # half a clause, of what was said of another thing
    "Never touch the mug; the plate is, too.",
    "It would be nice if the mug did not end up in the drawer and the bowl did.",
    "It would be nice if the mug did not end up in the drawer. The bowl did.",
    "Put the mug in the bowl. The plate is as well.",
    # an order with its limit: neither is said without the other, nor "only" of something else
    "You must only put the mug in the bowl when the drawer is open.",
    "The mug must only be put in the bowl after the drawer is open, and then close it.",
    "Stash the mug in the bowl if it is raining cats.",
    "Either stash the mug in the bowl or whistle.",
    "You may stash the mug in the bowl.",
    "Don't never stash the mug in the bowl.",
    "Stash the mug in the bowl by polishing it.",
    "Relocate the mug.",
    # reports, permissions, questions that are no orders
    "Did you stash the mug in the bowl?",
    "Did you hoist the mug and stash it in the bowl?",
    "You have stashed the mug in the bowl.",
    "You had stashed the mug in the bowl.",
    "You did stash the mug in the bowl.",
    "You can stash the mug in the bowl.",
    "You can use the drawer to stash the bowl in.",
    "You should have stashed the mug in the bowl.",
    "I saw you stash the mug in the bowl.",
    "I thought you should stash the mug in the bowl.",
    "Why did you stash the mug in the bowl?",
    # what is forbidden, or not asked for
    "Skip stashing the mug in the bowl.",
    "Hardly ever stash the mug in the bowl.",
    "It would be awful to stash the mug in the bowl.",
    "I fear you stash the mug in the bowl.",
    "You need not stash the mug in the bowl.",
    "You would not stash the mug in the bowl.",
    "Stash the mug in the bowl, not.",
    "I let you stash the mug in the bowl.",
    "Don't hoist the mug and stash it in the bowl.",
    # what somebody else does
    "Ask Anna to stash the mug in the bowl.",
    "Help Anna stash the mug in the bowl.",
    "I asked Anna to stash the mug in the bowl.",
    # what the grammar refuses because it is not clear
    "Do not leave the mug on the tray.",
    "The mug must not stay on the tray while the drawer is open.",
    # times, conditions and alternatives that are not understood
    "Never touch the mug at the end.",
    "Stash the mug in the bowl. Do not fiddle with the plate afterwards.",
    "Stash the mug in the bowl, then never fiddle with the plate.",
    "Do not fiddle with the plate just now. Stash the mug in the bowl.",
    "Do not fiddle with the plate yet.",
    "Stash the mug in the bowl even if the drawer is open.",
    "Stash the mug in the bowl just in case the drawer is open.",
    "You stash the mug in the bowl every time I look.",
    "Stash the mug in the bowl as I come in.",
    "Put the mug down wherever the book is.",
    "Hoist the plate, or hoist the mug and stash it in the bowl.",
    # what was only going to be asked
    "I was going to ask you to stash the mug in the bowl.",
    "Hoist the mug. I was going to ask you to stash it in the bowl.",
    # verbs of another meaning
    "Take the mug away.",
    "Make way for the mug.",
    # places that the library has no word for are no places to hold a thing at
    "Put the mug under the bowl.",
    "Stash the mug opposite the bowl.",
    "Put the mug out of the bowl.",
    "Carry the mug under the bowl.",
    # what stands before a colon may say how, when or whether
    "With both hands: hoist the mug.",
    "In slow motion: hoist the mug.",
    "Optional: hoist the mug.",
    "Sometimes: hoist the mug.",
    "Practice run: hoist the mug.",
)
"""Clauses that are not worded without what limits or turns them."""
TOLD = (
    ("Pop the mug on the tray, but don't fiddle with the plate in a hurry.", "in a hurry"),
    (
        "Would you mind terribly fetching my mug from the tray and popping it in the bowl?",
        "terribly",
    ),
)


WITHHELD = (
    "At most one of the mug and the plate must be in the bowl.",
    "Two of the mug, the plate and the coaster must not be on the tray.",
    "Only two of the mug, the plate and the coaster go on the tray.",
    "The mug, not the plate, put it on the tray.",
    "The mug, touch the plate, then put it on the tray.",
    "The mug on the tray, put it in the bowl.",
    "The mug: not on the tray, put it in the bowl.",
    "By the time the mug is on the tray, never touch the plate.",
    "Keep the drawer open by the time you touch the mug.",
    "Close the drawer by the time you touch the mug for the second time.",
    "In that case touch the mug.",
    "Put not one block on the tray but all of them.",
    "Build a tower of two blocks: blue at the bottom, green in the middle, red on top.",
    "Put at most two or more blocks on the tray.",
    "The coaster may stay under the mug.",
    "Touch the mug twice and never touch the bowl in between.",
    "Touch the mug, then the plate, and in between touch the bowl.",
    "If the drawer is open, touch the mug, then the plate, and never touch the bowl in between.",
    "If not the mug but the plate is on the tray, open the drawer.",
    "Unless the mug is on the tray by the time you open the drawer, touch the plate.",
    "Is only the mug on the tray? Then open the drawer.",
    "Is the drawer open? If not, leave it that way, then touch the mug.",
    "Not one of the blocks may be on the tray for long.",
    "Open the drawer and the bowl and put in the mug.",
    "The mug and the plate, touch the one and take the other.",
)
"""What is left out of these may change what the rest means, or what "it" stands for."""


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    made: DependencyParser = registry.create("dependency_parser", "spacy")
    return made


def offered(text: str, lexicon: Lexicon, parser: DependencyParser) -> PartlyUnderstoodError:
    with pytest.raises(PartlyUnderstoodError) as caught:
        Interpreter(lexicon, parser=parser).interpret(text)
    return caught.value


@pytest.mark.parametrize(("text", "wording", "formula"), OFFERED)
def test_free_english_is_asked_about_in_controlled_english(
    parser: DependencyParser, text: str, wording: str, formula: str
) -> None:
    offer = offered(text, TABLE, parser)
    assert f'"{wording}" Is that right?' in offer.message
    assert to_text(offer.offered.formula) == formula
    assert offer.asked.words == () and is_offer(offer)
    said = Interpreter(TABLE).interpret(wording)
    assert said.formula == offer.offered.formula


@pytest.mark.parametrize(("text", "formula"), LOOSENED)
def test_what_is_near_to_what_is_read_is_asked_about(
    parser: DependencyParser, text: str, formula: str
) -> None:
    offer = offered(text, TABLE, parser)
    assert to_text(offer.offered.formula) == formula
    assert is_offer(offer)


@pytest.mark.parametrize("text", WITHHELD)
def test_nothing_is_offered_whose_meaning_may_hang_on_what_is_left_out(
    parser: DependencyParser, text: str
) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    assert caught.value.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
    assert not isinstance(caught.value, PartlyUnderstoodError)


@pytest.mark.parametrize(("text", "left"), TOLD)
def test_what_stands_in_no_wording_is_told(parser: DependencyParser, text: str, left: str) -> None:
    assert left in offered(text, TABLE, parser).asked.words


@pytest.mark.parametrize("text", REFUSED)
def test_no_clause_is_offered_without_what_turns_it(parser: DependencyParser, text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    offer = caught.value
    assert not isinstance(offer, PartlyUnderstoodError) or offer.asked.limiting


@pytest.mark.parametrize("word", ["Actually", "Sorry,"])
def test_what_takes_back_is_no_further_step(parser: DependencyParser, word: str) -> None:
    offer = offered(f"Stash the mug in the bowl. {word} hoist the plate.", TABLE, parser)
    assert offer.asked.words == (f"{word} hoist the plate",) and offer.asked.limiting


def test_a_number_keeps_the_word_that_limits_it(parser: DependencyParser) -> None:
    offer = offered("Stash just one block in the bowl.", TABLE, parser)
    assert '"Put just one block in the bowl."' in offer.message


@pytest.mark.parametrize(
    "text",
    ["Wait for the sofa.", "Trundle past the sofa.", "Stay at the sofa.", "Go round the cat."],
)
def test_no_other_verb_is_going_there(parser: DependencyParser, text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(FLAT, parser=parser).interpret(text)
    assert not isinstance(caught.value, PartlyUnderstoodError)


def test_nothing_is_worded_without_a_condition_that_is_a_reason(parser: DependencyParser) -> None:
    left = "Because if it is hot, then the plate should be stashed and the drawer shut"
    made = offered(f"Hoist the mug. {left}.", TABLE, parser)
    assert made.asked.words == (left,) and made.asked.limiting
    assert to_text(made.offered.formula) == "F(holding(mug))"


def test_what_comes_after_something_with_a_condition_comes_after_it(
    parser: DependencyParser,
) -> None:
    made = offered("If the drawer is open, close it, then put the mug on the tray.", TABLE, parser)
    assert to_text(made.offered.formula) == (
        "F(on(mug, tray)) & (!open(drawer) | F(closed(drawer) & F(on(mug, tray))))"
    )


def test_what_the_grammar_reads_stays_beside_what_is_worded(parser: DependencyParser) -> None:
    text = (
        "Right, so my daughter is coming and she hates clutter, so would you tuck the blocks away "
        "in the drawer, but leave the mug standing on the plate where I can reach it?"
    )
    read = Interpreter(TABLE, parser=parser).interpret(text)
    assert to_text(read.formula) == "F(all x1 in block: (in(x1, drawer))) & G(on(mug, plate))"
    told = " ".join(read.assumptions)
    assert "my daughter is coming" in told and "she hates clutter" in told


def test_a_part_without_a_verb_goes_on_with_the_part_before(parser: DependencyParser) -> None:
    text = (
        "I'm expecting visitors at four, so first take the mug off to the kitchen, then the teddy "
        "back to the bedroom, and only when all of that is done come and stand by the sofa, please."
    )
    spec = offered(text, FLAT, parser)
    assert spec.asked.words == () and "teddy is placed at the bedroom" in spec.message


@pytest.mark.parametrize(
    "text",
    [
        "Shove the tray on the bowl, the plate on the tray and the blue block on the plate.",
        "Because if it is, then drop the mug and the drawer shut, whereas the tray is closed.",
        "Polish the mug first. One to the tray and one to the bowl.",
    ],
)
def test_parts_that_need_each_other_are_not_read_alone(parser: DependencyParser, text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    assert not isinstance(caught.value, PartlyUnderstoodError)


WINDING = (
    "Good morning! My granddaughter has left her blocks all over the place, so hoist the mug and "
    "pop it in the bowl, and {part}, and don't fiddle with the plate. Her dog ate my breakfast."
)


def test_parts_of_a_long_sentence_are_worded_by_themselves(parser: DependencyParser) -> None:
    text = WINDING.format(part="the crockery shall gleam")
    made = offered(text, TABLE, parser)
    assert made.asked.words == ("the crockery shall gleam",)
    told = " ".join(made.offered.assumptions).lower()
    assert "my granddaughter has left her blocks" in told and "her dog ate my breakfast" in told
    reader = Interpreter(TABLE, parser=parser)
    with pytest.raises(PartlyUnderstoodError) as caught:
        reader.correct(made.offered, "stash the red block in the drawer")
    at_once = offered(WINDING.format(part="stash the red block in the drawer"), TABLE, parser)
    assert caught.value.offered.formula == at_once.offered.formula
    assert caught.value.asked == at_once.asked and is_offer(caught.value)


APART = (
    # a condition with what it governs, before and after it
    (
        "Put the mug on the tray, and when it has gone cold shove the plate about, and close the "
        "drawer.",
        "when it has gone cold shove the plate about",
        "F(on(mug, tray) & F(closed(drawer)))",
    ),
    (
        "Put the mug on the tray, polish the plate unless the dog barks, and never touch the bowl.",
        "polish the plate unless the dog barks",
        "F(on(mug, tray)) & G(!touching(bowl))",
    ),
    (
        "Open the drawer, but before the dog barks, polish the plate, and never touch the bowl.",
        "before the dog barks, polish the plate",
        "F(open(drawer)) & G(!touching(bowl))",
    ),
    (
        "Open the drawer, polish the plate except for its rim, it is dirty, and never touch the "
        "bowl.",
        "polish the plate except for its rim",
        "F(open(drawer)) & G(!touching(bowl))",
    ),
    # what is denied before something is thrown in
    (
        "Put the mug on the tray. And don't, whatever happens, nudge or rattle the plate.",
        "And don't, whatever happens, nudge or rattle the plate",
        "F(on(mug, tray))",
    ),
    # an order among things
    (
        "Put the red and the green block in the bowl, the heavy one first.",
        "the heavy one first",
        "F(in(red_block, bowl) & in(green_block, bowl))",
    ),
)


@pytest.mark.parametrize(("text", "part", "formula"), APART)
def test_what_may_limit_is_asked_about_by_itself_and_the_rest_is_kept(
    parser: DependencyParser, text: str, part: str, formula: str
) -> None:
    made = offered(text, TABLE, parser)
    assert made.asked.words == (part,) and not is_offer(made)
    assert to_text(made.offered.formula) == formula


DESCRIBED = (
    ("which is new and rather delicate", True),
    ("which you'll find on the bowl", True),
    ("who has waited for hours", True),
    ("which goes in the bowl", False),
    ("which you should wash", False),
    ("which is to be washed", False),
    ("which is never dirty", False),
)


@pytest.mark.parametrize(("clause", "told"), DESCRIBED)
def test_what_a_thing_is_like_is_told_but_not_what_is_to_be_done_with_it(
    parser: DependencyParser, clause: str, told: bool
) -> None:
    text = f"Put the mug on the tray, and touch the plate, {clause}."
    aside = f"'{clause}' asks for nothing"
    try:
        assumptions = Interpreter(TABLE, parser=parser).interpret(text).assumptions
    except PartlyUnderstoodError as error:
        assumptions = error.offered.assumptions
    assert (aside in assumptions) == told


CHANGED = (
    # an exception, a correction, an alternative or a bound that is not understood
    "Put every block in the bowl, except the shiny one, which my boss bought, and touch the tray.",
    "Put all the blocks on the tray, with the one exception that the red one may stay put.",
    "Put the green block on the coaster, hmm no, into the bowl rather, and then touch the plate.",
    "Touch the blocks, though not the red one if it wobbles.",
    "Put the mug on the tray, or, if you prefer, on the plate, it is all the same to me.",
    "Hold the mug, once the kettle whistles, until the bell rings.",
    "Touch the mug, if the kettle whistles, and close the drawer.",
    # the order of what was understood
    "Open the drawer, put the mug on the tray, in whichever sequence suits your arm.",
    "Open the drawer. Put the mug on the tray. Do the mug first though.",
    # the other way round, "it" would be the drawer
    "If the mug is on the coaster, put it on the plate, and if it is not on the tray, shut the "
    "drawer.",
)
UNCHANGED = ("F(in(", "F(on(", "touching(x", "holding(", "F(open(drawer) &", "touching(mug)",
             "on(drawer")  # fmt: skip


@pytest.mark.parametrize("text", CHANGED)
def test_nothing_is_offered_that_what_is_left_out_may_change(
    parser: DependencyParser, text: str
) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    if isinstance(caught.value, PartlyUnderstoodError):
        formula = to_text(caught.value.offered.formula)
        if not formula.startswith("!on(mug, coaster)"):
            assert not any(part in formula for part in UNCHANGED)
        assert "on(drawer" not in formula


NOT_OFFERED = (
    "If the mug is on the tray, which must be empty, touch the plate.",
    "If the drawer is open, which means that the mug is in it, touch the mug.",
    "If not the mug but the plate is on the tray, open the drawer.",
    "Unless the mug is on the tray by the time you open the drawer, touch the plate.",
    "If the dog barks, and the cat purrs, and the bell rings, touch the plate, then the bowl.",
    "There is no need for the mug if the dog barks; otherwise, touch the plate.",
    "With the drawer open, you should touch the mug; with it closed, the plate.",
    # a question on whose answer the rest depends
    "Is only the mug on the tray? Then open the drawer.",
    "Is the drawer never open? Then open it.",
    "Is the drawer open by the end? Then close it.",
    "Is the drawer open? If not, leave it that way, then touch the mug.",
    # a sentence that limits the one before, or takes its place
    "Touch the mug. Well, unless it wobbles.",
    "Touch the mug. Though not if it wobbles.",
    "Touch the mug. Only when it is quiet outside.",
    "Touch the mug. Instead touch the plate.",
    "Put the mug on the tray. Into the wibble instead.",
    # which one, or another one
    "Take the red block, the one on the tray, or the plate.",
    "Touch the one on the tray.",
    # whether it is forbidden as long as that is so, or as things stand at the beginning
    "No block on the tray unless the drawer is open.",
    "Nothing on the tray if the drawer is closed.",
    "Put the blocks on the tray, hmm, except fluffy ones.",
)


@pytest.mark.parametrize("text", NOT_OFFERED)
def test_nothing_is_offered_of_what_the_rest_decides(parser: DependencyParser, text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    assert not isinstance(caught.value, PartlyUnderstoodError)


def test_an_order_that_is_as_it_was_said_takes_no_step_with_it(parser: DependencyParser) -> None:
    with pytest.raises(PartlyUnderstoodError) as caught:
        Interpreter(TABLE, parser=parser).interpret(
            "Right, bedtime. Touch the plate, touch the bowl, and touch the mug, in that order if "
            "Ingrid fancies it."
        )
    formula = to_text(caught.value.offered.formula)
    assert formula == "F(touching(plate) & F(touching(bowl) & F(touching(mug))))"


def test_nothing_is_offered_that_contradicts_itself(parser: DependencyParser) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(FLAT, parser=parser).interpret(
            "Go to the sofa, which must not be touched, and the desk."
        )
    assert not isinstance(caught.value, PartlyUnderstoodError)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I might want the mug on the tray. Touch the plate.", "I might want the mug on the tray"),
        ("Touch the block, which is red.", "which is red"),
        (
            "Touch the red block, the one in the bowl stays there.",
            "the one in the bowl stays there",
        ),
        ("The cake was on the tray. Take it off, then touch the mug.", "Take it off"),
    ],
)
def test_what_may_say_which_or_ask_for_nothing_is_asked_about(
    parser: DependencyParser, text: str, part: str
) -> None:
    assert offered(text, TABLE, parser).asked.words == (part,)


def test_a_later_limit_is_no_limit_of_what_a_condition_governs(parser: DependencyParser) -> None:
    text = "Unless the drawer is open, touch the mug, which must be on the tray."
    assert isinstance(offered(text, TABLE, parser), PartlyUnderstoodError)


LONG = (
    "Right then, so put the red block on the plate, and {first}, and then the mug goes on the "
    "tray, {second}, and never touch the bowl because it is cracked."
)
UNCLEAR = LONG.format(
    first="when you hear the kettle whistle shove the green block about",
    second="let the drawer squeak on its hinges",
)


def test_parts_of_a_long_text_are_asked_about_in_turn_and_nothing_else_is_lost(
    parser: DependencyParser,
) -> None:
    made = offered(UNCLEAR, TABLE, parser)
    assert len(made.asked.words) == 2
    reader = Interpreter(TABLE, parser=parser)
    first = "once the red block is on the plate put the green block in the bowl"
    with pytest.raises(PartlyUnderstoodError) as caught:
        reader.correct(made.offered, first)
    still = caught.value
    assert still.asked.words == ("let the drawer squeak on its hinges",)
    try:
        done = reader.correct(still.offered, "open the drawer")
    except PartlyUnderstoodError as last:  # it was cut, which is asked about
        assert is_offer(last) and not last.asked.words
        done = reader.correct(last.offered, GO_ON)
    said = LONG.format(first=first, second="open the drawer")
    at_once = Interpreter(TABLE, parser=parser)
    try:
        meant = at_once.interpret(said)
    except PartlyUnderstoodError as other:
        meant = other.offered
    assert done.formula == meant.formula and done.asked is None
    assert done.instruction == UNCLEAR


@pytest.mark.parametrize(
    "text",
    [
        # what stands there may be what the part that is not understood names
        "The plate is where it should be. If it's there, polish it, and if it isn't there, go on.",
        # how a thing is to be, not what became of it
        "Put the mug on the tray. Drawer closed by the minute, please.",
    ],
)
def test_nothing_is_told_or_worded_that_may_be_meant_otherwise(
    parser: DependencyParser, text: str
) -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=parser).interpret(text)
    error = caught.value
    assert not isinstance(error, PartlyUnderstoodError) or error.asked.words


@pytest.mark.parametrize(
    ("text", "yes_is_enough"),
    [
        ("Right, hoist the mug, hmm, and pop it in the bowl. Got it?", True),
        ("Errand for you: first hoist the mug, second pop it in the bowl.", True),
        ("Delivery run: hoist the mug, and pop it in the bowl.", True),
        ("Procedure for the demo: hoist the mug.", True),
        ("Test run: hoist the mug.", False),
        ("Hoist the mug, right, and pop it in the bowl.", False),
    ],
)
def test_interjections_and_headings_ask_for_nothing(
    parser: DependencyParser, text: str, yes_is_enough: bool
) -> None:
    assert is_offer(offered(text, TABLE, parser)) == yes_is_enough


@pytest.mark.parametrize(
    "text",
    [
        "Hoist the mug. Then it goes in the bowl again.",
        "Hoist the mug, and it goes in the bowl again, and hoist the plate.",
        "Hoist the mug. We would love the bowl on the tray.",
        "Hoist the mug. They have to see the bowl on the tray.",
    ],
)
def test_what_may_ask_for_something_is_not_told_as_a_story(
    parser: DependencyParser, text: str
) -> None:
    made = offered(text, TABLE, parser)
    understood = made.message.partition("I did not")[0]
    assert "bowl" in " ".join((*made.asked.words, understood))


@pytest.mark.parametrize(
    "limit",
    [
        "The gripper never exceeds five newtons",
        "Singing is banned",
        "Speed stays low",
        "The stove stays off",
        "Nobody enters the garage",
        "The arm never swings sideways",
        "No cooking happens tonight",
        "The top speed is ten",
        "Anna had better feel no jolt",
    ],
)
def test_a_limit_on_what_is_not_of_the_scene_is_no_story(
    parser: DependencyParser, limit: str
) -> None:
    for text in (f"Hoist the mug. {limit}.", f"Put the mug on the tray. {limit}. Polish the sky."):
        made = offered(text, TABLE, parser)
        assert limit in made.asked.words and not is_offer(made)


@pytest.mark.parametrize(
    ("told", "is_story"),
    [
        ("My hands shake now", True),
        ("The demo is at three and the bench looks awful", True),
        ("The visitors arrive soon", True),
        ("The arm swings about", False),
        ("The stew has to simmer", False),
        ("The batteries lie over there", False),
        ("My daughter comes at four", True),
        ("My daughter is coming at four and she hates clutter", True),
        ("I'm a bit worried about the bowl because it drips", True),
        ("I keep bumping my hip on the drawer", True),
        ("I'm not as young as I was", True),
        ("She hates it on the tray", False),
        ("I keep the plate on the tray", False),
        ("I'm expecting the plate on the tray", False),
        ("The arm moves slowly", False),
        ("My sister wants the bowl on the plate", False),
        ("They must not see the plate", False),
        ("I'll get the mug myself", False),
        ("I can get the mug", False),
        ("It always returns to the drawer", False),
        ("It comes first", False),
    ],
)
def test_a_story_beside_what_the_grammar_reads_is_told_with_the_reading(
    parser: DependencyParser, told: str, is_story: bool
) -> None:
    reader = Interpreter(TABLE, parser=parser)
    text = f"Put the mug on the tray. {told}."
    if not is_story:
        assert told in offered(text, TABLE, parser).asked.words
        return
    spec = reader.interpret(text)
    assert to_text(spec.formula) == "F(on(mug, tray))"
    assert spec.assumptions == (f"'{told}' asks for nothing",)


def test_who_agrees_has_a_task_with_their_own_words(parser: DependencyParser) -> None:
    interpreter = Interpreter(TABLE, parser=parser)
    text, _, formula = OFFERED[0]
    spec = interpreter.correct(offered(text, TABLE, parser).offered, GO_ON)
    assert spec.instruction == text and to_text(spec.formula) == formula


def test_what_the_grammar_reads_is_never_parsed() -> None:
    assert Interpreter(TABLE, parser=NoParser()).interpret("Put the mug on the tray.")


def test_words_of_two_meanings_are_not_worded_as_one_of_them() -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=NoParser()).interpret("Put the mug on the plate in the bowl.")
    assert "more than one meaning" in caught.value.message


def test_without_a_parser_the_refusal_says_what_is_missing() -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(TABLE, parser=Missing()).interpret(OFFERED[0][0])
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert "needs the package 'spacy'" in caught.value.hint


class NoParser:
    """Fails the test."""

    def parse(self, words: Sequence[str]) -> Sequence[ParsedWord]:
        raise AssertionError(words)


class Missing:
    """A parser that is not installed."""

    def parse(self, words: Sequence[str]) -> Sequence[ParsedWord]:
        raise SaySoError(
            Code.MISSING_DEPENDENCY, "it needs the package 'spacy'.", hint="install it."
        )


class _Counting:
    """A parser that notes what it is given."""

    def __init__(self) -> None:
        self.given: list[tuple[str, ...]] = []

    def parse(self, words: Sequence[str]) -> Sequence[ParsedWord]:
        self.given.append(tuple(words))
        return ()


def test_the_same_words_are_parsed_once() -> None:
    parser = _Counting()
    trees = Trees(TABLE, parser)
    assert trees.of(["stack", "blue"]) == trees.of(["stack", "blue"]) == ((), 2)
    assert parser.given == [("You", "should", "stack", "blue", ".")]


def test_a_thing_with_the_name_of_a_plain_word_is_not_passed_over(parser: DependencyParser) -> None:
    """ "And the can" names a thing, whatever else "can" is."""
    lexicon = Lexicon.of(load(builtin_path("flat")), {"mug", "can"})
    offer = offered("Put the mug on the desk and the can.", lexicon, parser)
    assert offer.asked.words == ("the can",)
