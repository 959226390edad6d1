"""An answer in the place of a part that was not understood means what the instruction means that is
said that way at once."""

from __future__ import annotations

from random import Random

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.language.constructs import constructs, draw
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import PartlyUnderstoodError
from sayso.logic.formula import Formula
from sayso.mission.confirmation import MISUNDERSTOOD

READER = Interpreter(Lexicon.of(load(builtin_path("tabletop"))))
LIMIT, ORDER = "Singing is banned", "Polish the cutlery"
DRAWN = 120
SAYING_NOTHING = (
    "thanks", "thank you very much", "please", "good morning", "be careful", "that is important",
    "the mug is full", "the weather is nice", "my sister painted the plate", "because it is hot",
    "you are a star", "the cutlery is dirty", "I do not mind which",
)  # fmt: skip


def read(text: str) -> tuple[Formula, tuple[str, ...]] | None:
    """The meaning, and what is asked about it; None for what is refused."""
    try:
        return READER.interpret(text).formula, ()
    except PartlyUnderstoodError as offer:
        return offer.offered.formula, offer.asked.words
    except SaySoError:
        return None


@pytest.mark.parametrize(("unclear", "drawings"), [(LIMIT, DRAWN), (ORDER, DRAWN // 4)])
def test_a_drawn_answer_is_read_as_if_it_had_been_said_at_once(unclear: str, drawings: int) -> None:
    names, read_in_place = constructs(False), 0
    for i in range(drawings):
        rng = Random(f"in place/{i}")
        drawn = (draw(rng, False, rng.choice(names)).text for _ in range(3))
        before, said, after = (f"{text.rstrip('. ')}." for text in drawn)
        text = f"{before} {unclear}. {after}"
        try:
            READER.interpret(text)
            continue
        except PartlyUnderstoodError as offer:
            asked = offer
        except SaySoError:
            continue
        if asked.asked.words != (unclear,):
            continue
        at_once = read(f"{before} {said} {after}")
        try:
            done = READER.correct(asked.offered, said)
        except PartlyUnderstoodError as still:
            done = still.offered
        except SaySoError:
            continue  # it is asked again
        if done.asked is not None and done.asked.words == (unclear,):
            continue
        assert done.instruction == text
        assert at_once is not None, (text, said)
        assert (done.formula, done.asked.words if done.asked else ()) == at_once, (text, said)
        read_in_place += 1
    assert read_in_place >= drawings // 6


@pytest.mark.parametrize("unclear", [LIMIT, ORDER])
def test_courtesies_and_remarks_answer_nothing(unclear: str) -> None:
    names, asked_again = constructs(False), 0
    for i in range(DRAWN // 4):
        rng = Random(f"says nothing/{i}")
        drawn = (draw(rng, False, rng.choice(names)).text for _ in range(2))
        before, after = (f"{text.rstrip('. ')}." for text in drawn)
        said = rng.choice(SAYING_NOTHING)
        try:
            READER.interpret(f"{before} {unclear}. {after}")
            continue
        except PartlyUnderstoodError as offer:
            asked = offer
        except SaySoError:
            continue
        if asked.asked.words != (unclear,):
            continue
        with pytest.raises(SaySoError) as caught:
            READER.correct(asked.offered, said)
        assert caught.value.code in MISUNDERSTOOD, (before, said, after)
        asked_again += 1
    assert asked_again >= DRAWN // 8
