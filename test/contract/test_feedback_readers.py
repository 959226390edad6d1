"""Every reader of feedback behaves as its port says, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import Predicate
from sayso.language.lexicon import Lexicon
from sayso.learning.controlled_english import ControlledEnglish
from sayso.learning.feedback import Action, Feedback, FeedbackKind
from sayso.learning.model.reader import ModelReader
from sayso.learning.synthesis.labels import Concept
from sayso.learning.teaching import FeedbackReader
from support.looked_up_lessons import TableReader
from support.scripted_mind import PREDICATES, ScriptedMind

OBJECTS = {"red_can": "can", "blue_tin": "tin", "big_shelf": "shelf"}
PICK = Action("pick_up", ("red_can",))
PUT = Action("place_first_on_second", ("red_can", "big_shelf"))
GOAL = (parse_literal("on(red_can, big_shelf)"),)
READERS = ("controlled English", "model", "table")

CASES = {
    "Put the red can on the big shelf.": ("GOAL", "on(red_can, big_shelf)", ""),
    "Put the blue tin on the table.": ("GOAL", "on_table(blue_tin)", ""),
    "You have not reached the goal because the red can is not on the big shelf.": (
        "UNSATISFIED", "not on(red_can, big_shelf)", "",
    ),
    "You have reached the goal.": ("REACHED", "on(red_can, big_shelf)", ""),
    "You cannot pick up the red can because the gripper is already occupied.": (
        "INFEASIBLE", "not gripper_empty()", "gripper_empty()",
    ),
    "You cannot pick up the red can because something is on the red can.": (
        "INFEASIBLE", "not clear(red_can)", "clear(red_can)",
    ),
    "That does not work.": ("INFEASIBLE", "", ""),
    "You can pick up the red can.": ("FEASIBLE", "", ""),
}  # fmt: skip


def _feedback(text: str) -> Feedback:
    kind, literals, needed = CASES[text]
    found = tuple(parse_literal(t) for t in (literals,) if t)
    concepts = [Concept(x.atom.predicate, *PREDICATES[x.atom.predicate]) for x in found]
    return Feedback(
        FeedbackKind[kind],
        found,
        tuple(parse_literal(t) for t in (needed,) if t),
        tuple(concepts) if kind != "REACHED" else (),
        text,
    )


@pytest.fixture(params=READERS, scope="module")
def reader(request: pytest.FixtureRequest) -> Iterator[FeedbackReader]:
    if request.param == "controlled English":
        yield ControlledEnglish()
    elif request.param == "table":
        yield TableReader({text: _feedback(text) for text in CASES})
    else:
        with ScriptedMind() as server:
            yield ModelReader(OpenAIChat("scripted", server.base_url))


def read(reader: FeedbackReader, text: str) -> Feedback:
    """A text, while what its kind answers to is in question."""
    kind = CASES[text][0]
    action = PICK if kind in ("INFEASIBLE", "FEASIBLE") else None
    goal = GOAL if kind in ("UNSATISFIED", "REACHED") else ()
    return reader.read(text, OBJECTS, action=action, goal=goal)


@pytest.mark.parametrize("text", CASES)
def test_what_is_said_is_read(reader: FeedbackReader, text: str) -> None:
    kind, literals, needed = CASES[text]
    found = read(reader, text)
    assert (found.kind.name, found.text) == (kind, text)
    assert "; ".join(map(str, found.literals)) == literals
    assert "; ".join(map(str, found.preconditions)) == needed
    assert found.vague == (text == "That does not work.")


@pytest.mark.parametrize("text", CASES)
def test_predicates_come_with_all_that_is_needed_to_learn_them(
    reader: FeedbackReader, text: str
) -> None:
    found = read(reader, text)
    if found.kind is FeedbackKind.REACHED:
        return
    assert {c.name for c in found.concepts} == {x.atom.predicate for x in found.literals}
    for concept in found.concepts:
        names = PREDICATES[concept.name][0]
        assert len(concept.parameters) == len(names)
        assert concept.english.format(*names) != concept.english_not.format(*names)


def test_known_predicates_are_used_again(reader: FeedbackReader) -> None:
    known = {"on": Predicate("on", ("a", "b"), lambda *_: None, *PREDICATES["on"][1:])}
    found = reader.read("Put the red can on the big shelf.", OBJECTS, known=Lexicon(known))
    assert found.literals == GOAL and found.concepts[0].english == "{0} is on {1}"


@pytest.mark.parametrize("text", ["", " . ", "Colourless green ideas.", "Stell die Dose weg."])
def test_what_is_not_understood_is_said(reader: FeedbackReader, text: str) -> None:
    for action, goal in ((None, ()), (None, GOAL), (PUT, GOAL)):
        with pytest.raises(SaySoError) as caught:
            reader.read(text, OBJECTS, action=action, goal=goal)
        assert caught.value.code is Code.NOT_UNDERSTOOD


def test_things_that_are_not_there_are_not_read(reader: FeedbackReader) -> None:
    with pytest.raises(SaySoError) as caught:
        reader.read("Put the red can on the blue lamp.", OBJECTS)
    assert caught.value.code in (Code.NOT_UNDERSTOOD, Code.UNKNOWN_OBJECT)
