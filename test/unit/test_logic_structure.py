"""A task's structure: the way to its end, in English."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.logic.structure import structure_in_words, structure_of
from sayso.logic.text import parse

PREDICATES = load(builtin_path("flat")).predicates
GOLDEN = Path(__file__).parents[1] / "golden" / "logic_structures.txt"


def words(formula: str) -> tuple[str, ...]:
    return structure_in_words(parse(formula), PREDICATES)


def golden() -> list[tuple[str, list[str]]]:
    blocks = GOLDEN.read_text().strip().split("\n\n")
    return [(b.splitlines()[0], b.splitlines()[1:]) for b in blocks]


@pytest.mark.parametrize(("formula", "expected"), golden())
def test_the_structures_read_as_they_did(formula, expected):
    assert [f"{i}. {w}" for i, w in enumerate(words(formula), 1)] == expected


def test_the_way_names_the_easiest_letters():
    structure = structure_of(parse("F(near(a) | (near(b) & near(c)))"))
    assert structure is not None
    (stage,) = structure.stages
    assert {str(p.args[0]) for p in stage.letter} == {"a"}


def test_a_contradiction_has_no_structure():
    with pytest.raises(SaySoError) as caught:
        structure_of(parse("F(near(a)) & G(!near(a))"))
    assert caught.value.code is Code.CONTRADICTION


def test_a_very_large_task_is_told_part_by_part():
    places = "abcdefghijkl"
    told = words(" & ".join(f"F(near(place_{p}))" for p in places))
    assert len(told) == len(places)
    assert "place l" in told[-1]


def test_only_what_comes_about_over_and_over_recurs():
    def again(text):
        structure = structure_of(parse(text))
        return structure and len(structure.again)

    assert again("G(F(near(sink)) & F(near(door)))") == 2
    assert again("G(F(near(sink) & F(near(door))))") == 1
    assert again("G(F(near(sink)) & !near(door))") == 1
    assert again("G(near(sink))") == 0


def test_ways_of_equal_cost_may_leave_unequal_rests():
    """Both ways cost as much altogether, but one of them leaves more for later."""
    assert words("F(near(sofa) & near(sink)) & F(near(bed))") == (
        "Go on until the robot is near the sofa and the robot is near the sink "
        "(or this comes first: the robot is near the bed).",
        "Then go on until the robot is near the bed.",
    )
