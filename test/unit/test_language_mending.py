"""What is said in place of what was said before, and what is taken back."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language import controlled_english, offers
from sayso.language.lexicon import Lexicon
from sayso.logic.text import to_text

TABLE = Lexicon.of(load(builtin_path()))
FLAT = Lexicon.of(load(builtin_path("flat")))

READ_AT_THE_TABLE = [
    # in the sentence: the last of several things, or what is like what is said
    ("Touch the mug and the plate, no, the bowl.", "F(touching(mug) & F(touching(bowl)))"),
    ("Put the mug on the plate, no, the tray.", "F(on(mug, tray))"),
    ("Put the red block in the bowl, no, the drawer.", "F(in(red_block, drawer))"),
    (
        "Put the mug and the red block on the tray, no, the green one.",
        "F(on(mug, tray) & on(green_block, tray))",
    ),
    (
        "Put the red block on the blue block, no, the other way round.",
        "F(on(blue_block, red_block))",
    ),
    # in a sentence of its own
    ("Put the red block on the plate. No wait, on the tray.", "F(on(red_block, tray))"),
    ("Put the red block on the plate. No wait, the green one.", "F(on(green_block, plate))"),
    ("Blue on red. No wait, red on blue.", "F(on(red_thing, blue_thing))"),
    ("Put the red block on the blue one. The other way round!", "F(on(blue_block, red_block))"),
    (
        "Touch the mug, then the plate. No, the other way round.",
        "F(touching(plate) & F(touching(mug)))",
    ),
    ("Put the red block on the plate. Sorry, I mean the green one.", "F(on(green_block, plate))"),
    ("Touch the mug. Wait, no, I meant the plate.", "F(touching(plate))"),
    ("Put the red block on the plate. Correction: the blue block.", "F(on(blue_block, plate))"),
    ("Put the red block on the plate. Scratch that, put the mug on the tray.", "F(on(mug, tray))"),
    ("Touch the mug. Actually, touch the bowl.", "F(touching(bowl))"),
    ("Open the drawer. No, touch the mug.", "F(touching(mug))"),
    (
        "Pick up the red block and put it on the plate. Sorry, I mean the green one.",
        "F(holding(green_block) & F(on(green_block, plate)))",
    ),
    (
        "Pick up the red block and put it on the plate. No, in the bowl. Then open the drawer.",
        "F(holding(red_block) & F(in(red_block, bowl) & F(open(drawer))))",
    ),
    # how often and that nothing else is done, as said last
    ("Touch the mug. Actually, only touch the bowl.",
     "F(touching(bowl)) & all x1 in thing other than bowl: (G(!touching(x1)))"),
    ("Touch the mug. No wait, touch the bowl at most once.",
     "!F(touching(bowl) & F(!touching(bowl) & F(touching(bowl))))"),
    ("Touch the mug twice. No, the bowl.",
     "F(touching(bowl) & F(!touching(bowl) & F(touching(bowl))))"),
    ("No, put the mug in the bowl.", "F(in(mug, bowl))"),
    (
        "Put the mug on the tray. Sorry, could you open the drawer?",
        "F(on(mug, tray) & F(open(drawer)))",
    ),
    # with a reason in between
    (
        "Put the red block on the plate, no, sorry, the mug's standing on that, so put it in the "
        "bowl instead.",
        "F(in(red_block, bowl))",
    ),
    (
        "Put the mug to the left of the bowl, no wait, I need room on that side, so make it to the "
        "right of the bowl.",
        "F(right_of(mug, bowl))",
    ),
    ("Put the mug on the tray, oh no, that's dirty, on the plate I mean.", "F(on(mug, plate))"),
    (
        "Pick up the mug and put it on the plate, no, hang on, there's no room on that, on the "
        "tray instead.",
        "F(holding(mug) & F(on(mug, tray)))",
    ),
    ("Touch the mug, no wait, that one is hot, so touch the cup.", "F(touching(cup))"),
    (
        "Put the blue block on the plate. No wait, my son wants that one in the bowl, so bowl "
        "please, and put the red one on the plate instead.",
        "F(in(blue_block, bowl) & on(red_block, plate))",
    ),
    ("Put the red block in the drawer, no, my daughter needs it in the bowl.",
     "F(in(red_block, bowl))"),
    ("The mug goes on the coaster, no, on the tray, and the block goes there too.",
     "F(on(mug, tray) & on(block, tray))"),
    ("Put the red block in the bowl, no, hold on, the drawer is better.",
     "F(in(red_block, drawer))"),
    ("Put the red block in the bowl, actually, make that the drawer.", "F(in(red_block, drawer))"),
    ("Put the red block on the plate, no, not that one, the blue one.", "F(on(blue_block, plate))"),
    # some of several things
    ("Put the mug and the plate on the tray, no, just the mug, and then open the drawer.",
     "F(on(mug, tray) & F(open(drawer)))"),
    (
        "Put the mug, the plate and the cup on the tray, no, leave the plate, and then open the "
        "drawer.",
        "F(on(mug, tray) & on(cup, tray) & F(open(drawer))) & G(!touching(plate))",
    ),
    ("Put the mug and the cup on the tray, no, not the cup.", "F(on(mug, tray))"),
    # a step, in place of which something is left as it is
    ("Open the drawer, no, sorry, leave it shut, and put the mug on the tray.",
     "F(on(mug, tray)) & G(closed(drawer))"),
    (
        "Put the red block in the bowl, no, my daughter is playing with that, so leave it where it "
        "is.",
        "G(!touching(red_block))",
    ),
    # taken back
    ("Touch the mug and the plate. Never mind about the mug.", "F(touching(plate))"),
    ("Touch the plate. Never mind about the mug.", "F(touching(plate))"),
    (
        "Put the red block on the plate, then touch the mug. Actually, leave the mug where it is.",
        "F(on(red_block, plate)) & G(!touching(mug))",
    ),
    ("Touch the mug. Actually, leave the mug where it is.", "G(!touching(mug))"),
    (
        "Pick up the mug and put it in the bowl. Actually, don't put it in the bowl.",
        "F(holding(mug)) & G(!in(mug, bowl))",
    ),
    ("Put the mug in the bowl. No, never touch the mug.", "G(!touching(mug))"),
    (
        "Put the mug in the bowl. Actually, leave the bowl empty.",
        "all x1 in thing other than bowl: (G(!in(x1, bowl)))",
    ),
    (
        "Put the mug in the bowl, then touch the plate. Actually, nothing may be in the bowl.",
        "F(touching(plate)) & all x1 in thing: (G(!in(x1, bowl)))",
    ),
    ("Touch the mug. Actually, do not touch anything.", "all x1 in thing: (G(!touching(x1)))"),
    ("Open the drawer. Actually, keep it closed.", "G(closed(drawer))"),
    ("Open the drawer. No, leave it closed.", "G(closed(drawer))"),
    ("Touch the mug and the plate. No wait, not the plate.", "F(touching(mug))"),
    (
        "Put the mug in the bowl and the red block on the plate. Actually, not the mug.",
        "F(on(red_block, plate))",
    ),
    # an exception
    (
        "Touch all the blocks but leave the red one alone.",
        "all x1 in block other than red_block: (F(touching(x1))) & G(!touching(red_block))",
    ),
    (
        "Touch all the blocks, but skip the red one.",
        "all x1 in block other than red_block: (F(touching(x1)))",
    ),
    # "the last one": what is left of the kind
    (
        "Put the red block in the bowl, the green one on the plate, then the last one on the tray.",
        "F(in(red_block, bowl) & F(on(green_block, plate) & "
        "F(only x1 in block other than red_block, green_block: (on(x1, tray)))))",
    ),
]  # fmt: skip
READ_IN_THE_FLAT = [
    (
        "Put the red mug and the apple on the counter, no, leave the apple, I may eat it yet, just "
        "the red mug.",
        "F(holding(red_mug) & F(placed(red_mug, counter))) & G(!holding(apple))",
    ),
    (
        "Could you take the red mug and the blue mug to the fridge, hmm, no, actually just put "
        "them on the counter.",
        "F(holding(red_mug) & F(placed(red_mug, counter))) & "
        "F(holding(blue_mug) & F(placed(blue_mug, counter)))",
    ),
    (
        "Put the book on the desk, and as soon as it's there switch off the desk lamp, no, what am "
        "I saying, she'll need that one, leave it on, and switch on the floor lamp instead.",
        "F(holding(book) & F(placed(book, desk) & F(lit(floor_lamp)))) & G(lit(desk_lamp))",
    ),
    (
        "Put the book on the desk, and once it's there switch off the desk lamp, no, the floor "
        "lamp.",
        "F(holding(book) & F(placed(book, desk) & F(!lit(floor_lamp))))",
    ),
    (
        "Bring the book to the desk. No, sorry, my wife is working there, so bring it to the bed "
        "instead.",
        "F(holding(book) & F(placed(book, bed)))",
    ),
    ("Switch on the floor lamp, oh no, it is too bright in here, so the desk lamp instead.",
     "F(lit(desk_lamp))"),
    ("Go to the sofa, then the bed. Actually, skip the bed.", "F(near(sofa))"),
    ("Go to the sofa and the bed. No, not the bed.", "F(near(sofa))"),
    ("Open the fridge. Actually, keep it closed.", "G(closed(fridge))"),
    ("Turn on the lamp. Actually, leave the lamp off.", "G(!lit(lamp))"),
    ("Go to the sofa, then the bed. Skip the bed.", "F(near(sofa))"),
    ("Go to the sofa, then the bed. Don't worry about the bed.", "F(near(sofa))"),
    ("Go to the sofa. Skip the bed.", "F(near(sofa)) & G(!near(bed))"),
    (
        "Go to the sofa, then the bed, then the desk. Skip the bed, then go to the sink.",
        "F(near(sofa) & F(near(desk) & F(near(sink))))",
    ),
    ("Visit every room. Skip the bathroom.", "all x1 in room other than bathroom: (F(near(x1)))"),
    ("Go to the sofa, the bed and the desk, no, the sink.",
     "F(near(sofa)) & F(near(bed)) & F(near(sink))"),
    ("Go to the sofa. Actually, go to the bed.", "F(near(bed))"),
    ("Bring the mug to the sofa. No, the kitchen.", "F(holding(mug) & F(placed(mug, kitchen)))"),
    (
        "Bring the mug to the sofa, then go to the bed. Actually, leave the mug where it is.",
        "F(near(bed)) & G(!holding(mug))",
    ),
    (
        "Go to the red chair, then the green chair, then the last one.",
        "F(near(red_chair) & F(near(green_chair) & "
        "F(only x1 in chair other than red_chair, green_chair: (near(x1)))))",
    ),
]  # fmt: skip
ASKED = [
    # it may take the place of more than one thing
    "Touch the mug and the plate, no, the bowl and the tray.",
    "Touch the mug or the plate, no, the bowl.",
    "Put the red block and the blue block on the tray, no, the green one.",
    "Put the red block on the plate, no, the tray.",
    "Blue on red, then green on yellow. No wait, red on blue.",
    "Put the red block on the blue block, then touch the mug. No, the other way round.",
    "Put the mug on the plate. The other way round.",
    "Open the drawer, then touch the plate. Scratch that, touch the mug.",
    # it is not clear whether it takes the place of anything
    "Open the drawer. Actually, touch the mug.",
    "Open the drawer. Sorry, touch the mug.",
    "Put the red block on the plate, and never touch the mug. No, the bowl.",
    "Touch the mug before you touch the bowl. Sorry, the plate.",
    "Touch the mug without touching the bowl. Sorry, the plate.",
    "Touch the mug, then the plate. No actually, open the drawer before all that.",
    # a prohibition gets no weaker
    "Never touch the mug. No wait, the bowl.",
    "Never touch the mug. Actually, touch the mug.",
    # what is corrected was not understood
    "Put the mug in the bowl and open the drawer. Polish the plate. No wait, on the tray.",
    # what is left is nothing, or not clear
    "Touch the mug. Skip the mug.",
    "Put the mug on the plate. Actually, skip the plate.",
    "Either touch the mug or the plate. Actually, skip the plate.",
    "Touch the mug. No wait, not the mug.",
    "Put the mug in the bowl. No, not in the bowl.",
    # what is forbidden is not said to be taken back, or not all of what is asked for with it
    "Put all the blocks in the bowl. Actually, never put the red block in the bowl.",
    "Put all the blocks in the bowl. Actually, leave the bowl alone.",
    "Put the mug in the bowl. On second thought, avoid the bowl.",
    "Put the mug in the bowl. Skip the bowl.",
    "Put the mug in the bowl. Actually, keep the mug on the plate.",
    "Touch the mug. Actually, do not touch the mug until the drawer is open.",
    "Touch the mug. No wait, never touch the bowl.",
    "Touch the mug. No wait, keep the drawer closed.",
    # a reason, and another deed: besides, or in the place of that
    "Put the mug on the tray, no, that is right, so open the drawer.",
    "Put the mug on the tray. No, that is right, so open the drawer.",
    # besides
    "Touch the mug, actually the plate too.",
    "Touch the mug. No, the plate as well.",
    # first of all, or in the place of it
    "Touch the mug, no, wait, touch the plate first.",
    # of which things
    "Put the mug on the plate and the block in the bowl, no, put them in the drawer.",
    "Put the mug and the cup on the tray, no, leave the block.",
    "Put the mug and the cup on the tray, no, just the block.",
    "Put the mug and the cup on the tray, no, leave it.",
    "Pick up the mug and put it on the tray, no, leave it.",
    "Open the drawer and put the mug in it, no, just the mug.",
    "Put the red block and the mug in the drawer, no, my daughter wants that one in the bowl.",
    "Put the mug on the plate. No wait, my son wants that one in the bowl, so drawer please.",
    # whether it is still meant as often, or of that alone
    "Touch the mug twice. No, touch the bowl.",
    "Only touch the mug. No, touch the bowl.",
    # the last one of what?
    "Put the red block in the bowl, then the last one on the tray.",
    "Put the red block in the bowl, the mug on the plate, then the last one on the tray.",
    "Put the red block in the bowl, then the second one on the tray.",
]


@pytest.mark.parametrize(("text", "formula"), READ_AT_THE_TABLE)
def test_takes_the_place_of_what_it_can_only_mean(text: str, formula: str) -> None:
    assert to_text(controlled_english.interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(("text", "formula"), READ_IN_THE_FLAT)
def test_takes_the_place_in_a_flat(text: str, formula: str) -> None:
    assert to_text(controlled_english.interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize("text", ASKED)
def test_asks_where_it_is_not_clear_what_is_corrected(text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        offers.interpret(text, TABLE)
    assert caught.value.code is Code.NOT_UNDERSTOOD
