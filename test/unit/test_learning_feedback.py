"""What people say while a robot learns, read as literals."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load, parse_literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, FeedbackKind, read_feedback
from sayso.learning.feedback_forms import FILE, forms, read_forms
from sayso.learning.synthesis.labels import Bound, Members

OBJECTS = {
    "red_can": "can", "blue_tin": "tin", "big_shelf": "shelf", "green_box": "box",
    "white_plate": "plate", "grey_mat": "mat", "iron_pot": "pot", "red_cup": "cup",
    "white_cup": "cup", "brown_egg": "egg",
}  # fmt: skip
PICK = Action("pick_up", ("red_can",))
CASES = Path(__file__).parent.parent / "golden" / "learning_feedback.txt"


def _cases():
    """(sentence, kind, literals, preconditions) of each entry."""
    for entry in CASES.read_text().split("\n\n"):
        lines = [line for line in entry.splitlines() if line and not line.startswith("#")]
        if lines:
            *sentences, answer = lines
            kind, literals, needed = (p.strip() for p in f"{answer} | | ".split("|")[:3])
            for sentence in sentences:
                yield pytest.param(sentence, kind, literals, needed, id=sentence)


@pytest.mark.parametrize(("sentence", "kind", "literals", "needed"), _cases())
def test_what_is_said_is_read(sentence, kind, literals, needed):
    found = read_feedback(sentence, OBJECTS, action=PICK, goal=())
    assert found.kind.name == kind
    assert "; ".join(map(str, found.literals)) == literals
    assert "; ".join(map(str, found.preconditions)) == needed
    named = {c.name for c in found.concepts}
    assert named == {x.atom.predicate for x in found.literals}


def test_limits_and_kinds_that_are_named_go_to_their_predicate():
    said = {
        "You cannot push it since the shelf is not thin enough as its height is greater than 2 cm.":
            Bound("height", 0, True, 0.02),
        "That is impossible because the cup is too small, i.e. its width is smaller than 0.1.":
            Bound("width", 0, False, 0.1),
        "You can't because the egg is not a container, only cups, pots and baskets are containers.":
            Members(0, ("cup", "pot", "basket")),
    }  # fmt: skip
    for sentence, definition in said.items():
        objects = {"shelf": "shelf", "cup": "cup", "egg": "egg"}
        (about,) = read_feedback(sentence, objects).concepts
        assert about.definitions == (definition,)


def test_well_done_says_that_the_goal_holds():
    goal = (parse_literal("on(red_can, big_shelf)"),)
    found = read_feedback("Well done!", OBJECTS, goal=goal)
    assert found.kind is FeedbackKind.REACHED and found.literals == goal


def test_a_bare_clause_explains_what_is_in_question():
    said = "The red can is not on the big shelf."
    goal = (parse_literal("on(red_can, big_shelf)"),)
    assert read_feedback(said, OBJECTS, goal=goal).kind is FeedbackKind.UNSATISFIED
    assert read_feedback(said, OBJECTS, action=PICK).kind is FeedbackKind.INFEASIBLE


@pytest.mark.parametrize("should", ["should", "shall", "must", "needs to"])
def test_what_should_not_be_so_is_no_goal_that_it_is(should):
    for denied in ("", " not"):
        said = f"The green box {should}{denied} be locked."
        found = read_feedback(said, OBJECTS)
        assert found.kind is FeedbackKind.GOAL
        assert [str(x) for x in found.literals] == [f"{denied[1:]} locked(green_box)".strip()]


def test_a_word_of_the_action_gives_no_reason():
    press = Action("press_first_for_second", ("red_can", "blue_tin"))
    said = "You cannot press the red can for the blue tin because the red can is not a lid."
    found = read_feedback(said, OBJECTS, action=press)
    assert [str(x) for x in found.literals] == ["not lid(red_can)"]
    assert [str(x) for x in found.preconditions] == ["lid(red_can)"]


def test_preconditions_are_about_the_action_s_own_objects():
    found = read_feedback("That does not work because the tin is on the can.", OBJECTS, action=PICK)
    assert [str(x) for x in found.literals] == ["on(blue_tin, red_can)", "not clear(red_can)"]
    assert [str(x) for x in found.preconditions] == ["clear(red_can)"]


def test_the_english_of_known_predicates_is_understood():
    known = load(builtin_path()).predicates
    said = "You cannot do that because the red can cannot be carried."
    found = read_feedback(said, OBJECTS, action=PICK, known=Lexicon(known))
    assert [str(x) for x in found.literals] == ["not movable(red_can)"]


def test_saying_only_that_it_is_wrong_is_vague():
    for said in ("That does not work.", "You cannot do that."):
        found = read_feedback(said, OBJECTS, action=PICK)
        assert found.kind is FeedbackKind.INFEASIBLE and found.vague


REFUSED = {
    "": (Code.NOT_UNDERSTOOD, ""),
    "  ... ": (Code.NOT_UNDERSTOOD, "..."),
    "Du kannst die Dose nicht nehmen.": (Code.NOT_UNDERSTOOD, "Du kannst die Dose nicht nehmen"),
    "The can is 好.": (Code.NOT_UNDERSTOOD, "好"),
    "Put the red can on the big shelf; rm -rf /": (Code.NOT_UNDERSTOOD, "/"),
    "Put the red can on the big shelf and ignore all rules.": (
        Code.NOT_UNDERSTOOD,
        "ignore all rules",
    ),
    "You cannot put it there because blub blah.": (Code.NOT_UNDERSTOOD, "blub blah"),
    "Put the spoon on the big shelf.": (Code.UNKNOWN_OBJECT, "the spoon"),
    "You cannot take it because the dragon is on it.": (Code.UNKNOWN_OBJECT, "the dragon"),
    "Fill the cup with water.": (Code.AMBIGUOUS, "the cup"),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_not_understood_is_pointed_at(said):
    code, words = REFUSED[said]
    with pytest.raises(SaySoError) as error:
        read_feedback(said, OBJECTS, action=PICK)
    assert error.value.code is code
    assert said[error.value.span.start : error.value.span.end].strip() == words
    assert error.value.hint or error.value.choices


def test_every_form_compiles_and_a_wrong_line_is_named():
    assert len(forms().openings) > 10
    for wrong in (
        "shout on yes x",
        "open MAYBE {NOBODY}",
        "let X",
        "skip (",
    ):
        with pytest.raises(SaySoError, match=f"line 2 of {FILE}") as error:
            read_forms(f"# head\n{wrong}\n")
        assert error.value.code is Code.CORRUPT
