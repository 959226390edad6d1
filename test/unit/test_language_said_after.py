"""What is said of steps behind them: their order, when one of them is done, and who "me" is."""

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
    # until when something was forbidden, which comes before what is done then
    (
        "Don't pick up the mug until the blue block is on the plate. Once that's done, set the mug "
        "on the coaster.",
        "F(on(blue_block, plate) & F(on(mug, coaster))) & (G(!holding(mug)) | (!holding(mug) U "
        "on(blue_block, plate)))",
    ),
    (
        "Never touch the mug before the red block is in the bowl. Then put the mug on the plate.",
        "F(in(red_block, bowl) & F(on(mug, plate))) & (G(!touching(mug)) | (!touching(mug) U "
        "in(red_block, bowl)))",
    ),
    (
        "Don't touch the mugs until the red block is on the tray. Once that's done, put the green "
        "block on the tray.",
        "F(on(red_block, tray) & F(on(green_block, tray))) & all x1 in mug: (G(!touching(x1)) | "
        "(!touching(x1) U on(red_block, tray)))",
    ),
    (
        "Never open the drawer before the mug is on the plate. Never touch the bowl. Then put the "
        "red block in the drawer.",
        "F(on(mug, plate) & F(in(red_block, drawer))) & (G(!open(drawer)) | (!open(drawer) U "
        "on(mug, plate))) & G(!touching(bowl))",
    ),
    (
        "Never touch the mug. Then put the red block on the plate.",
        "F(on(red_block, plate)) & G(!touching(mug))",
    ),
    # the order of the steps
    (
        "Move the blue block to the bowl and the green one to the drawer, and please do the blue "
        "one first.",
        "F(in(blue_block, bowl) & F(in(green_block, drawer)))",
    ),
    (
        "Put the mug on the plate and the red block in the bowl, but the mug first.",
        "F(on(mug, plate) & F(in(red_block, bowl)))",
    ),
    (
        "Put the mug on the plate and the red block in the bowl. The mug last, please.",
        "F(in(red_block, bowl) & F(on(mug, plate)))",
    ),
    (
        "The green block belongs on the plate and the red ones on the tray; do the green one last.",
        "F(all x1 in red_block: (on(x1, tray)) & F(on(green_block, plate)))",
    ),
    (
        "Put the red block on the plate and the mug on the tray. And do that one first, the mug I "
        "mean.",
        "F(on(mug, tray) & F(on(red_block, plate)))",
    ),
    (
        "Put the mug in the drawer, but open it first of course, and then the red block.",
        "F(open(drawer) & F(in(mug, drawer) & F(in(red_block, drawer))))",
    ),
    (
        "Open the drawer, then put the mug on the plate and the red block in the bowl, but do the "
        "red block first.",
        "F(open(drawer) & F(in(red_block, bowl) & F(on(mug, plate))))",
    ),
    (
        "The two small blocks can go on the plate, first the red and then the green.",
        "F(on(red_block, plate) & F(on(green_block, plate)))",
    ),
    (
        "Set the cup on the tray and the small block in the drawer, and see to the block first.",
        "F(in(small_block, drawer) & F(on(cup, tray)))",
    ),
    (
        "The plate goes on the tray and the mug in the drawer; handle the plate last, please.",
        "F(in(mug, drawer) & F(on(plate, tray)))",
    ),
    # any order
    (
        "Put the red block on the tray and the green one in the bowl, whichever suits you first.",
        "F(on(red_block, tray)) & F(in(green_block, bowl))",
    ),
    # when something is there
    (
        "Yellow block in the drawer, and shut it once it's inside.",
        "F(in(yellow_block, drawer) & F(closed(drawer)))",
    ),
    (
        "Put all the blocks in the drawer, and close it when all of them are inside.",
        "F(all x1 in block: (in(x1, drawer)) & F(closed(drawer)))",
    ),
    (
        "Put the mug in the drawer and the red block on the plate. When the mug is there, close "
        "the drawer.",
        "F(in(mug, drawer) & on(red_block, plate) & F(in(mug, drawer) & F(closed(drawer))))",
    ),
    (
        "Put the mug on the coaster; once the mug is on its coaster, and not a second earlier, put "
        "the red block in the bowl.",
        "F(on(mug, coaster) & F(on(mug, coaster) & F(in(red_block, bowl)))) & "
        "(G(!in(red_block, bowl)) | (!in(red_block, bowl) U on(mug, coaster)))",
    ),
    (
        "Both small blocks should go in the bowl, and the big one goes on the plate, but only "
        "after the two small ones are in.",
        "F(all 2 x1 in small_block: (in(x1, bowl))) & F(on(big_block, plate)) & "
        "(G(!on(big_block, plate)) | "
        "(!on(big_block, plate) U all 2 x2 in small_block: (in(x2, bowl))))",
    ),
    # where it is put, behind what is told of it; of each of them; beside a prohibition
    (
        "Put the small red block on the plate and the big one, which is just a dummy, into the "
        "bowl.",
        "F(on(red_small_block, plate) & in(big_block, bowl))",
    ),
    (
        "Put the cups on the tray, all of them, and then open the drawer.",
        "F(all x1 in cup: (on(x1, tray)) & F(open(drawer)))",
    ),
    (
        "Never touch the bowl, and put the green block on the coaster.",
        "F(on(green_block, coaster)) & G(!touching(bowl))",
    ),
    (
        "All the blocks go in the drawer, open it first obviously, and close it when all of them "
        "are inside, but keep your gripper off the plate.",
        "F(open(drawer) & F(all x1 in block: (in(x1, drawer)) & F(closed(drawer)))) & "
        "G(!touching(plate))",
    ),
    (
        "Put the green block on the plate, and afterwards move it from there to the tray.",
        "F(on(green_block, plate) & F(on(green_block, tray)))",
    ),
    (
        "Put the mug on the tray and the block in the drawer. The order is up to you.",
        "F(on(mug, tray)) & F(in(block, drawer))",
    ),
    (
        "Put the mug in the drawer, but open it first, and close it again once the mug is in it.",
        "F(open(drawer) & F(in(mug, drawer) & F(in(mug, drawer) & F(closed(drawer)))))",
    ),
    (
        "Open the drawer, put the mug on the tray, and do the mug first because I need it.",
        "F(on(mug, tray) & F(open(drawer)))",
    ),
    (
        "If the mug is on the tray, touch it, and no matter what open the box.",
        "F(open(box)) & (!on(mug, tray) | F(touching(mug)))",
    ),
    (
        "If the drawer is open, close it, otherwise touch the mug, and in any event open the box.",
        "F(open(box)) & (!open(drawer) | F(closed(drawer))) & (open(drawer) | F(touching(mug)))",
    ),
    # what explains that something is to be cleared
    (
        "Please clear the coaster for me, meaning take the mug off it, and then put the red block "
        "there.",
        "F(holding(mug) & !on(mug, coaster) & F(on(red_block, coaster)))",
    ),
    # what is told beside a condition
    (
        "If the drawer is open, and I think somebody forgot to close it again, put the mug in it; "
        "otherwise touch the mug.",
        "(!open(drawer) | F(in(mug, drawer))) & (open(drawer) | F(touching(mug)))",
    ),
    # in any case
    (
        "If the drawer is closed, open it, and if it isn't, so much the better; either way touch "
        "the mug.",
        "F(touching(mug)) & (!closed(drawer) | F(open(drawer)))",
    ),
    (
        "If the mug is on the plate, put it in the bowl, and whether it is or not, open the "
        "drawer.",
        "F(open(drawer)) & (!on(mug, plate) | F(in(mug, bowl)))",
    ),
)

IN_THE_FLAT = (
    (
        "Take the book to the desk and the cushion to the bed, but the cushion first.",
        "F(holding(cushion) & F(placed(cushion, bed) & F(holding(book) & F(placed(book, desk)))))",
    ),
    (
        "In this order please: bring the book to the bed, turn off the desk lamp, close the door.",
        "F(holding(book) & F(placed(book, bed) & F(!lit(desk_lamp) & F(closed(door)))))",
    ),
    (
        "Visit the sofa and the bed, whichever way round you like, and after those two go to the "
        "desk.",
        "F(near(sofa) & F(near(desk))) & F(near(bed) & F(near(desk)))",
    ),
    (
        "Take the two cups to the table, one by one is fine.",
        "all 2 x1 in cup: (F(holding(x1) & F(placed(x1, table))))",
    ),
    (
        "Bring the book to the table only after the bedroom door is closed.",
        "F(holding(book) & F(placed(book, table))) & "
        "(G(!placed(book, table)) | (!placed(book, table) U closed(bedroom_door)))",
    ),
    (
        "Close the door, and switch the desk lamp off only after that.",
        "F(closed(door) & F(!lit(desk_lamp))) & "
        "(G(lit(desk_lamp)) | (lit(desk_lamp) U closed(door)))",
    ),
    (
        "Take the mugs to the table, both of them, and after that go to the green chair.",
        "all 2 x1 in mug: (F(holding(x1) & F(placed(x1, table) & F(near(green_chair)))))",
    ),
    (
        "I want every chair visited but the green one.",
        "all x1 in chair other than green_chair: (F(near(x1)))",
    ),
    (
        "Take the apple to the counter and close the kitchen door again as soon as the apple is "
        "there.",
        "F(holding(apple) & F(placed(apple, counter) & F(placed(apple, counter) & "
        "F(closed(kitchen_door)))))",
    ),
    (
        "Visit the bed, the desk and the sofa, the sofa last of all.",
        "F(near(bed) & F(near(sofa))) & F(near(desk) & F(near(sofa)))",
    ),
    # who speaks
    ("Bring me the cup.", "F(holding(cup) & F(placed(cup, person)))"),
    (
        "First to the fridge, then to the bed, then back to me.",
        "F(near(fridge) & F(near(bed) & F(near(person))))",
    ),
    ("Never come near me.", "G(!near(person))"),
    ("Don't come too close to me.", "G(!near(person))"),
    ("Come here.", "F(near(person))"),
    ("Go to the speaker.", "F(near(speaker))"),
    (
        "Take the apple to the counter, you'll need to open the kitchen door for that, and please "
        "close it again as soon as the apple is there.",
        "F(open(kitchen_door) & F(holding(apple) & F(placed(apple, counter) & "
        "F(placed(apple, counter) & F(closed(kitchen_door))))))",
    ),
    ("I am by the sofa. Bring me the cup.", "F(holding(cup) & F(placed(cup, sofa)))"),
)

REFUSED = (
    ("That red block on the plate, bring it to the tray.", "which one is meant"),
    ("When you have the mug, put it on the tray, and take it first obviously.", "before what"),
    ("Put the mug on the plate. Do the mug first.", "of which steps"),
    ("Put the mug on the plate. Do the red block first.", "of which steps"),
    ("Put the mug in the drawer, but open it first, then put the red block in there.", "the end"),
    ("Never pick up the mug, and put the mug on the plate.", "forbidden too"),
    ("Never open the drawer, and put the block in it.", "forbidden too"),
    ("Bring me the cup.", "bring"),
)


@pytest.mark.parametrize(("text", "meaning"), AT_THE_TABLE)
def test_what_is_said_of_steps_at_the_table_is_read(text: str, meaning: str) -> None:
    assert to_text(interpret(text, TABLE).formula) == meaning


@pytest.mark.parametrize(("text", "meaning"), IN_THE_FLAT)
def test_what_is_said_of_steps_in_the_flat_is_read(text: str, meaning: str) -> None:
    assert to_text(interpret(text, FLAT).formula) == meaning


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_not_clear_is_refused(text: str, why: str) -> None:
    with pytest.raises(SaySoError, match=why):
        interpret(text, TABLE)


def test_whoever_speaks_is_taken_for_the_person_that_is_seen() -> None:
    told = interpret("Bring me the cup.", FLAT).assumptions
    assert "'me' is the person that is seen" in told


def test_what_is_carried_is_not_what_is_not_to_be_touched_meanwhile() -> None:
    text = "Put the green block on the tray, but don't touch the bowl while you're carrying it."
    with pytest.raises(SaySoError):
        interpret(text, TABLE)


@pytest.mark.parametrize(
    "text",
    [
        "Place the mug on the sofa, after carry the can to the plant.",
        "First go to the sofa, second drive to the table, third after carry the can to the plant.",
        "Go to the sofa, and before go to the table.",
    ],
)
def test_an_order_behind_after_is_asked_about(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, FLAT)


@pytest.mark.parametrize(
    "text",
    [
        "Never go near the cat while you carry the can, and take the can to the table.",
        "Never go near the cat while carrying the can and take the can to the table.",
        "Don't go near the cat until you have visited the sofa, and take the can to the table.",
        "Never go near the cat unless you carry the can, and take the can to the table.",
        "Stay near the cat until you hold the can, and take the can to the table.",
        "Keep the door closed until you have the can and go to the bed.",
        "Keep the door closed while you carry the can, and go to the bed.",
    ],
)
def test_an_order_behind_a_limit_is_no_part_of_it(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, FLAT)
