"""An answer in the place of a part that was not understood means what the instruction means that is
said that way at once."""

from __future__ import annotations

from random import Random

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.language.constructs import constructs, draw
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import PartlyUnderstoodError
from sayso.logic.formula import Formula

READER = Interpreter(Lexicon.of(load(builtin_path("tabletop"))))
UNCLEAR = "Singing is banned"
DRAWN = 120


def read(text: str) -> tuple[Formula, tuple[str, ...]] | None:
    """The meaning, and what is asked about it; None for what is refused."""
    try:
        return READER.interpret(text).formula, ()
    except PartlyUnderstoodError as offer:
        return offer.offered.formula, offer.asked.words
    except SaySoError:
        return None


def test_a_drawn_answer_is_read_as_if_it_had_been_said_at_once() -> None:
    names, read_in_place = constructs(False), 0
    for i in range(DRAWN):
        rng = Random(f"in place/{i}")
        drawn = (draw(rng, False, rng.choice(names)).text for _ in range(3))
        before, said, after = (f"{text.rstrip('. ')}." for text in drawn)
        text = f"{before} {UNCLEAR}. {after}"
        try:
            READER.interpret(text)
            continue
        except PartlyUnderstoodError as offer:
            asked = offer
        except SaySoError:
            continue
        if asked.asked.words != (UNCLEAR,):
            continue
        at_once = read(f"{before} {said} {after}")
        try:
            done = READER.correct(asked.offered, said)
        except PartlyUnderstoodError as still:
            done = still.offered
        except SaySoError:
            continue  # it is asked again
        if done.asked is not None and done.asked.words == (UNCLEAR,):
            continue
        assert done.instruction == text
        assert at_once is not None, (text, said)
        assert (done.formula, done.asked.words if done.asked else ()) == at_once, (text, said)
        read_in_place += 1
    assert read_in_place >= DRAWN // 6
