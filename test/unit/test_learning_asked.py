"""Goals in words that nobody knew, tied to what they came to mean."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import Library, builtin_path, load, parse_literal
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Operator
from sayso.core.vocabulary import SpokenAction, Vocabulary, Wanted
from sayso.language.lexicon import Lexicon
from sayso.learning.asked import asked, like, tied
from sayso.learning.experience import Experience, Said, Tried
from sayso.learning.feedback import Action, Feedback, FeedbackKind, read_feedback
from sayso.learning.operators import Learned, LearnedOperator
from sayso.learning.spoken import spoken_action

JAR = {"red_jar": "jar", "blue_lamp": "lamp"}


def scene() -> Scene:
    size = (0.05, 0.05, 0.1)
    return Scene(0.0, tuple(SceneObject(n, c, "", (0.0, 0.0, 0.1), size) for n, c in JAR.items()))


def goal_of(*literals: str) -> Feedback:
    return Feedback(FeedbackKind.GOAL, tuple(map(parse_literal, literals)))


def renamed(literals):  # type: ignore[no-untyped-def]
    return tuple(literals)


def ending(skill: str, predicate: str) -> Learned:
    ended = frozenset({Atom(predicate, ("?a",))})
    operator = Operator(f"{skill}_1", ("?a",), frozenset(), frozenset(), ended, skill=skill)
    return Learned((LearnedOperator(operator, 1, frozenset(), 1, 1.0, ()),))


def test_words_that_were_said_otherwise_mean_what_was_understood():
    seen = scene()
    entries = [
        Said(seen, "Polish the red jar.", None),
        Said(seen, "The red jar should be shiny.", goal_of("shiny(red_jar)")),
    ]
    (action,) = tied(entries, Learned(), renamed)
    assert action.say == ("polish {0}",)
    assert action.goal == ((Wanted("shiny", (0,)),),)


def test_words_for_a_task_that_an_action_did_mean_what_that_brings_about():
    before, after = scene(), scene()
    entries = [
        Said(before, "Take the lid off the red jar.", None),
        Tried(before, Action("unlid_first", ("red_jar",)), after, True),
        Said(after, "Well done!", Feedback(FeedbackKind.REACHED)),
    ]
    (action,) = tied(entries, ending("unlid_first", "has_lid"), renamed)
    assert action.say == ("take the lid off {0}",)
    assert action.goal == ((Wanted("has_lid", (0,), False),),)


def test_words_of_another_task_are_not_tied():
    one, other = scene(), scene()
    entries = [
        Said(one, "Polish the red jar.", None),
        Said(other, "The blue lamp should be lit.", goal_of("lit(blue_lamp)")),
    ]
    assert not [*tied(entries, Learned(), renamed)]


@pytest.mark.parametrize(
    "words", ["The jar is nice", "I need the jar without stains", "Polish the jar and the lamp"]
)
def test_only_one_step_that_begins_with_what_is_to_be_done_becomes_a_wording(words: str):
    assert asked(words, scene()) is None


def test_words_may_ask_for_an_action_of_their_verb():
    words = asked("Take the lid off the red jar.", scene())
    assert words and like(words, "unlid_first") and not like(words, "pour_first_into_second")


@pytest.mark.parametrize(
    ("said", "literals"),
    [
        ("Polish the red jar.", ["shiny(red_jar)"]),
        ("Polish the red jar by hand.", ["shiny(red_jar)"]),
        ("Unlid the red jar, then polish it.", ["not has_lid(red_jar)", "shiny(red_jar)"]),
    ],
)
def test_the_verb_of_an_action_asks_for_what_it_brings_about(said: str, literals: list[str]):
    actions = (
        SpokenAction("polish", ("thing",), ("polish {0} by hand",), ((Wanted("shiny", (0,)),),)),
        spoken_action("unlid_first", 1, (Wanted("has_lid", (0,), False),)),
    )
    known = Lexicon(Library("mine", {}, {}).predicates, Vocabulary(actions=actions))
    found = read_feedback(said, JAR, known=known)
    assert found.kind is FeedbackKind.GOAL
    assert [str(x) for x in found.literals] == literals


def test_what_is_told_of_the_reasons_says_that_the_one_goal_is_not_reached():
    seen, goal = scene(), (parse_literal("shiny(red_jar)"),)
    told = Feedback(FeedbackKind.UNSATISFIED, (parse_literal("not polished(red_jar)"),))
    labels = Experience([Said(seen, "It has not been polished.", told, goal=goal)]).labels()
    assert [x.truth for x in labels["shiny"]] == [False]


@pytest.mark.parametrize(("said", "literal"), [
    ("The red jar is dry.", "not has_water(red_jar)"),
    ("The blue lamp is dry.", "dry(blue_lamp)"),
])  # fmt: skip
def test_of_what_is_no_vessel_dry_says_nothing_of_water_in_it(said: str, literal: str):
    found = read_feedback(said, JAR, action=Action("unlid_first", ("red_jar",)))
    assert [str(x) for x in found.literals] == [literal]


def test_what_is_known_to_be_brought_about_is_the_example_of_a_goal():
    wash = spoken_action("polish_first", 1, (Wanted("open", (0,)),))
    known = Lexicon(load(builtin_path()).predicates, Vocabulary(actions=(wash,)))
    with pytest.raises(SaySoError, match="make sure that"):
        read_feedback("Frobnicate it now", JAR, known=known)
