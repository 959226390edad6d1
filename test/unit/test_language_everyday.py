"""Everyday wordings that the grammar reads at once, and near ones that it does not."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.language import controlled_english
from sayso.language.lexicon import Lexicon
from sayso.logic.text import to_text

_TWO = "Mug in the bowl, bowl on the tray"
TABLE = Lexicon.of(load(builtin_path("tabletop")))
FLAT = Lexicon.of(load(builtin_path("flat")))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "If the mug is on the plate, open the drawer; otherwise do nothing.",
            "!on(mug, plate) | F(open(drawer))",
        ),
        (
            "Nothing but the mug should be on the plate at the end.",
            "all x1 in thing other than mug: (F(G(!on(x1, plate))))",
        ),
        ("Nothing is ever to go on top of the mug.", "all x1 in thing: (G(!on(x1, mug)))"),
        (
            "Only open the drawer once the red block has come off the tray.",
            "F(open(drawer)) & (G(!open(drawer)) | (!open(drawer) U !on(red_block, tray)))",
        ),
        (
            "I want the drawer closed the whole time you hold the mug.",
            "G(!holding(mug) | closed(drawer))",
        ),
        ("Never touch the mug, whatever else you do.", "G(!touching(mug))"),
        (
            "If the drawer is closed right now, put the red block on the plate; if it isn't, put "
            "the red block in the drawer instead.",
            "(!closed(drawer) | F(on(red_block, plate))) & "
            "(closed(drawer) | F(in(red_block, drawer)))",
        ),
        ("All you have to do is open the drawer.", "F(open(drawer))"),
        (
            "What you should do is this: open the drawer, then touch the mug.",
            "F(open(drawer) & F(touching(mug)))",
        ),
        ("The bowl must stay on the tray, where it is.", "G(on(bowl, tray))"),
        (
            "Touch the mug and open the drawer, in whichever sequence suits you.",
            "F(touching(mug)) & F(open(drawer))",
        ),
        (
            "Never touch the bowl. Instead put the mug on the tray.",
            "F(on(mug, tray)) & G(!touching(bowl))",
        ),
        (
            "Take the red block, the one next to the tray, and put it in the bowl.",
            "F(holding(red_block::isnextto(tray)) & F(in(red_block::isnextto(tray), bowl)))",
        ),
        (
            "Put the red block, the one on the tray, in the bowl.",
            "F(in(red_block::isabove(tray), bowl))",
        ),
        ("The mug really belongs on the tray.", "F(on(mug, tray))"),
        # a relative clause that asks for something of the only thing before it
        (
            "Put every block in the bowl except the red one, which must not be picked up.",
            "F(all x1 in block other than red_block: (in(x1, bowl))) & G(!holding(red_block))",
        ),
        (
            "Move every block to the tray, except for the blue one, which I want in the bowl.",
            "F(all x1 in block other than blue_block: (on(x1, tray)) & in(blue_block, bowl))",
        ),
        ("It is late, which means that I want the mug on the tray.", "F(on(mug, tray))"),
        ("As I told my wife we would, put the mug on the tray, as agreed.", "F(on(mug, tray))"),
        (
            "The mug should be put in the bowl only after the drawer has been opened.",
            "F(in(mug, bowl)) & (G(!in(mug, bowl)) | (!in(mug, bowl) U open(drawer)))",
        ),
        ("Put Anna's broken mug in the bowl.", "F(in(annas_broken_mug, bowl))"),
        ("Put Tom's hot cup on the tray.", "F(on(toms_hot_cup, tray))"),
        ("Put Anna's freshly washed mug in the bowl.", "F(in(annas_freshly_washed_mug, bowl))"),
        ("The mug's hot, put it on the tray.", "F(on(mug, tray))"),
        ("The mug's freshly washed, put it on the tray.", "F(on(mug, tray))"),
        ("Put the mug on the plate and keep it there.", "F(on(mug, plate) & G(on(mug, plate)))"),
        ("Put the mug on the plate. It must stay there.", "F(on(mug, plate) & G(on(mug, plate)))"),
        ("Put the mug in the bowl and keep it in the bowl.", "F(in(mug, bowl) & G(in(mug, bowl)))"),
        ("Hold on to the mug.", "F(holding(mug) & G(holding(mug)))"),
        (
            "Do not let the mug and the bowl be on the tray at the same time.",
            "G(!(on(mug, tray) & on(bowl, tray)))",
        ),
        (
            "Never let all the blocks be on the tray at once.",
            "G(!all x1 in block: (on(x1, tray)))",
        ),
        ("The blocks must not all be in the bowl.", "G(!all x1 in block: (in(x1, bowl)))"),
        (
            "The mug and the bowl must never both be on the tray.",
            "G(!(on(mug, tray) & on(bowl, tray)))",
        ),
        ("The blocks should all end up in the bowl.", "F(all x1 in block: (in(x1, bowl)))"),
        ("Never have both drawers open at once.", "G(!all 2 x1 in drawer: (open(x1)))"),
        ("Put both blocks in the bowl.", "F(all 2 x1 in block: (in(x1, bowl)))"),
        ("Touch the three blocks.", "all 3 x1 in block: (F(touching(x1)))"),
        ("Touch the one block.", "F(only x1 in block: (touching(x1)))"),
        ("Never put the mug down.", "G(!holding(mug) | G(holding(mug)))"),
        ("Never put the mug down on the tray.", "G(!on(mug, tray))"),
        (
            "As long as the drawer is open, the mug must be on the tray.",
            "G(!open(drawer) | on(mug, tray))",
        ),
        (
            "The mug has to be on the tray while the drawer is open.",
            "G(!open(drawer) | on(mug, tray))",
        ),
        (
            "Pick up the mug and hold on to it.",
            "F(holding(mug) & F(holding(mug) & G(holding(mug))))",
        ),
        (
            "Put the red block in the bowl and then take it out again.",
            "F(in(red_block, bowl) & F(holding(red_block)))",
        ),
        (
            "Keep hold of the mug while you open the drawer.",
            "F(holding(mug) & (holding(mug) U open(drawer)))",
        ),
        (
            "Open the drawer and keep it open until the mug is on the plate.",
            "F(open(drawer) & (open(drawer) U on(mug, plate)))",
        ),
        (
            "Open the drawer and keep it open while you put the mug in it.",
            "F(open(drawer) & (open(drawer) U in(mug, drawer)))",
        ),
        (
            "Put the mug on the plate. Never touch the bowl while you put the mug there.",
            "F(on(mug, plate)) & (G(!touching(bowl)) | (!touching(bowl) U on(mug, plate)))",
        ),
    ],
)
def test_what_is_plain_is_read_at_once(text: str, formula: str) -> None:
    assert to_text(controlled_english.interpret(text, TABLE).formula) == formula


def test_what_is_brought_somewhere_is_kept_there_from_then_on() -> None:
    flat = Lexicon.of(load(builtin_path("flat")))
    kept = controlled_english.interpret("Bring the mug to the sofa and keep it there.", flat)
    assert to_text(kept.formula) == (
        "F(holding(mug) & F(placed(mug, sofa) & G(placed(mug, sofa))))"
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Never touch the blocks, the mug excepted.", "Never touch the blocks except the mug."),
        ("You can open the drawer twice and no more.", "You may open the drawer at most twice."),
        ("Put the mug in the drawer — then close it.", "Put the mug in the drawer, then close it."),
        *(
            (f"{_TWO}{free}.", f"{_TWO}, in any order.")
            for free in (
                ", whichever you do first", ", any order you like", ", the order is up to you",
                ", no matter which comes first", ", and I don't mind which you do first",
                ". Any order you like", ". Order doesn't matter",
                ". It's up to you which goes first",
            )
        ),
        (
            "Put the mug in the bowl. Put the bowl on the tray. In any order.",
            "Mug in the bowl, bowl on the tray, in any order.",
        ),
        ("Touch the mug or the bowl, whichever you like.", "Touch the mug or the bowl."),
        ("There's no need to open the drawer, so don't.", "Never open the drawer."),
        ("Put the mug on the tray and nothing else.", "Put only the mug on the tray."),
        ("None of the blocks goes into the bowl.", "Never put a block in the bowl."),
        (
            "No block goes into the bowl before the mug is on the plate.",
            "None of the blocks may go into the bowl before the mug is on the plate.",
        ),
        ("The mug is never allowed in the bowl.", "The mug is never in the bowl."),
        ("Put either of the two blocks on the tray.", "Put one of the blocks on the tray."),
        ("Put whichever block you like on the tray.", "Put one of the blocks on the tray."),
        ("Put everything that is red on the tray.", "Put everything red on the tray."),
        (
            "All the blocks should be in the bowl, except the red one.",
            "Put all the blocks in the bowl except the red one.",
        ),
        (
            "Put the red block on the tray, then the blue one.",
            "Put the red block on the tray, then put the blue one on the tray.",
        ),
        (
            "Put the mug on the tray, then on the plate.",
            "Put the mug on the tray, then put the mug on the plate.",
        ),
        (
            "If the mug is on the plate, put the plate in the bowl, otherwise on the tray.",
            "If the mug is on the plate, put the plate in the bowl, otherwise put the plate on the "
            "tray.",
        ),
        (
            "Put the mug on the tray. Once it is there, open the drawer.",
            "Put the mug on the tray, then open the drawer.",
        ),
        (
            "Put the mug on the tray; after all this, but not any earlier, open the drawer.",
            "Put the mug on the tray, and only after that open the drawer.",
        ),
        ("Mug and bowl both on the tray.", "Mug and bowl on the tray."),
    ],
)  # fmt: skip
def test_what_is_said_in_other_words_means_the_same(text: str, same: str) -> None:
    said = controlled_english.interpret(text, TABLE)
    assert said.formula == controlled_english.interpret(same, TABLE).formula


@pytest.mark.parametrize(
    "text",
    [
        "Open the drawer twice and no more.",
        "The last thing you should do is open the drawer.",
        "Put the other three blocks in the bowl.",
        "Put the mug on the tray, the drawer kept closed.",
        "Put the mug on the tray, the drawer left closed.",
        "You should end up holding the mug. Open the drawer.",
        "I think the drawer must be closed. Put the mug on the tray.",
        "Put the plate under the drawer.",
        "Put the mug where the plate ends up.",
        "Do not open the drawer at the moment.",
        "If the mug is on the plate, open the drawer, otherwise do nothing but close the drawer.",
    ],
)
def test_what_limits_is_not_passed_over(text: str) -> None:
    with pytest.raises(SaySoError) as refused:
        controlled_english.interpret(text, TABLE)
    offered = getattr(refused.value, "offered", None)
    assert offered is None or offered.asked.limiting


@pytest.mark.parametrize("text", ["Leave everything as it is.", "Leave everything alone."])
def test_what_can_not_be_said_of_all_things_is_asked(text: str) -> None:
    """In the flat what is not held may still be opened or switched, and "everything" is both."""
    flat = Lexicon.of(load(builtin_path("flat")))
    with pytest.raises(SaySoError, match="which things"):
        controlled_english.interpret(text, flat)
    assert controlled_english.interpret(text, TABLE)


@pytest.mark.parametrize(
    "text",
    [
        "Put the mug in the bowl, open the drawer, I don't mind which.",
        "Put the mug in the bowl. Open the drawer. It's up to you.",
        "Put the mug in the bowl. Then open the drawer. Any order you like.",
        "Any order you like.",
        "Put the mug on the plate and after that don't put it there.",
        "Never touch the mug, the block gets on the plate.",
        "There's no need to open the drawer.",
        "You don't have to open the drawer.",
        "Put the blocks on the tray, not all of them.",
        "Put the mug and the bowl on the tray, not both.",
        "Never touch the mug at the end.",
        "Touch nothing but the mug in the end.",
        "Only one block may be on the tray.",
        "Put the mug on the plate and the bowl on the tray. The mug comes last.",
        "Put the mug on the plate and the bowl on the tray. The bowl will come first.",
        "Keep the mug there.",
        "Never have both drawers open.",
        "Never let all the blocks be on the tray.",
        "Never have the blocks on the tray at the same time.",
        "Never touch the blocks at the same time.",
        "Never let the mug or the bowl be on the tray at the same time.",
        "Put the mugs on the plates.",
        "Put both mugs on the two plates.",
        "Put the mug on both plates.",
        "Do not put the mug down until the drawer is open.",
        "Before put the mug in the bowl, I don't care which one.",
        "If the grey or drawer is shut, touch the mug.",
        "Don't take the orange or mug before the drawer is open.",
        "Only touch the mug exactly twice.",
        "Put only no blocks on the plate.",
        "The mug should both end up on the coaster.",
        "The mug must not both be on the coaster.",
    ],
)
def test_what_may_change_the_task_is_asked_about(text: str) -> None:
    with pytest.raises(SaySoError):
        controlled_english.interpret(text, TABLE)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("Could the bowl maybe go over onto the tray?", "F(on(bowl, tray))"),
        (
            "Have the mug and the red block swap places.",
            "F(on(mug, thing::isbelow(red_block)) & on(red_block, thing::isbelow(mug)))",
        ),
        (
            "Pick up the green block, touching neither the bowl nor the plate.",
            "F(holding(green_block)) & G(!touching(bowl) & !touching(plate))",
        ),
        (
            "Open the drawer, and the bowl has to stay empty.",
            "F(open(drawer)) & all x1 in thing other than bowl: (G(!in(x1, bowl)))",
        ),
        (
            "Keep the bowl empty until the drawer is open.",
            "all x1 in thing other than bowl: (G(!in(x1, bowl)) | (!in(x1, bowl) U open(drawer)))",
        ),
        (
            "Put one block on the plate and the other two in the bowl.",
            "F(some x1 in block: "
            "(on(x1, plate) & all 2 x2 in block other than x1: (in(x2, bowl))))",
        ),
        (
            "Should there be a block in the bowl, open the drawer.",
            "!some x1 in block: (in(x1, bowl)) | F(open(drawer))",
        ),
        ("Give each of the two plates a quick tap.", "all 2 x1 in plate: (F(touching(x1)))"),
        (
            "Never touch the plate until the three blocks have all made it into the bowl.",
            "G(!touching(plate)) | (!touching(plate) U all 3 x1 in block: (in(x1, bowl)))",
        ),
        (
            "If the mug is on the coaster where I left it this morning, pick it up.",
            "!on(mug, coaster) | F(holding(mug))",
        ),
        ("Hold only one block at a time.", None),
        ("Only hold one thing at a time.", "G(!at least 2 x1 in thing: (holding(x1)))"),
        (
            "Put the red block on the tray, and, because the mug is chipped, don't touch it.",
            "F(on(red_block, tray)) & G(!touching(mug))",
        ),
        (
            "Put the red block on the tray because the mug is chipped, then put it in the bowl.",
            None,
        ),
        ("Never touch the mug while you are moving the red block to the plate.", None),
    ],
)
def test_more_everyday_wordings(text: str, formula: str | None) -> None:
    if formula is None:
        with pytest.raises(SaySoError):
            controlled_english.interpret(text, TABLE)
    else:
        assert to_text(controlled_english.interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("If the kitchen door is shut at the moment, open it.",
         "!closed(kitchen_door) | F(open(kitchen_door))"),
        ("As soon as the floor lamp comes on, go to the bed.",
         "G(!lit(floor_lamp) | F(near(bed)))"),
        ("Open the kitchen door, go to the sofa, and leave the door open.",
         "F(open(kitchen_door) & G(open(kitchen_door)) & F(near(sofa)))"),
        ("Keep patrolling back and forth between the door and the sofa.",
         "G(F(near(door))) & G(F(near(sofa)))"),
        (
            "Both cans into the trash, but only hold one at a time.",
            "all 2 x1 in can: (F(holding(x1) & F(placed(x1, trash)))) "
            "& G(!at least 2 x2 in can: (holding(x2)))",
        ),
        ("Stay out of the bedroom, anywhere else is fine, and pick up the cushion.",
         "F(holding(cushion)) & G(!near(bedroom))"),
    ],
)  # fmt: skip
def test_more_everyday_wordings_in_a_flat(text: str, formula: str) -> None:
    assert to_text(controlled_english.interpret(text, FLAT).formula) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("Put the mug next to the bowl and the plate.",
         "F(next_to(mug, bowl) & next_to(mug, plate))"),
        ("Put the mug next to the bowl and the can on the tray.",
         "F(next_to(mug, bowl) & F(on(can, tray)))"),
        ("Put the mug and the can next to each other.", "F(next_to(mug, can))"),
        ("The mug and the can should be side by side.", "F(next_to(mug, can))"),
        ("Never put the mug and the can next to each other.", "G(!next_to(mug, can))"),
        ("Blue goes at the bottom, yellow on top of blue.", "F(on(yellow_thing, blue_thing))"),
        (
            "The red block goes at the bottom, the blue one on top of it and then the yellow one "
            "on top of the blue one.",
            "F(on(blue_block, red_block) & on(yellow_block, blue_block))",
        ),
        ("Red at the bottom, blue on top of yellow.", None),
        ("Not all of the blocks should end up in the bowl.", "G(!all x1 in block: (in(x1, bowl)))"),
        ("I don't want all four blocks in the drawer.", None),
        ("Touch the mug and the plate at some point.", "F(touching(mug)) & F(touching(plate))"),
        (
            "Put the mug on the tray only if the drawer is open; "
            "otherwise put the mug in the bowl.",
            "(!open(drawer) | F(on(mug, tray))) & (open(drawer) | F(in(mug, bowl)))",
        ),
        ("The drawer should end up open only if the red block is in it.", None),
        ("Touch the mug and then the plate, the plate first.", None),
        ("Put all blocks except the yellow one in the bowl without touching it.", None),
        (
            "Open the drawer, put all the blocks except the yellow one in it and close it again.",
            "F(open(drawer) & F(all x1 in block other than yellow_block: (in(x1, drawer)) & "
            "F(closed(drawer))))",
        ),
        ("Put the blocks on the left in the bowl.", None),
        ("Empty the bowl onto the tray, then put the bowl in the box.",
         "F(all x1 in thing::isin(bowl): (on(x1, tray)) & F(in(bowl, box)))"),
        ("If the bowl contains nothing, put the mug in it.",
         "!all x1 in thing: (!in(x1, bowl)) | F(in(mug, bowl))"),
        ("If the mug and the can are both on the tray, open the drawer.",
         "!(on(mug, tray) & on(can, tray)) | F(open(drawer))"),
        ("Load the mug and the can into the box.", "F(in(mug, box) & in(can, box))"),
        ("Leave the mug here.", "G(!touching(mug))"),
        ("Pick up the mug, it on the tray.", None),
    ],
)  # fmt: skip
def test_places_orders_and_exceptions_in_few_words(text: str, formula: str | None) -> None:
    if formula is None:
        with pytest.raises(SaySoError):
            controlled_english.interpret(text, TABLE)
    else:
        assert to_text(controlled_english.interpret(text, TABLE).formula) == formula


@pytest.mark.parametrize(
    ("text", "lexicon", "formula"),
    [
        ("All blocks on the tray, but not the red one.", TABLE,
         "F(all x1 in block other than red_block: (on(x1, tray)))"),
        ("Put the blocks on the tray, not the red one.", TABLE,
         "F(all x1 in block other than red_block: (on(x1, tray)))"),
        ("Put the red blocks on the tray, not the blue ones.", TABLE,
         "F(all x1 in red_block: (on(x1, tray))) & all x2 in blue_block: (G(!on(x2, tray)))"),
        ("Close all doors, but not the bedroom door.", FLAT,
         "F(all x1 in door other than bedroom_door: (closed(x1)))"),
        ("Everything on the plate, put it on the tray, but not the red block.", TABLE,
         "F(all x1 in thing::isabove(plate) other than red_block: (on(x1, tray)))"),
        ("Visit all the rooms but not the kitchen.", FLAT,
         "all x1 in room other than kitchen: (F(near(x1)))"),
    ],
)  # fmt: skip
def test_not_one_of_all_is_an_exception(text: str, lexicon: Lexicon, formula: str) -> None:
    assert to_text(controlled_english.interpret(text, lexicon).formula) == formula


@pytest.mark.parametrize("verb", ["Get", "Fetch"])
@pytest.mark.parametrize("joiner", [",", " and", " and then"])
def test_what_is_fetched_for_somebody_goes_where_it_is_put_next(verb: str, joiner: str) -> None:
    read = controlled_english.interpret(f"{verb} me my mug{joiner} put it on the desk.", FLAT)
    assert to_text(read.formula) == "F(holding(mug) & F(holding(mug) & F(placed(mug, desk))))"


def test_the_time_of_waiting_is_told() -> None:
    read = controlled_english.interpret("Wait by the fridge until I get back.", FLAT)
    assert to_text(read.formula) == "F(near(fridge))"
    assert read.assumptions == ("'until I get back' asks for nothing",)
    with pytest.raises(SaySoError):
        controlled_english.interpret(
            "Wait by the fridge until I return, then go to the sofa.", FLAT
        )
