"""The simulated person says what is so, one thing at a time, in words that are understood."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import parse_literal
from sayso.core.scene import Scene
from sayso.learning.feedback import Action, Feedback, FeedbackKind, read_feedback
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.persons import sayings
from sayso.worlds.persons.teacher import Manner, SimulatedPerson
from support.stacked_kitchen import OBJECTS, WORDS, kitchen

REFUSED = set(
    (Path(__file__).parents[1] / "golden/interpret_not_understood.txt").read_text().splitlines()
)


def person(
    seen: Scene, style: str = "plain", wrong: float = 0.0, goal: str = "on(red_can, big_shelf)"
) -> SimulatedPerson:
    library = true_library("store")
    literals = (parse_literal(goal),)
    return SimulatedPerson(
        WORDS, literals, library, lambda: seen, random.Random(0), Manner(style, wrong)
    )


def pick(name: str) -> Action:
    return Action("pick_up", (name,))


def read(text: str, action: Action | None = None) -> Feedback:
    return read_feedback(text, OBJECTS, action=action, goal=(parse_literal("clear(red_can)"),))


@pytest.mark.parametrize(
    ("seen", "action", "why"),
    [
        (kitchen(), pick("red_can"), ""),
        (kitchen(box_on_can=True), pick("red_can"), "something is on the red can"),
        (kitchen(box_on_can=True), pick("blue_box"), ""),
        (kitchen(), pick("big_shelf"), "the big shelf is too wide to be grasped"),
        # One thing at a time: that the can is covered is said once the hand is empty.
        (kitchen(True, "big_shelf"), pick("red_can"), "the gripper is already occupied"),
        (
            kitchen(),
            Action("place_first_on_second", ("red_can", "blue_box")),
            "the red can is not in the gripper",
        ),
    ],
)
def test_the_first_requirement_that_is_not_met_is_explained(
    seen: Scene, action: Action, why: str
) -> None:
    said = person(seen).about(action)
    kind = FeedbackKind.INFEASIBLE if why else FeedbackKind.FEASIBLE
    assert read(said, action).kind is kind
    assert said.endswith(f"because {why}." if why else f"{action.args[0].replace('_', ' ')}.")


def test_a_goal_is_explained_when_asked_and_its_end_is_signalled() -> None:
    unfinished, done = person(kitchen()), person(kitchen(True), goal="on(blue_box, red_can)")
    assert unfinished.after(None) == (
        "You have not reached the goal because the red can is not yet on the big shelf."
    )
    assert unfinished.after(pick("red_can")) == ""
    assert done.after(pick("red_can")) == done.after(None) == "You have reached the goal."


def test_questions_are_answered_by_what_is_so() -> None:
    taught = person(kitchen(box_on_can=True))
    assert taught.answer("Is it so that nothing is on the red can?") == "No."
    assert taught.answer("Is it so that the blue box is on the red can?") == "Yes."
    assert taught.answer("Is it so that the blue box is enchanting?") == "I do not know."
    which = (
        'You said first that nothing is on red can ("Go ahead."), then that something is on red '
        'can ("It is full."), and the scene looked the same. Which is right?'
    )
    assert taught.answer(which) == "Something is on red can."


def test_whether_two_clauses_mean_the_same_is_told() -> None:
    taught = person(kitchen())
    same = "Is it the same to say that {} and that {}?"
    free = same.format("nothing is on one thing", "one thing is clear")
    assert taught.answer(free) == "Yes."
    swapped = same.format("one thing is on another", "another is on one thing")
    assert taught.answer(swapped) == "No."
    unknown = same.format("one thing is enchanting", "one thing is clear")
    assert taught.answer(unknown) == "I do not know."


def test_what_was_not_understood_is_said_otherwise() -> None:
    taught = person(kitchen(box_on_can=True))
    said = [taught.about(pick("red_can")) for _ in range(3)]
    assert len(set(said)) == 3 and "something is on the red can" in said[0]
    taught.about(pick("blue_tin"))
    assert taught.about(pick("red_can")) == said[0]
    assert len({taught.goal() for _ in range(3)}) > 1


def test_mistakes_are_made_as_often_as_asked_and_counted() -> None:
    taught = person(kitchen(box_on_can=True), wrong=0.3)
    said: Counter[str] = Counter()
    for _ in range(300):
        said[taught.about(pick("red_can"))] += 1
        taught.answer("Is it so?")  # What is asked twice in a row is said otherwise.
    right = said.pop("You cannot pick up the red can because something is on the red can.")
    assert right == 300 - sum(taught.mistakes.values())
    assert 60 <= sum(taught.mistakes.values()) <= 120
    assert set(taught.mistakes) == {"wrong", "missed", "vague"}
    assert said["You can pick up the red can."] == taught.mistakes["missed"]
    assert read("You cannot do that.", pick("red_can")).vague
    assert said["You cannot do that."] == taught.mistakes["vague"]


def test_what_can_be_done_is_never_refused() -> None:
    taught = person(kitchen(), "varied", wrong=1.0)
    assert all(taught.about(pick("red_can")) in
               {w.format(action="pick up the red can") for w in sayings.FEASIBLE}
               for _ in range(20))  # fmt: skip


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(SaySoError, match="plain"):
        Manner("rude")


def _named(wording: str, place: str = "") -> str:
    names = {"a": "the red can", "b": "the big shelf", "x": "the blue box"}
    return wording.format(**names, action=place, why="{why}")


@pytest.mark.parametrize(("predicate", "truth"), sayings.REASONS)
def test_every_reason_is_understood_after_every_opening(predicate: str, truth: bool) -> None:
    action = Action("place_first_on_second", ("red_can", "big_shelf"))
    for wording in (w for w in sayings.REASONS[predicate, truth] if w not in REFUSED):
        why = _named(wording)
        for opening in (*sayings.INFEASIBLE, *sayings.UNSATISFIED):
            text = opening.format(action="place the red can on the big shelf", why=why)
            infeasible = opening in sayings.INFEASIBLE
            feedback = read(text, action if infeasible else None)
            meant = {(x.atom.predicate, x.positive) for x in feedback.literals}
            # Naming who is to blame says more than the bare reason.
            assert (predicate, truth) in meant or (not infeasible and "{x}" in wording), text


def test_goals_and_signals_are_understood() -> None:
    for (predicate, truth), wordings in sayings.GOALS.items():
        for wording in (w for w in wordings if w not in REFUSED):
            goal = read_feedback(f"{_named(wording)}.", OBJECTS)
            meant = {(x.atom.predicate, x.positive) for x in goal.literals}
            assert meant == {(predicate, truth)}, wording
    kinds = {
        FeedbackKind.FEASIBLE: sayings.FEASIBLE,
        FeedbackKind.REACHED: sayings.REACHED,
        FeedbackKind.INFEASIBLE: sayings.VAGUE_ACTION,
    }
    for kind, wordings in kinds.items():
        for wording in (w for w in wordings if w not in REFUSED):
            text = wording.format(action="pick up the red can")
            assert read(text, pick("red_can")).kind is kind, text
    for wording in sayings.VAGUE_GOAL:
        assert read(wording).kind is FeedbackKind.UNSATISFIED, wording


def test_there_are_three_wordings_of_everything() -> None:
    every = [*sayings.REASONS.values(), *sayings.GOALS.values(), sayings.INFEASIBLE,
             sayings.UNSATISFIED, sayings.FEASIBLE, sayings.REACHED, sayings.VAGUE_ACTION,
             sayings.VAGUE_GOAL, sayings.YES, sayings.NO]  # fmt: skip
    assert all(len(set(w)) >= 3 for w in every)
