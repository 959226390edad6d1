"""Everyday turns of phrase: what is listed, excepted, contrasted, scrapped, left open or waited
for, and near ones that are asked about."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.lexicon import Lexicon
from sayso.language.offers import interpret
from sayso.logic.text import to_text

TABLE = Lexicon.of(load(builtin_path("tabletop")))
FLAT = Lexicon.of(load(builtin_path("flat")))

AT_THE_TABLE = (
    # a list without a verb, with an exception
    (
        "All blocks in the bowl except the blue one.",
        "F(all x1 in block other than blue_block: (in(x1, bowl)))",
    ),
    (
        "The blocks in the bowl, except for the green one.",
        "F(all x1 in block other than green_block: (in(x1, bowl)))",
    ),
    (
        "All the mugs on the tray apart from the black one, then close the drawer.",
        "F(all x1 in mug other than black_mug: (on(x1, tray)) & F(closed(drawer)))",
    ),
    # looks that are left open
    ("One block on the plate, any colour, thanks.", "F(some x1 in block: (on(x1, plate)))"),
    ("Put a block on the tray, whatever size.", "F(some x1 in block: (on(x1, tray)))"),
    (
        "Put two blocks in the bowl, I don't care which colours.",
        "F(at least 2 x1 in block: (in(x1, bowl)))",
    ),
    # as things are now
    (
        "Everything that's sitting on the plate right now should go into the bowl, apart from the "
        "green block.",
        "F(all x1 in thing::isabove(plate) other than green_block: (in(x1, bowl)))",
    ),
    (
        "Put the block that is on the plate at the moment in the bowl.",
        "F(in(block::isabove(plate), bowl))",
    ),
    (
        "Put each block that you find on the tray in the bowl, but not the black one.",
        "F(all x1 in block::isabove(tray) other than black_block: (in(x1, bowl)))",
    ),
    ("Put the block you see on the tray in the bowl.", "F(in(block::isabove(tray), bowl))"),
    # a place that has something on it, in it
    (
        "Put the mug on the plate, unless the plate already has something on it, in which case put "
        "the mug on the tray.",
        "(some x1 in thing: (on(x1, plate)) | F(on(mug, plate))) & "
        "(!some x1 in thing: (on(x1, plate)) | F(on(mug, tray)))",
    ),
    (
        "If the tray has a block on it, open the drawer.",
        "!some x1 in block: (on(x1, tray)) | F(open(drawer))",
    ),
    (
        "If the bowl has nothing in it, open the drawer.",
        "!all x1 in thing: (!in(x1, bowl)) | F(open(drawer))",
    ),
    # scrapped
    (
        "Put the red block on the plate, then, actually wait, scrap that, put it on the tray "
        "instead.",
        "F(on(red_block, tray))",
    ),
    ("Touch the mug, then, no, scratch that, touch the plate instead.", "F(touching(plate))"),
    ("Take the mug to the tray, or no, hang on, put it on the plate.", "F(on(mug, plate))"),
    # first, behind the verb
    (
        "Please to touch first the red block and then the blue block.",
        "F(touching(red_block) & F(touching(blue_block)))",
    ),
    (
        "Put first the mug in the bowl, then the plate on the tray.",
        "F(in(mug, bowl) & F(on(plate, tray)))",
    ),
    # reasons
    ("Seeing as it's Friday, put the mug on the tray.", "F(on(mug, tray))"),
    ("Put the mug on the tray, seeing as how my boss is coming.", "F(on(mug, tray))"),
    ("Considering it is late, put the mug on the tray.", "F(on(mug, tray))"),
    # one of two, which is said at once
    (
        "Either the mug or the bowl, but not both, should go on the tray.",
        "F(on(mug, tray) | on(bowl, tray)) & G(!(on(mug, tray) & on(bowl, tray)))",
    ),
    (
        "Put either the mug or the bowl, but not both, on the tray.",
        "F(on(mug, tray) | on(bowl, tray)) & G(!(on(mug, tray) & on(bowl, tray)))",
    ),
    (
        "Either the red or the blue block, just not both, must be put in the drawer.",
        "F(in(red_block, drawer) | in(blue_block, drawer)) & "
        "G(!(in(red_block, drawer) & in(blue_block, drawer)))",
    ),
    # where it is not to go: what can not be put anywhere is a place
    ("Put the mug in the bowl, not the drawer.", "F(in(mug, bowl)) & G(!in(mug, drawer))"),
    # and only then
    (
        "After you've put the mug on the tray, and only after, open the drawer.",
        "F(on(mug, tray) & F(open(drawer))) & (G(!open(drawer)) | (!open(drawer) U on(mug, tray)))",
    ),
    (
        "Once the drawer is open, and only then, put the mug in it.",
        "F(open(drawer) & F(in(mug, drawer))) & "
        "(G(!in(mug, drawer)) | (!in(mug, drawer) U open(drawer)))",
    ),
    # the one on the left
    (
        "There are two cups on the table. Leave the one on the left alone, and put the other one "
        "on the plate.",
        "F(only x2 in cup other than cup::isleftof(all cup): (on(x2, plate))) & "
        "G(!touching(cup::isleftof(all cup)))",
    ),
    # what somebody else has done is waited for
    (
        "Until I've put the yellow cup on the tray, please don't touch anything.",
        "all x1 in thing: (G(!touching(x1)) | (!touching(x1) U on(yellow_cup, tray)))",
    ),
    (
        "Do not touch the mug until I have closed the drawer.",
        "G(!touching(mug)) | (!touching(mug) U closed(drawer))",
    ),
    (
        "Once my wife has opened the drawer, put the mug in it.",
        "G(!open(drawer) | F(in(mug, drawer)))",
    ),
    (
        "As soon as somebody has put the mug on the tray, close the drawer.",
        "G(!on(mug, tray) | F(closed(drawer)))",
    ),
    (
        "If I have already put the mug on the tray, close the drawer.",
        "!on(mug, tray) | F(closed(drawer))",
    ),
    # what the arm may not do
    ("Never let the arm touch the bowl.", "G(!touching(bowl))"),
    (
        "Don't let your gripper touch the mug while the drawer is open.",
        "G(!(touching(mug) & open(drawer)))",
    ),
    ("Keep your gripper well away from the mug.", "G(!touching(mug))"),
    (
        "Put the red block on the tray, the mug you don't even touch.",
        "F(on(red_block, tray)) & G(!touching(mug))",
    ),
    ("The bowl you must not touch.", "G(!touching(bowl))"),
    # words that only say it more
    ("The mug does go on the tray.", "F(on(mug, tray))"),
    ("Put the mug over onto the tray.", "F(on(mug, tray))"),
)
IN_A_FLAT = (
    ("Put my book on the bed, not the desk.",
     "F(holding(book) & F(placed(book, bed))) & G(!placed(book, desk))"),
    ("Take the mug to the sofa, not the bed.",
     "F(holding(mug) & F(placed(mug, sofa))) & G(!placed(mug, bed))"),
    ("Put the book on the bed, but not the desk.",
     "F(holding(book) & F(placed(book, bed))) & G(!placed(book, desk))"),
    ("Collect each mug you find in the kitchen, but not the black one.",
     "all x1 in mug::isin(kitchen) other than black_mug: (F(holding(x1)))"),
    ("Don't go into the kitchen until I have closed the fridge.",
     "G(!near(kitchen)) | (!near(kitchen) U closed(fridge))"),
)  # fmt: skip
ASKED = (
    "Put the red block on the plate, any colour.",
    "Put all blocks on the plate, any colour.",
    "Never touch a block, any colour.",
    "Put the mug on the plate. Any colour.",
    "Put the mug on the tray, not the plate.",
    "Put the red block on the plate, then, wait, put it on the tray.",
    "Open the drawer and touch first the mug and then the plate.",
    "Touch first the mug.",
    "The mug and the bowl, but not both, should go on the tray.",
    "Leave the one on the left alone.",
    "After I have opened the drawer, put the mug in it.",
    "The mug at the bottom.",
    "The mug at the bottom, then the plate.",
    "Touch the mug, then, no, scratch that, touch the plate.",
    "Once we have put the mug on the tray, close the drawer.",
    "If no plate has a block on it, open the drawer.",
    "Take the mug out of the bowl, not the drawer.",
    "Put either the mug or the bowl on the tray or the plate, but not both.",
    "Either the mug or the bowl, but not both, should go on the tray or the plate.",
    "Until my son has put the mug on the tray and the bowl on the plate, do not touch the drawer.",
    "Put the mug on the tray until I have closed the drawer.",
    "Pick up the block that's behind the bowl, not the one in front of it.",
)


@pytest.mark.parametrize(("text", "formula"), AT_THE_TABLE)
def test_it_is_read_at_the_table(text: str, formula: str) -> None:
    assert to_text(interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(("text", "formula"), IN_A_FLAT)
def test_it_is_read_in_a_flat(text: str, formula: str) -> None:
    assert to_text(interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize("text", ASKED)
def test_it_is_asked_about(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, TABLE)


def test_a_thing_that_may_be_a_place_or_be_put_there_is_asked_about_in_a_flat() -> None:
    with pytest.raises(SaySoError, match="in place of which thing"):
        interpret("Put the mug on the table, not the cushion.", FLAT)
