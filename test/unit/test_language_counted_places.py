"""Descriptions by what is on or in a thing, or by counting from one side."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.english import read_back
from sayso.logic.formula import propositions
from sayso.logic.text import parse, to_text
from sayso.perception.grounding import ground

LIBRARY = load(builtin_path())
LEXICON = Lexicon.of(LIBRARY)
READ = [
    ("Pick up the plate with nothing on it.", "F(holding(plate::isbelow(no thing)))"),
    ("Put the mug in the bowl that has nothing in it.", "F(in(mug, bowl::contains(no thing)))"),
    ("Touch the plate with no block on it.", "F(touching(plate::isbelow(no block)))"),
    ("Touch the plate with the red block on it.", "F(touching(plate::isbelow(red_block)))"),
    ("Touch the bowl with the mug in it.", "F(touching(bowl::contains(mug)))"),
    ("Touch the third block from the left.", "F(touching(block::isrightof(two block)))"),
    (
        "Touch the second red block from the right.",
        "F(touching(red_block::isleftof(one red_block)))",
    ),
    ("Touch the block second from the left.", "F(touching(block::isrightof(one block)))"),
    ("Touch the first block from the left.", "F(touching(block::isleftof(all block)))"),
    ("Touch the last block from the left.", "F(touching(block::isrightof(all block)))"),
]  # fmt: skip
MEANT = [
    ("Touch the plate with nothing on it.", "blue_plate"),
    ("Touch the plate with no block on it.", "blue_plate"),
    ("Touch the plate with the red block on it.", "white_plate"),
    ("Touch the bowl with nothing in it.", "big_bowl"),
    ("Touch the bowl with the mug in it.", "small_bowl"),
    ("Touch the second block from the left.", "green_block"),
    ("Touch the third block from the left.", "blue_block"),
    ("Touch the third block from the right.", "red_block"),
]


@pytest.mark.parametrize(("text", "formula"), READ)
def test_is_read_and_what_is_read_back_means_the_same(text: str, formula: str) -> None:
    read = interpret(text, LEXICON).formula
    assert to_text(read) == formula
    assert parse(formula) == read
    said = read_back(read, LEXICON.predicates)
    assert interpret(said, LEXICON).formula == read


@pytest.mark.parametrize(("text", "name"), MEANT)
def test_stands_for_the_thing_that_is_so_placed(text: str, name: str) -> None:
    grounded = ground(interpret(text, LEXICON), _scene(_PLACES))
    assert [p.args for p in propositions(grounded.formula)] == [(name,)]


def test_a_thing_is_asked_about_where_two_are_so_placed() -> None:
    elsewhere = {**_PLACES, "red_block": (0.5, 0.4, 0.02), "mug": (0.6, 0.4, 0.04)}
    for text in ("Touch the plate with nothing on it.", "Touch the bowl with nothing in it."):
        with pytest.raises(SaySoError) as caught:
            ground(interpret(text, LEXICON), _scene(elsewhere))
        assert caught.value.code is Code.AMBIGUOUS


def test_no_thing_is_meant_where_there_are_too_few_to_count() -> None:
    with pytest.raises(SaySoError) as caught:
        ground(interpret("Touch the fourth block from the left.", LEXICON), _scene(_PLACES))
    assert caught.value.code is Code.UNKNOWN_OBJECT


_PLACES: Mapping[str, tuple[float, float, float]] = {
    "red_block": (0.5, 0.2, 0.04),
    "green_block": (0.5, 0.0, 0.02),
    "blue_block": (0.5, -0.2, 0.02),
    "white_plate": (0.5, 0.2, 0.01),
    "blue_plate": (0.7, 0.2, 0.01),
    "small_bowl": (0.7, -0.2, 0.03),
    "big_bowl": (0.7, 0.0, 0.03),
    "mug": (0.7, -0.2, 0.05),
}
_SIZES = {
    "block": (0.04, 0.04, 0.04), "plate": (0.16, 0.16, 0.02), "bowl": (0.14, 0.14, 0.06),
    "mug": (0.07, 0.07, 0.08),
}  # fmt: skip


def _scene(places: Mapping[str, tuple[float, float, float]]) -> Scene:
    def thing(name: str, at: tuple[float, float, float]) -> SceneObject:
        color, _, kind = name.rpartition("_")
        return SceneObject(name, kind, color, at, _SIZES[kind])

    return Scene(0.0, tuple(thing(name, at) for name, at in places.items()))
