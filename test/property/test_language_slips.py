"""A mended slip of the keyboard never changes what was asked for or forbidden, and is told."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.language.constructs import constructs, draw
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.tokens import tokenize

INTERPRETERS = {
    drives: Interpreter(Lexicon.of(load(builtin_path("flat" if drives else "tabletop"))))
    for drives in (False, True)
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def slipped(rng: Random, text: str) -> str:
    """The text with one letter of it missing, too many or another, or two that changed places."""
    at = rng.choice([i for i, letter in enumerate(text) if letter.isalpha()])
    before, letter, after = text[:at], text[at], text[at + 1 :]
    swaps = after[:1].isalpha()
    return rng.choice([
        before + after,
        before + rng.choice(LETTERS) + letter + after,
        before + rng.choice(LETTERS) + after,
        before + letter + letter + after,
        before + after[:1] + letter + after[1:] if swaps else before + after,
    ])  # fmt: skip


@settings(derandomize=True, deadline=None, max_examples=200)
@given(seed=st.integers(0, 10**9), drives=st.booleans())
def test_what_is_mended_means_what_was_meant(seed: int, drives: bool) -> None:
    rng = Random(seed)
    instruction = draw(rng, drives, rng.choice(constructs(drives)))
    interpreter, seen = INTERPRETERS[drives], [t.name for t in instruction.things]
    typed = slipped(rng, instruction.text)
    try:
        read = interpreter.interpret(typed, seen)
    except SaySoError:
        return
    # What is set aside is told as well, and is no slip.
    mended = [told for told in read.assumptions if "' is read as '" in told]
    if not mended:
        return
    words = {t.text for t in tokenize(instruction.text)}
    for told in mended:
        assert told.split("'")[3] in words, f"{typed}: {told}"
    assert read.formula == interpreter.interpret(instruction.text, seen).formula, typed
    assert read.instruction == typed
