"""The automaton's picture."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from sayso.core.library import builtin_path, load
from sayso.logic.automaton import automaton_of
from sayso.logic.drawing import MOST_DRAWN, to_svg
from sayso.logic.text import parse

PREDICATES = load(builtin_path("flat")).predicates
GOLDEN = Path(__file__).parents[1] / "golden" / "logic_drawing.svg"
ERRAND = "F(holding(toy) & F(placed(toy, couch))) & G(!(holding(toy) & near(table)))"


def elements(svg: str, kind: str) -> list[ElementTree.Element]:
    return [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith(kind)]


def labels(svg: str) -> set[str]:
    return {e.text or "" for e in elements(svg, "text")}


def test_the_picture_is_drawn_as_it_was() -> None:
    automaton = automaton_of(parse(ERRAND))
    holding = automaton.propositions[:1]
    taken = (0, automaton.step(0, holding))
    assert to_svg(automaton, taken, PREDICATES) == GOLDEN.read_text(encoding="utf-8")


def test_the_way_taken_is_marked() -> None:
    automaton = automaton_of(parse("F(near(sofa) & F(near(bed)))"))
    drawn = elements(to_svg(automaton, (0, 1, 1, 2)), "path")
    assert sum(e.get("class") == "taken" for e in drawn) == 2
    assert not any(e.get("class") == "taken" for e in elements(to_svg(automaton), "path"))


def test_the_legend_is_in_english() -> None:
    told = labels(to_svg(automaton_of(parse("F(near(sofa)) & G(!near(cat))")), (), PREDICATES))
    assert {"a: the robot is near the sofa", "b: the robot is near the cat"} <= told


def test_of_a_large_automaton_the_way_is_drawn() -> None:
    places = "abcdefgh"
    automaton = automaton_of(parse(" & ".join(f"F(near(place_{p}))" for p in places)))
    assert automaton.states > MOST_DRAWN
    first = automaton.step(0, automaton.propositions[3:4])
    svg = to_svg(automaton, (0, first))
    circles = {(e.get("cx"), e.get("cy")) for e in elements(svg, "circle")}
    assert len(circles) == len(places) + 1
    assert f"{automaton.states - len(circles)} more states are not shown." in labels(svg)


@pytest.mark.parametrize("formula", ["true", "false", "G(!near(cat))", "X(near(a)) | WX(near(b))"])
def test_any_automaton_can_be_drawn(formula: str) -> None:
    assert elements(to_svg(automaton_of(parse(formula))), "circle")
