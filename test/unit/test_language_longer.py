"""What longer instructions say besides: reasons, what comes first, things in turn, exceptions."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.lexicon import Lexicon
from sayso.language.offers import interpret
from sayso.logic.text import to_text

TABLE = Lexicon.of(load(builtin_path("tabletop")))
FLAT = Lexicon.of(load(builtin_path("flat")))

READ = (
    (
        "Put the green block on the blue plate and the red one on the white; do the green one "
        "last.",
        "F(on(red_block, white_plate) & F(on(green_block, blue_plate)))",
    ),
    # why something is taken back
    (
        "Put the red block to the left of the bowl, no wait, I need room on that side, so make it "
        "to the right of the bowl.",
        "F(right_of(red_block, bowl))",
    ),
    (
        "Put the mug on the plate, no, sorry, the bowl is standing on that, so put it on the tray "
        "instead.",
        "F(on(mug, tray))",
    ),
    (
        "Put the mug and the bowl on the plate, hmm, no, actually just put them on the tray.",
        "F(on(mug, tray) & on(bowl, tray))",
    ),
    (
        "Put the mug in the drawer, but open it first of course.",
        "F(open(drawer) & F(in(mug, drawer)))",
    ),
    (
        "Put the mug on the tray, and open the drawer only after that.",
        "F(on(mug, tray) & F(open(drawer))) & (G(!open(drawer)) | (!open(drawer) U on(mug, tray)))",
    ),
    (
        "Once the mug is on the tray, and not a second earlier, open the drawer.",
        "F(on(mug, tray) & F(open(drawer))) & (G(!open(drawer)) | (!open(drawer) U on(mug, tray)))",
    ),
    (
        "Put the mug on the tray; when it is safely there, open the drawer.",
        "F(on(mug, tray) & F(open(drawer)))",
    ),
    (
        "If the drawer is open, close it; and whether it was or not, touch the mug.",
        "F(touching(mug)) & (!open(drawer) | F(closed(drawer)))",
    ),
    (
        "If the drawer is open, close it, and if it isn't, well, then there's nothing to do about "
        "it.",
        "!open(drawer) | F(closed(drawer))",
    ),
    ("I'd rather have the mug on the tray.", "F(on(mug, tray))"),
    (
        "Put the mug on the plate, then move the mug from there to the tray.",
        "F(on(mug, plate) & F(on(mug, tray)))",
    ),
    (
        "Put the mug on the tray and the plate in the bowl, whichever suits you first.",
        "F(on(mug, tray)) & F(in(plate, bowl))",
    ),
    (
        "Put the blocks on the tray, one after the other is fine.",
        "F(all x1 in block: (on(x1, tray)))",
    ),
    (
        "Put the mug on the tray. If the drawer is open, close it first.",
        "F(on(mug, tray)) & (!open(drawer) | F(closed(drawer) & F(on(mug, tray))))",
    ),
    (
        "Put the mug on the tray. If the drawer is open, close it before you do so, "
        "otherwise leave it alone.",
        "F(on(mug, tray)) & (!open(drawer) | (!on(mug, tray) U (closed(drawer) & "
        "F(on(mug, tray))))) & (open(drawer) | G(!touching(drawer)))",
    ),
    (
        "Put the mug in the drawer. Before that, open the drawer if it is closed.",
        "F(in(mug, drawer)) & (!closed(drawer) | F(open(drawer) & F(in(mug, drawer))))",
    ),
    (
        "Put the mug on the tray. If the drawer is open, close it afterwards.",
        "F(on(mug, tray)) & (!open(drawer) | F(on(mug, tray) & F(closed(drawer))))",
    ),
    (
        "Put the mug on the tray, and then, if the drawer is open, close it.",
        "F(on(mug, tray)) & (!open(drawer) | F(on(mug, tray) & F(closed(drawer))))",
    ),
    (
        "Touch the mug, then the plate. If the drawer is open, close it before that.",
        "F(touching(mug) & F(touching(plate))) & (!open(drawer) | F(touching(mug) & "
        "F(closed(drawer) & F(touching(plate)))))",
    ),
    (
        "If the drawer is open, put the mug in it, but if the drawer is closed, leave "
        "the mug alone.",
        "(!open(drawer) | F(in(mug, drawer))) & (!closed(drawer) | G(!touching(mug)))",
    ),
    (
        "If the drawer is open, put the mug in it, and if it is closed, leave the mug where it is.",
        "(!open(drawer) | F(in(mug, drawer))) & (!closed(drawer) | G(!touching(mug)))",
    ),
    (
        "Put one of the blocks in the bowl and leave the others where they are.",
        "some x1 in block: (F(in(x1, bowl)) & all x2 in block other than x1: (G(!touching(x2))))",
    ),
    (
        "Put all of the blocks, except for the green one, on the tray.",
        "F(all x1 in block other than green_block: (on(x1, tray)))",
    ),
    (
        "The drawer has to be closed again at the end.",
        "F(G(closed(drawer)))",
    ),
    (
        "Put the mug on the tray. Close the drawer before you do so.",
        "F(closed(drawer) & F(on(mug, tray)))",
    ),
    (
        "Make sure the drawer is closed before you do anything else. Then touch the mug.",
        "F(closed(drawer) & F(touching(mug)))",
    ),
    (
        "Touch the red block, and the blue one first.",
        "F(touching(blue_block) & F(touching(red_block)))",
    ),
    (
        "Touch the mug. Touch the bowl first.",
        "F(touching(bowl) & F(touching(mug)))",
    ),
    (
        "Put the blocks in the bowl one after another: the red one first, then the blue "
        "one and last of all the green one.",
        "F(in(red_block, bowl) & F(in(blue_block, bowl) & F(in(green_block, bowl))))",
    ),
    (
        "Put both mugs on the tray: first the red one, then the green one.",
        "F(on(red_mug, tray) & F(on(green_mug, tray)))",
    ),
    (
        "Stack the blocks: the red one goes directly on the plate, the green one on the "
        "red one, and the blue one on the green one.",
        "F(on(red_block, plate) & on(green_block, red_block) & on(blue_block, green_block))",
    ),
    (
        "Put the mugs away: the red one goes on the plate and the green one on the tray.",
        "F(on(red_mug, plate) & on(green_mug, tray))",
    ),
    (
        "I would like a tower on the plate, with the red block at the bottom, the green "
        "one in the middle and the blue one on top.",
        "F(on(red_block, plate) & on(green_block, red_block) & on(blue_block, green_block))",
    ),
    (
        "Make a tower of the three blocks with the red one at the bottom, the green one "
        "in the middle and the blue one on top.",
        "F(on(green_block, red_block) & on(blue_block, green_block))",
    ),
    (
        "All the blocks apart from the green one go on the white plate, in whatever "
        "order you prefer.",
        "F(all x1 in block other than green_block: (on(x1, white_plate)))",
    ),
    (
        "Somebody has left the drawer open. Please put the mug and the red block into it.",
        "F(in(mug, drawer) & in(red_block, drawer))",
    ),
    (
        "The three blocks are in the way, so put all of them in the bowl.",
        "F(all x2 in block: (in(x2, bowl)))",
    ),
    (
        "I need the plate for the next test, so take the mug off it.",
        "F(holding(mug) & !on(mug, plate))",
    ),
    (
        "Before the visitors arrive, I would like the workspace to look tidy: the mug "
        "on the coaster, the red block on the plate.",
        "F(on(mug, coaster) & F(on(red_block, plate)))",
    ),
    (
        "As the drawer has just been painted, never touch it.",
        "G(!touching(drawer))",
    ),
    (
        "Never put the red block in the bowl, however handy it may look.",
        "G(!in(red_block, bowl))",
    ),
    (
        "Never touch the red block, which belongs to another demo.",
        "G(!touching(red_block))",
    ),
    (
        "Touch the mug, which is on the tray, and the plate.",
        "F(touching(mug::isabove(tray)) & F(touching(plate)))",
    ),
    (
        "Never touch the mug while you do this; it is full of coffee and I would hate "
        "to see it spilled.",
        "G(!touching(mug))",
    ),
    (
        "Put either the red block or the blue block on the plate, whichever is easier to reach.",
        "F(on(red_block, plate) | on(blue_block, plate))",
    ),
    (
        "Please prepare the table for two: put the red mug on the white plate.",
        "F(on(red_mug, white_plate))",
    ),
    (
        "First pick up the green block and put it on the plate. Then do the same with "
        "the blue block.",
        "F(holding(green_block) & F(on(green_block, plate) & F(holding(blue_block) & "
        "F(on(blue_block, plate)))))",
    ),
    (
        "Put the mug on the tray. You may touch the plate only after that.",
        "F(on(mug, tray)) & (G(!touching(plate)) | (!touching(plate) U on(mug, tray)))",
    ),
    (
        "Put the mug on the tray. In both cases touch the plate.",
        "F(on(mug, tray) & F(touching(plate)))",
    ),
    (
        "If the drawer is open, close it, and do not touch the plate, because it is hot.",
        "(!open(drawer) | F(closed(drawer))) & G(!touching(plate))",
    ),
    (
        "The red block and the plate should end up in the bowl, in whichever order you like. "
        "Please close the drawer before you finish.",
        "F(in(red_block, bowl) & F(closed(drawer))) & F(in(plate, bowl) & F(closed(drawer)))",
    ),
    (
        "I have to leave in a few minutes, so put the blocks into the bowl, but leave the blue one "
        "out, as I want to weigh it.",
        "F(all x1 in block other than blue_block: (in(x1, bowl)))",
    ),
    (
        "Move the yellow block from the bowl onto the plate.",
        "F(on(yellow_block::isin(bowl), plate))",
    ),
)
READ_IN_A_FLAT = (
    (
        "Bring the book to the table only after the bedroom door is closed.",
        "F(holding(book) & F(placed(book, table))) & (G(!placed(book, table)) | "
        "(!placed(book, table) U closed(bedroom_door)))",
    ),
    (
        "I want every chair visited but the green one.",
        "all x1 in chair other than green_chair: (F(near(x1)))",
    ),
    (
        "Go to the bed and the sofa, whichever way round you like, and after those two go to the "
        "sink.",
        "F(near(bed) & F(near(sink))) & F(near(sofa) & F(near(sink)))",
    ),
    (
        "Put the laptop and the book in the basket. Do not go to the table until all of "
        "that is done.",
        "F(holding(laptop) & F(placed(laptop, basket))) & F(holding(book) & "
        "F(placed(book, basket))) & (G(!near(table)) | (!near(table) U placed(laptop, "
        "basket))) & (G(!near(table)) | (!near(table) U placed(book, basket)))",
    ),
    (
        "If the red mug is on the desk, bring it to the fridge. If it is not there, go "
        "to the sofa.",
        "(!on(red_mug, desk) | F(holding(red_mug) & F(placed(red_mug, fridge)))) & "
        "(on(red_mug, desk) | F(near(sofa)))",
    ),
    (
        "Bring the towel to the basket. You may go near the sofa only after that. When "
        "the towel is there, bring the cushion to the bed.",
        "F(holding(towel) & F(placed(towel, basket) & F(placed(towel, basket) & "
        "F(holding(cushion) & F(placed(cushion, bed)))))) & (G(!near(sofa)) | "
        "(!near(sofa) U placed(towel, basket)))",
    ),
    (
        "Bring all the mugs and cans to the fridge, except for the red can, which I "
        "have not finished yet.",
        "all x1 in mug: (F(holding(x1) & F(placed(x1, fridge)))) & all x2 in can other "
        "than red_can: (F(holding(x2) & F(placed(x2, fridge))))",
    ),
    (
        "Make sure the kitchen door is closed at the end. Before that, bring the bottle "
        "to the table and the blue mug to the desk.",
        "F(holding(bottle) & F(placed(bottle, table))) & F(holding(blue_mug) & "
        "F(placed(blue_mug, desk))) & F(G(closed(kitchen_door)))",
    ),
    (
        "At the end you should be standing by the sofa, so that I can plug you in there.",
        "F(near(sofa))",
    ),
    (
        "Drive to the plant and wait there for your next job.",
        "F(near(plant))",
    ),
    (
        "The film starts at eight, so please bring both mugs to the sofa before you go "
        "to the fridge.",
        "all 2 x1 in mug: (!near(fridge) U (holding(x1) & (!near(fridge) U (placed(x1, "
        "sofa) & F(near(fridge))))))",
    ),
    (
        "Guests are coming tonight, so let us tidy up a little: go to the bed.",
        "F(near(bed))",
    ),
    (
        "Apart from that you are free to choose your own route: go to the white desk.",
        "F(near(white_desk))",
    ),
)

# One word further on, they could mean something else.
ASKED = (
    "Put the mug on the tray. If the drawer is open, never close it before you do so.",
    "Put the mug on the tray. Only if the drawer is open, close it first.",
    "Touch the mug, then the plate. If the drawer is open, close it first.",
    "If the drawer is open, close it before that.",
    "Put all the blocks apart from the green one on the plate. Leave the others alone.",
    "Put all the blocks except the green one on the plate, and put the other one in the bowl.",
    "Put the red one in the bowl, the blue one on the tray and leave the rest where it is.",
    "Put all the blocks in the bowl: first the red one, then the blue one.",
    "Put the blocks in the bowl: first the red one, then not the blue one.",
    "Put the blocks in the bowl: first the red one or the blue one, then the green one.",
    "Never put the blocks in the bowl: first the red one, then the blue one.",
    "Do not stack the blocks: the red one goes on the plate and the blue one in the bowl.",
    "Stack the blocks: the red one must never be on the blue one, and the mug goes on it.",
    "Touch the mug, but close the drawer before you do anything else.",
    "Never touch the mug before you do anything else.",
    "Put the mug on the tray. Somebody has moved the plate. Touch it.",
    "I do not need the plate for the next test. Touch the mug.",
    "I only need the plate for the next test. Touch the mug.",
    "As the drawer must be open, touch it.",
    "Put the red block on the tray, as I want it on the plate.",
    "As you close the drawer, touch the mug.",
    "Never touch the mug, however often it is touched.",
    "Never touch the mug, even if the drawer is open.",
    "Touch the mug, even if it is not on the tray.",
    "Never touch the red block, which should be on the plate.",
    "Never touch the red block, which I would like on the plate.",
    "Never touch the red block, which belongs on the plate.",
    "Touch the mug, which is not on the tray, and the plate.",
    "Touch the mug, which I only use on Sundays, and the plate.",
    "Never tidy up the table: put the mug on the tray.",
    "Pick up the mug, but never put it on the tray. Do the same with the plate.",
    "Pick up the mug or put it on the tray. Do the same with the plate.",
    "Put the mug on the tray. You may touch the plate before that.",
    "You may touch the plate only after that. Put the mug on the tray.",
    "If the drawer is open, touch the mug. Do not touch the plate until that is done.",
    "Put a block on the tray. Do not touch the plate until that is done.",
    "If the drawer is open, put the mug in it, and do not touch it again.",
    "If the drawer is open, put the red block in it, and never touch the blue one.",
    "If the drawer is open, put the mug in it and never touch the plate.",
    "If the drawer is open, close it, otherwise touch the mug, and never touch the plate.",
    "Put the red block on the plate, then take it off again and put the blue block on it.",
    "Take the red block off the plate and put the blue block on it.",
    "If there is something on the plate, move it to the tray.",
)
ASKED_IN_A_FLAT = (
    "Put the apple in the basket. In the bedroom, take the towel from the bed.",
    "Put the mug on the sofa. Never go near the bed. If the cat is there, go to the door.",
    "Bring the towel to the basket. Never go near the sofa. Put the mug there.",
)


@pytest.mark.parametrize(("text", "formula"), READ)
def test_what_is_said_besides_is_read(text: str, formula: str) -> None:
    assert to_text(interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(("text", "formula"), READ_IN_A_FLAT)
def test_it_is_in_a_flat(text: str, formula: str) -> None:
    assert to_text(interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize("text", ASKED)
def test_what_could_mean_something_else_is_asked(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, TABLE)


@pytest.mark.parametrize("text", ASKED_IN_A_FLAT)
def test_so_it_is_in_a_flat(text: str) -> None:
    with pytest.raises(SaySoError):
        interpret(text, FLAT)


def test_what_is_set_aside_of_them_is_told() -> None:
    text = "As the drawer has just been painted, never touch it, however handy it may look."
    told = interpret(text, TABLE).assumptions
    assert told == (
        "'As the drawer has just been painted' asks for nothing",
        "'however handy it may look' asks for nothing",
    )


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("Never touch the red things.", "all x1 in red_thing: (G(!touching(x1)))"),
        ("Never touch any of the red things.", "all x1 in red_thing: (G(!touching(x1)))"),
        ("Do not touch any of the gizmos.", "all x1 in gizmo: (G(!touching(x1)))"),
    ],
)
def test_what_is_forbidden_of_several_is_named_in_the_singular(text: str, formula: str) -> None:
    """A plural names nothing that is seen, so that the rule held of nothing."""
    assert to_text(interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "Bring the book and the laptop to the bed, in that order.",
            "F(holding(book) & F(placed(book, bed) & F(holding(laptop) & F(placed(laptop, bed)))))",
        ),
        (
            "Make sure that the book and the laptop both end up on the bed, then go to the sofa.",
            "F(holding(book) & F(placed(book, bed) & F(near(sofa)))) & "
            "F(holding(laptop) & F(placed(laptop, bed) & F(near(sofa))))",
        ),
        ("The sofa and the bed each need a visit.", "F(near(sofa)) & F(near(bed))"),
    ],
)
def test_several_are_brought_in_an_order_or_all_of_them(text: str, formula: str) -> None:
    assert to_text(interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize(
    "text",
    [
        "Bring the book or the laptop to the bed, in that order.",
        "The book or the laptop should both be put on the bed.",
        "The book should both be put on the bed.",
        "The book, the mug and the laptop should both be put on the bed.",
        "The book or the laptop both belong on the bed.",
        "The sofa or the bed both need a visit.",
    ],
)
def test_both_of_what_is_not_two_is_asked_back(text: str) -> None:
    with pytest.raises(SaySoError, match="NOT_UNDERSTOOD"):
        interpret(text, FLAT)


@pytest.mark.parametrize(
    ("lexicon", "text", "formula"),
    [
        (
            FLAT,
            "If the bedroom door is open, go to the bed. If it is closed, go to the sofa.",
            "(!open(bedroom_door) | F(near(bed))) & (!closed(bedroom_door) | F(near(sofa)))",
        ),
        (
            FLAT,
            "If the lamp is on, go to the sofa, and if it is off, go to the bed.",
            "(!lit(lamp) | F(near(sofa))) & (lit(lamp) | F(near(bed)))",
        ),
        (
            TABLE,
            "If the drawer is open, put the mug on the tray. If it is closed, put the mug on the "
            "plate.",
            "(!open(drawer) | F(on(mug, tray))) & (!closed(drawer) | F(on(mug, plate)))",
        ),
        (
            TABLE,
            "If the mug is on the tray, open the drawer. If it is open, touch it.",
            "(!on(mug, tray) | F(open(drawer))) & (!open(drawer) | F(touching(drawer)))",
        ),
    ],
)
def test_a_second_condition_is_of_what_the_first_was_about(
    lexicon: Lexicon, text: str, formula: str
) -> None:
    assert to_text(interpret(text, lexicon).formula) == formula


@pytest.mark.parametrize(
    ("lexicon", "text"),
    [
        (FLAT, "If the door is open, go to the fridge. If it is closed, go to the sofa."),
        (TABLE, "If the mug is on the tray, open the drawer. If it is on the plate, touch it."),
    ],
)
def test_a_second_condition_that_may_be_of_either_is_asked_back(
    lexicon: Lexicon, text: str
) -> None:
    """It was taken to be of what was gone to, or opened."""
    with pytest.raises(SaySoError, match="could stand for several things"):
        interpret(text, lexicon)


@pytest.mark.parametrize("verb", ["Swap", "Switch", "Exchange"])
def test_two_are_swapped_with_each_other(verb: str) -> None:
    """ "The mug with the bowl" was taken for the name of one thing."""
    found = to_text(interpret(f"{verb} the mug with the bowl.", TABLE).formula)
    assert found == to_text(interpret("Swap the mug and the bowl.", TABLE).formula)
