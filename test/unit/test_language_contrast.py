"""Things told apart: "not this but that", "the one, but not both", "the former"; and who waits."""

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
    (
        "Put either the red or the green block in the bowl, I don't care which, just not both.",
        "F(in(red_block, bowl) | in(green_block, bowl)) & G(!(in(red_block, bowl) & "
        "in(green_block, bowl)))",
    ),
    (
        "Touch the red block or the mug, but not both.",
        "F(touching(red_block) | touching(mug)) & (G(!touching(red_block)) | G(!touching(mug)))",
    ),
    ("Put the mug not on the plate but on the tray.", "F(on(mug, tray))"),
    ("Put not the red block but the green one on the tray.", "F(on(green_block, tray))"),
    (
        "There's a red block and a blue block in front of you; put the former in the drawer and "
        "the latter on the tray.",
        "F(in(red_block, drawer) & on(blue_block, tray))",
    ),
    ("Put the mug, the white one, on the tray.", "F(on(white_mug, tray))"),
    ("The mug, the small white one, goes on the tray.", "F(on(small_white_mug, tray))"),
    (
        "Put the blocks on the tray, the brown one first and the white one after it.",
        "F(on(brown_block, tray) & F(on(white_block, tray) & F(all x1 in block other than "
        "brown_block, white_block: (on(x1, tray)))))",
    ),
    (
        "Put the three blocks in the bowl, the red one first.",
        "F(in(red_block, bowl) & F(all 2 x1 in block other than red_block: (in(x1, bowl))))",
    ),
    (
        "Put both blocks in the bowl, the red one first.",
        "F(in(red_block, bowl) & F(only x1 in block other than red_block: (in(x1, bowl))))",
    ),
    (
        "Before you so much as touch the bowl, move the mug to the tray.",
        "!touching(bowl) U (on(mug, tray) & F(touching(bowl)))",
    ),
    (
        "Touch the red block once, and once only.",
        "F(touching(red_block)) & !F(touching(red_block) & F(!touching(red_block) & "
        "F(touching(red_block))))",
    ),
    ("Put two blocks on the tray, any two will do.", "F(at least 2 x1 in block: (on(x1, tray)))"),
    ("The drawer should be closed by you.", "F(closed(drawer))"),
    (
        "Put the mug on the tray, and mind you close the drawer afterwards.",
        "F(on(mug, tray) & F(closed(drawer)))",
    ),
    ("Pick up the block that my daughter left on the plate.", "F(holding(block::isabove(plate)))"),
    (
        "Pick up the mug and later the bowl, not the other way round.",
        "F(holding(mug) & F(holding(bowl)))",
    ),
    ("Put the mug on the tray so that it doesn't roll off the table.", "F(on(mug, tray))"),
    ("Put the mug on the tray so that nobody bumps into it.", "F(on(mug, tray))"),
    ("Put the mug on the tray, else it'll slide off.", "F(on(mug, tray))"),
    (
        "Take the red block, the one next to the tray I mean, and put it in the bowl.",
        "F(holding(red_block::isnextto(tray)) & F(in(red_block::isnextto(tray), bowl)))",
    ),
    ("Open the drawer and have a look, then close it.", "F(open(drawer) & F(closed(drawer)))"),
    (
        "Check if the drawer is open, and if it is, put the mug in it, otherwise put the mug on "
        "the tray.",
        "(!open(drawer) | F(in(mug, drawer))) & (open(drawer) | F(on(mug, tray)))",
    ),
    ("What I'd like you to do is put the mug on the tray.", "F(on(mug, tray))"),
    ("Don't be surprised, but put the mug on the plate.", "F(on(mug, plate))"),
    ("Put all of his blocks in the bowl.", "F(all x1 in block: (in(x1, bowl)))"),
)
IN_A_FLAT = (
    (
        "Collect all the mugs, wherever they are, and put them on the tray.",
        "all x2 in mug: (F(holding(x2) & F(placed(x2, tray))))",
    ),
    ("Go to the bed, I don't want you in the kitchen at all.", "F(near(bed)) & G(!near(kitchen))"),
    (
        "Go to the sofa, and do not come near the bed nor the person.",
        "F(near(sofa)) & G(!near(bed)) & G(!near(person))",
    ),
    (
        "Every time someone leaves the kitchen door open, close it.",
        "G(!open(kitchen_door) | F(closed(kitchen_door)))",
    ),
    (
        "Take the red mug away from the white desk and bring it to the fridge.",
        "F(holding(red_mug::isabove(white_desk)) & F(holding(red_mug::isabove(white_desk)) & "
        "F(placed(red_mug::isabove(white_desk), fridge))))",
    ),
    (
        "Go and see whether the front door is closed, and if it isn't, close it.",
        "closed(front_door) | F(closed(front_door))",
    ),
    (
        "Put the bottle on the table. The blue mug can stay where it is.",
        "F(holding(bottle) & F(placed(bottle, table))) & G(!holding(blue_mug))",
    ),
    (
        "Put the soda can on the table.",
        "F(holding(soda_can) & F(placed(soda_can, table)))",
    ),
    ("From now on keep your distance from the person.", "G(!near(person))"),
    ("If the cat is on the sofa, leave her alone.", "!on(cat, sofa) | G(!holding(cat))"),
    (
        "Go to the bed, then stay in the kitchen till I call you.",
        "F(near(bed) & F(near(kitchen)))",
    ),
    (
        "Take the book that my wife left on the sofa and put it on the shelf.",
        "F(holding(book::isabove(sofa)) & F(holding(book::isabove(sofa)) & "
        "F(placed(book::isabove(sofa), shelf))))",
    ),
)
ASKED = (
    "Put the mug and the plate on the tray, but not both.",
    "Put the mug on the tray or the plate, but not both.",
    "Put not only the mug but the plate on the tray.",
    "Touch the mug, the plate and the bowl. Put the former on the tray.",
)
ASKED_ABOUT_WHOM = (
    "Put all the blocks in the bowl, the red one first, and never touch them again.",
    "Put the three blocks in the bowl, the red one first, and then put them on the tray.",
    "Put the three blocks in the bowl, the red one first. Once all three are in the bowl, close "
    "the drawer.",
)
ASKED_IN_A_FLAT = (
    "Wait by the door until I call you, then go to the bed.",
    "Stay in the kitchen until my wife comes back, then bring me the mug.",
)


@pytest.mark.parametrize(("text", "formula"), AT_THE_TABLE)
def test_it_is_read_at_the_table(text: str, formula: str) -> None:
    assert to_text(interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(("text", "formula"), IN_A_FLAT)
def test_it_is_read_in_a_flat(text: str, formula: str) -> None:
    assert to_text(interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize("text", (*ASKED, *ASKED_ABOUT_WHOM))
def test_it_is_asked_about_at_the_table(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, TABLE)


@pytest.mark.parametrize("text", ASKED_IN_A_FLAT)
def test_it_is_asked_about_in_a_flat(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, FLAT)
