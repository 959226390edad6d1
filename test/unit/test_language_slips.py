"""Slips of the keyboard are mended where it is clear what was meant, and told."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.slips import is_slip, slips
from sayso.logic.text import to_text

LEXICON = Lexicon.of(load(builtin_path()))
SEEN = ("red_block", "green_block", "plate", "mug", "drawer", "plake")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("blok", "block"),  # missing
        ("blockk", "block"),  # doubled
        ("blopck", "block"),  # the key beside, too
        ("blovk", "block"),  # the key beside, instead
        ("bolck", "block"),  # changed places
        ("lbock", "block"),
        ("rde", "red"),
    ],
)
def test_fingers_slip(typed: str, meant: str) -> None:
    assert is_slip(typed, meant)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("lock", "block"), ("tablet", "table"), ("boot", "book"), ("rd", "red"), ("rad", "red")],
)
def test_another_word_is_no_slip(typed: str, meant: str) -> None:
    assert not is_slip(typed, meant)


def test_what_was_taken_for_granted_is_told_and_the_words_are_kept() -> None:
    said = "Put hte red blok on the plaet."
    specification = Interpreter(LEXICON).interpret(said, SEEN)
    assert to_text(specification.formula) == "F(on(red_block, plate))"
    assert specification.instruction == said
    assert specification.assumptions == (
        "'blok' is read as 'block'",
        "'plaet' is read as 'plate'",
    )


@pytest.mark.parametrize(
    "said",
    [
        "touch the plake",  # it is there
        "touch the boot",  # nothing like it
        "touch the bowll or the blocs",  # bowl, but block or blocks
        "nver touch the mug",  # no order is made of a rule
        "do nt touch the mug",
        "touch the mug ubless the drawer is open",
    ],
)
def test_other_words_are_left_as_they_are(said: str) -> None:
    assert {s.token.text for s in slips(said, LEXICON, SEEN)} <= {"bowll"}


def test_a_noun_is_left_where_it_is_not_known_what_is_seen() -> None:
    specification = Interpreter(LEXICON).interpret("touch the blok")
    assert to_text(specification.formula) == "F(touching(blok))"
    assert not specification.assumptions


def test_what_is_not_understood_is_mended_without_knowing_what_is_seen() -> None:
    specification = Interpreter(LEXICON).interpret("opeen the drawer")
    assert specification.assumptions == ("'opeen' is read as 'open'",)


def test_what_is_not_understood_when_mended_is_refused_as_it_was_typed() -> None:
    with pytest.raises(SaySoError) as caught:
        Interpreter(LEXICON).interpret("paintt the plaet", SEEN)
    assert "'paintt'" in caught.value.message


def test_a_correction_is_mended_too_and_a_new_instruction_forgets_what_was_mended() -> None:
    interpreter = Interpreter(LEXICON)
    said = interpreter.interpret("touch the red blokc", SEEN)
    corrected = interpreter.correct(said, "no, the greeen block", SEEN)
    assert to_text(corrected.formula) == "F(touching(green_block))"
    assert corrected.corrections == ("no, the greeen block",)
    assert corrected.assumptions == ("'blokc' is read as 'block'", "'greeen' is read as 'green'")
    assert not interpreter.correct(corrected, "no, open the drawer", SEEN).assumptions
