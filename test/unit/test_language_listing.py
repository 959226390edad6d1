"""Where the points of a list begin that somebody typed, and what only looks like a list."""

from __future__ import annotations

import pytest

from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.language.listing import points
from sayso.logic.text import to_text

LEXICON = Lexicon.of(load(builtin_path("tabletop")))
LISTS = (
    "1) Open the drawer 2) put the mug in it 3) close the drawer",
    "1. Open the drawer. 2. Put the mug in it. 3. Close the drawer.",
    "(1) open the drawer, (2) put the mug in it, (3) close the drawer",
    "Step 1: open the drawer, step 2: put the mug in it, step 3: close the drawer.",
    "Step one, open the drawer; step two, put the mug in it; and step three, close the drawer.",
    "Here is the plan: one, open the drawer; two, put the mug in it; and three, close the drawer.",
    "Here is the plan: - open the drawer - put the mug in it - close the drawer",
    "Here is the plan:\n- open the drawer\n- put the mug in it\n- close the drawer",
    "* open the drawer\n* put the mug in it\n* close the drawer",
    "a) open the drawer\nb) put the mug in it\nc) close the drawer\n",
)
NO_LISTS = (
    "Put the mug on the tray - and open the drawer.",
    "Put 1 block on the plate, 2 in the bowl.",
    "Put one, two, three blocks in the bowl.",
    "Touch the mug.\nThen open the drawer.",
    "Start with point 2. Touch the mug.",
    "Touch block_1. Touch block_2.",
    "Put the mug on tray 1. Put the plate on tray 2. Open the drawer.",
    "If the drawer is open, do the following: 1) touch the mug 2) close the drawer",
    "Touch block number 1, then block number 2. Then open the drawer.",
)


@pytest.mark.parametrize("text", LISTS)
def test_points_are_done_in_the_order_said(text: str) -> None:
    meant = "F(open(drawer) & F(in(mug, drawer) & F(closed(drawer))))"
    assert to_text(interpret(text, LEXICON).formula) == meant


@pytest.mark.parametrize("text", NO_LISTS)
def test_what_only_looks_like_a_list_has_no_points(text: str) -> None:
    assert points(text) == ()


def test_a_rule_about_a_point_names_its_thing_first() -> None:
    text = "To do:\n- mug on the tray\n- plate: leave alone\n- drawer: don't open\n"
    meant = "F(on(mug, tray)) & G(!touching(plate)) & G(!open(drawer))"
    assert to_text(interpret(text, LEXICON).formula) == meant
