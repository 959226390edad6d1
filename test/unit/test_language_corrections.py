"""Corrections edit a specification only where it is clear what is meant."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.controlled_english import interpret
from sayso.language.corrections import correct
from sayso.language.lexicon import Lexicon
from sayso.logic.text import to_text

LEXICON = Lexicon.of(load(builtin_path()))
STACK = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)
PICK = "Pick up the red block."

EDITS = [
    (PICK, "no, the green block", "F(holding(green_block))"),
    (PICK, "No, the green one!", "F(holding(green_block))"),
    (PICK, "I meant the green block", "F(holding(green_block))"),
    (PICK, "the block left of the mug instead", "F(holding(block::isleftof(mug)))"),
    (
        STACK,
        "not the red block, the green one",
        "F(on(green_block, plate) & F(on(blue_block, green_block))) & G(!touching(mug))",
    ),
    (
        STACK,
        "the coaster, not the plate",
        "F(on(red_block, coaster) & F(on(blue_block, red_block))) & G(!touching(mug))",
    ),
    (
        STACK,
        "the bowl instead of the mug",
        "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(bowl))",
    ),
    (
        STACK,
        "never touch the bowl either",
        "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"
        " & G(!touching(bowl))",
    ),
    (
        STACK,
        "the blue block first",
        "F(on(blue_block, red_block) & F(on(red_block, plate))) & G(!touching(mug))",
    ),
    (
        STACK,
        "then open the drawer",
        "F(on(red_block, plate) & F(on(blue_block, red_block) & F(open(drawer))))"
        " & G(!touching(mug))",
    ),
    (PICK, "also open the drawer", "F(holding(red_block)) & F(open(drawer))"),
    (PICK, "then put it in the bowl", "F(holding(red_block) & F(in(red_block, bowl)))"),
    (
        "Open the drawer and put the mug in the bowl in any order.",
        "the mug first",
        "F(in(mug, bowl) & F(open(drawer)))",
    ),
    (
        "Put the red block on the plate and the blue block on the coaster.",
        "the blue block first",
        "F(on(blue_block, coaster) & F(on(red_block, plate)))",
    ),
    (
        "Pick up the block left of the mug.",
        "not the mug, the bowl",
        "F(holding(block::isleftof(bowl)))",
    ),
]


@pytest.mark.parametrize(("instruction", "words", "formula"), EDITS)
def test_edits(instruction: str, words: str, formula: str) -> None:
    spec = interpret(instruction, LEXICON)
    corrected = correct(spec, words, LEXICON)
    assert to_text(corrected.formula) == formula
    assert corrected.version == 2
    assert corrected.instruction == instruction


def test_a_whole_instruction_replaces_the_task() -> None:
    words = "No, put the green block in the bowl."
    corrected = correct(interpret(STACK, LEXICON), words, LEXICON)
    assert to_text(corrected.formula) == "F(in(green_block, bowl))"
    assert corrected.instruction == words
    assert corrected.version == 2


@pytest.mark.parametrize(
    ("words", "pointed", "says"),
    [
        ("no, the green block", "the green block", "several things"),
        ("not the teapot, the mug", "the teapot", "not part of the task"),
        ("the teapot instead", "the teapot", "nothing in the task"),
        ("the mug first", "the mug", "which step"),
        ("no", "", "nothing is corrected"),
        ("no, juggle", "juggle", "not understood"),
        ("the coaster, not the plate now", "now", "not understood"),
        ("then", "", "too early"),
    ],
)
def test_refuses_what_is_not_clear(words: str, pointed: str, says: str) -> None:
    with pytest.raises(SaySoError) as caught:
        correct(interpret(STACK, LEXICON), words, LEXICON)
    error = caught.value
    assert error.code is Code.NOT_UNDERSTOOD
    assert error.span is not None
    assert says in error.message
    assert words[error.span.start : error.span.end].startswith(pointed)


@pytest.mark.parametrize("words", [
    "No, put the mug in the bowl, my boss is coming round.",
    "Then put the mug in the bowl, my boss is coming round.",
])  # fmt: skip
def test_what_a_correction_tells_is_told_with_the_reading(words: str) -> None:
    corrected = correct(interpret(PICK, LEXICON), words, LEXICON)
    assert corrected.assumptions == ("'my boss is coming round' asks for nothing",)


def test_versions_go_on() -> None:
    spec = interpret(PICK, LEXICON)
    for words in ("the green block", "the blue block", "never touch the mug"):
        spec = correct(spec, words, LEXICON)
    assert spec.version == 4
    assert to_text(spec.formula) == "F(holding(blue_block)) & G(!touching(mug))"


def test_a_task_does_not_grow_without_end() -> None:
    spec = interpret(". ".join(["Open the drawer", "Close the drawer"] * 15), LEXICON)
    with pytest.raises(SaySoError) as caught:
        correct(spec, "then touch the mug", LEXICON)
    assert "at most 30 steps" in caught.value.message
