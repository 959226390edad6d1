"""What people tell beside an order is passed over; an order, wish or rule in it never is."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.lexicon import Lexicon
from sayso.language.offers import interpret
from sayso.logic.text import to_text

LEXICON = Lexicon.of(load(builtin_path("tabletop")))
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
)
HOLD_MORE = (
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
)


@pytest.mark.parametrize("text", ASIDES)
def test_an_aside_changes_nothing(text: str) -> None:
    assert to_text(interpret(text, LEXICON).formula) == "F(on(mug, tray))"


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
