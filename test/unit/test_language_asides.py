"""What people tell beside an order is passed over; an order, wish or rule in it never is."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.grammar import Grammar
from sayso.language.lexicon import Lexicon
from sayso.language.offers import interpret
from sayso.language.rule_parts import parts_of
from sayso.logic.text import to_text
from support.natural_sentences import FOLDER

LEXICON = Lexicon.of(load(builtin_path("tabletop")))
FLAT = Lexicon.of(load(builtin_path("flat")))
TURNING = (FOLDER / "turning.txt").read_text(encoding="utf-8").splitlines()[1:]
LIMITS = ("barring", "excluding", "leaving out", "omitting", "exception", "other than", "but for",
          "save", "bar ", "apart", "aside from", "besides", "minus", "not counting")  # fmt: skip
ASIDES = (
    "Put the mug on the tray, my boss is coming round and she can't stand clutter.",
    "My boss is coming round, so put the mug on the tray.",
    "We are running an experiment: put the mug on the tray.",
    "I know this sounds odd, but put the mug on the tray.",
    "Quick one before lunch: put the mug on the tray.",
    "Put the mug on the tray, because I will say it only once.",
    "Put the mug on the tray because it is dark in there and I can not see.",
    "Put the mug on the tray, so that nobody knocks it over.",
    "Put the mug on the tray, it has just been cleaned.",
    "The tray is a bit wobbly, put the mug on it.",
    "Put the mug on the tray because my son put it there.",
    "Put the mug on the tray because I do not want to do it.",
)
TOLD_OF_PAST = (
    ("I washed the red block. Put the green block in the bowl.", "F(in(green_block, bowl))"),
    ("My daughter has left her blocks everywhere, put all blocks in the bowl.",
     "F(all x1 in block: (in(x1, bowl)))"),
    ("My daughter painted the green mug herself. Put the red block in the bowl.",
     "F(in(red_block, bowl))"),
    ("My granddaughter has left her blocks all over the place again: open the drawer.",
     "F(open(drawer))"),
    ("Open the drawer, I closed it again.", "F(open(drawer))"),
    ("Open the drawer, there is no sense in waiting for it.", "F(open(drawer))"),
)  # fmt: skip
HOLD_MORE = (
    "I needed the drawer open, put the mug on the tray.",
    "We agreed to open the drawer, put the mug on the tray.",
    "My boss ordered the drawer open, put the mug on the tray.",
    "Put the mug on the tray because it is dark and put the plate in the bowl.",
    "Put the mug on the tray because it is dark and wash it.",
    "Put the mug on the tray because I want the green block in the bowl.",
    "Put the mug on the tray, so I would like it here.",
    "Put the mug on the tray, so that the drawer is open.",
    "Put the mug on the tray, it must be empty.",
    "Put the mug on the tray, it is shut in the end.",
    "Put the mug on the tray, you are not to open anything.",
    "The drawer is open, put the mug on the tray.",
    "I need it clean: put the mug on the tray.",
    "Unless it is dark: put the mug on the tray.",
    "In case of fire: put the mug on the tray.",
    "Tomorrow morning: put the mug on the tray.",
    "In two minutes: put the mug on the tray.",
    "Very slowly: put the mug on the tray.",
    "Put the mug on the tray, I was joking.",
    "Put the mug on the tray, I changed my mind.",
    "Put the mug on the tray, and since the plate is chipped do not touch it.",
    "Put the mug on the tray, because the plate is chipped put it in the bowl.",
    "Put the mug on the tray, because the plate is chipped leave it alone.",
    "Put the mug on the tray, and because the plate is chipped, don't touch it.",
)


@pytest.mark.parametrize("text", ASIDES)
def test_an_aside_changes_nothing(text: str) -> None:
    assert to_text(interpret(text, LEXICON).formula) == "F(on(mug, tray))"


@pytest.mark.parametrize(("text", "formula"), TOLD_OF_PAST)
def test_what_somebody_did_is_told_and_asks_for_nothing(text: str, formula: str) -> None:
    spec = interpret(text, LEXICON)
    assert to_text(spec.formula) == formula
    assert len(spec.assumptions) == 1


def test_instead_of_what_was_never_said_is_told() -> None:
    spec = interpret("Put the mug on the tray instead.", LEXICON)
    assert to_text(spec.formula) == "F(on(mug, tray))"
    assert spec.assumptions == ("'instead' asks for nothing",)
    assert not interpret("Never touch the mug, touch the plate instead.", LEXICON).assumptions


@pytest.mark.parametrize("text", HOLD_MORE)
def test_what_may_ask_for_something_is_not_passed_over(text: str) -> None:
    try:
        formula = to_text(interpret(text, LEXICON).formula)
    except SaySoError as error:
        assert error.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
    else:
        assert formula != "F(on(mug, tray))"


@pytest.mark.parametrize("library", ["tabletop", "flat"])
def test_to_gather_is_not_just_to_visit_or_lift_one_after_the_other(library: str) -> None:
    thing = {"tabletop": "blocks", "flat": "cans"}[library]
    with pytest.raises(SaySoError) as caught:
        interpret(f"Gather the {thing}.", Lexicon.of(load(builtin_path(library))))
    assert caught.value.code is Code.NOT_UNDERSTOOD


@pytest.mark.parametrize("line", TURNING)
def test_what_turns_counts_or_limits_is_told_or_asked(line: str) -> None:
    world, text, *asked = line.split("|")
    try:
        spec = interpret(text, {"table": LEXICON, "flat": FLAT}[world])
    except SaySoError as error:
        assert error.code in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
        return
    limited = any(word in text for word in LIMITS) and "other than" in to_text(spec.formula)
    assert limited or (spec.assumptions and not asked)


def test_what_is_set_aside_is_told_as_it_was_typed() -> None:
    spec = interpret("My BOSS is coming round, so put the mug on the tray, thanks.", LEXICON)
    assert spec.assumptions == ("'My BOSS is coming round' asks for nothing",)
    spec = interpret("If the drawer is open, which it was this morning, close it.", LEXICON)
    assert spec.assumptions == ("'which it was this morning' asks for nothing",)


@pytest.mark.parametrize("text", [
    "I put the red block on the tray and put the blue block in the bowl.",
    "My wife put the mug on the tray and put the bowl in the drawer.",
    "I opened the drawer but then put the blue block in the bowl.",
])  # fmt: skip
def test_a_report_that_goes_on_is_no_order(text: str) -> None:
    """ "put" may be what the same person did, too."""
    with pytest.raises(SaySoError) as caught:
        interpret(text, LEXICON)
    assert caught.value.code is Code.NOT_UNDERSTOOD


OPEN = frozenset({
    "report", "own_aim", "premise", "statement", "reason", "heading", "aim", "mishap", "trail",
    "vague_order",
})  # fmt: skip
TELLING = frozenset({"Aside", "Report", "Premise", "Reason", "Story", "Waiting"})


def test_whatever_the_grammar_leaves_open_is_told() -> None:
    """Each alternative with open words makes a remark, or belongs to a rule of one that does; and a
    rule that makes remarks is never used where its meaning is dropped."""
    grammar: Grammar = LEXICON.grammar
    bare: set[str] = set()
    remarks: set[str] = set()
    while True:
        before = len(bare) + len(remarks)
        for rule, alternatives in grammar.rules.items():
            for alternative in alternatives:
                used = tuple(parts_of(alternative))
                opens = any(p.name in OPEN if p.is_slot else p.name in bare for p in used)
                told = any(p.name in remarks for p in used if not p.is_slot)
                if alternative.maker in TELLING and opens:
                    remarks.add(rule)
                elif opens:
                    bare.add(rule)
                if told and alternative.maker not in TELLING | {"StopWord"}:
                    kept = all(p.labelled for p in used if p.name in remarks)
                    assert kept or not alternative.labelled, (rule, alternative.maker)
                    if not alternative.maker:
                        remarks.add(rule)
        if before == len(bare) + len(remarks):
            break
    assert "sentence" not in bare and "item" not in bare and "link" not in bare
    assert {"remark", "because", "so_that", "said_besides", "announced", "thanks"} <= remarks
