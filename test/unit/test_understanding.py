"""Words to understandings in a flat: looking first, questions, answers and corrections."""

from __future__ import annotations

import json

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.language.edits import without
from sayso.language.embeddings import Example
from sayso.language.offers import GO_ON
from sayso.logic.formula import Referent
from sayso.logic.text import parse, to_text
from sayso.mission.confirmation import MOST_TIMES_ASKED, answered, question
from sayso.mission.stages import Answer, Decision
from sayso.mission.understanding import TaskInterpreter, nouns_of
from sayso.perception.categories import is_a
from sayso.reporting.events import Understanding
from support import model_replies
from support.scripted_model import ScriptedModel

FLAT = load(builtin_path("flat"))


def thing(name: str, x: float, y: float, color: str = "", kind: str = "") -> SceneObject:
    category = kind or name
    return SceneObject(name, category, color, (x, y, 0.4), (0.6, 0.6, 0.8))


ROOM = (
    thing("red_sofa", 1.0, 4.0, "red", "sofa"),
    thing("grey_sofa", 5.0, 4.0, "grey", "sofa"),
    thing("fridge", 5.8, 4.4),
    thing("television", 1.8, 4.2),
    thing("sink", 8.0, 0.0),
    thing("cat", 4.0, 0.0),
    thing("brown_chair", 8.0, 3.0, "brown", "chair"),
    thing("brown_chair_2", 0.0, -3.0, "brown", "chair"),
)
MORE = (thing("grey_sofa_2", 9.0, -4.0, "grey", "sofa"), thing("window", 9.2, -3.2))


class Eyes:
    """Knows nothing until it is asked to look."""

    def __init__(self, *things: SceneObject) -> None:
        self.things = things or ROOM
        self.asked: list[frozenset[str]] = []

    def __call__(self, nouns: frozenset[str]) -> Scene:
        self.asked.append(nouns)
        wanted = frozenset().union(*self.asked)
        found = (o for o in self.things if any(is_a(o.category, noun) for noun in wanted))
        return Scene(1.0, tuple(found), frame="map")


def interpreter(*things: SceneObject, **options: object) -> TaskInterpreter:
    return TaskInterpreter(FLAT, Eyes(*things), **options)  # type: ignore[arg-type]


def after(
    instruction: str, *corrections: str, things: tuple[SceneObject, ...] = ROOM
) -> Understanding:
    reader = interpreter(*things)
    understanding = reader.interpret(instruction)
    for words in corrections:
        understanding = reader.correct(understanding.specification.specification, words)
    return understanding


def grounded(understanding: Understanding) -> str:
    assert understanding.trouble is None, understanding.trouble
    return to_text(understanding.specification.formula)


def test_what_is_named_is_looked_for_before_it_is_grounded() -> None:
    eyes = Eyes()
    reader = TaskInterpreter(FLAT, eyes)
    understanding = reader.interpret("Go to the sofa next to the fridge. Never go near the cat.")
    assert eyes.asked == [frozenset(), frozenset({"sofa", "fridge", "cat"})]
    assert grounded(understanding) == "F(near(grey_sofa)) & G(!near(cat))"
    (stage,) = understanding.structure
    assert stage.startswith("Go on until the robot is near the sofa next to the fridge")


def test_nested_landmarks_are_looked_for() -> None:
    formula = parse("F(near(mug::isnextto(plate::isbehind(tap)))) & G(!near(dog))")
    assert nouns_of(formula) == {"mug", "plate", "tap", "dog"}


def test_what_a_slip_of_the_keyboard_was_read_as_is_told() -> None:
    eyes = Eyes()
    eyes(frozenset({"fridge"}))
    understanding = TaskInterpreter(FLAT, eyes).interpret("Go to the frigde.")
    assert grounded(understanding) == "F(near(fridge))"
    assert "Taken for granted: 'frigde' is read as 'fridge'." in understanding.english


PARTLY = "Go to the fridge, polish the silverware."


def test_words_that_are_not_understood_are_a_question_that_yes_answers() -> None:
    asked = after(PARTLY)
    assert asked.trouble is not None and asked.trouble.code is Code.NOT_UNDERSTOOD
    assert "'polish the silverware'" in question(asked)
    said = answered(asked, lambda: Answer(Decision.YES))
    assert said.decision is Decision.CORRECTION
    settled = after(PARTLY, said.words)
    assert grounded(settled) == "F(near(fridge))"
    assert "'polish the silverware' asks for nothing." in settled.english


def test_an_unknown_verb_is_offered_in_known_words_and_may_be_taught() -> None:
    table = load(builtin_path("tabletop"))
    things = (thing("mug", 0.5, 0.0), thing("bowl", 0.6, 0.2))
    seen = Scene(1.0, things, frame="map")
    parser = registry.create("dependency_parser", "spacy")
    reader = TaskInterpreter(table, lambda _: seen, parser=parser)
    asked = reader.interpret("Stash the mug in the bowl.")
    assert to_text(asked.specification.formula) == "F(in(mug, bowl))"
    assert asked.trouble is not None
    assert asked.trouble.hint.endswith("'let me show you how to stash the mug in the bowl'.")


@pytest.mark.parametrize(
    "words",
    [
        "\x1b[2J\x1b[31mput the mug in the bowl",
        "<b>put</b> the <i>mug</i> in the bowl",
        "# Heading\n* put the mug in the bowl",
        "SELECT * FROM mug WHERE color = 'red'",
        "p\u057dt the mug in the bowl",
        "Stelle den mug in den Schrank.",
        "Coloque o mug no prato vermelho para baixo.",
        "polish the mug " * 20,
        "polish the mug " * 700,
    ],
)
def test_what_is_no_english_is_refused_and_not_offered_to_be_taught(words: str) -> None:
    seen = Scene(1.0, (thing("mug", 0.5, 0.0), thing("bowl", 0.6, 0.2)), frame="map")
    reader = TaskInterpreter(load(builtin_path("tabletop")), lambda _: seen)
    with pytest.raises(SaySoError) as caught:
        reader.interpret(words)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert caught.value.span is not None
    assert "show you" not in caught.value.hint


def test_yes_is_no_answer_to_words_that_may_forbid_something() -> None:
    asked = after("Go to the fridge, never squeaking horribly.")
    yes = [Answer(Decision.YES)] * (MOST_TIMES_ASKED - 1)
    answers = iter([*yes, Answer(Decision.CORRECTION, "it does not matter")])
    assert answered(asked, lambda: next(answers)).words == "it does not matter"
    assert asked.trouble is not None
    settled = after("Go to the fridge, never squeaking horribly.", "it does not matter")
    assert grounded(settled) == "F(near(fridge))"


def test_the_question_stays_open_after_another_correction() -> None:
    asked = after(PARTLY, "the red sofa instead of the fridge")
    assert asked.trouble is not None and asked.trouble.code is Code.NOT_UNDERSTOOD
    both = ("the red sofa instead of the fridge", GO_ON)
    assert grounded(after(PARTLY, *both)) == "F(near(red_sofa))"


ANSWERS = [
    ("the one next to the fridge", "grey_sofa"),
    ("next to the fridge", "grey_sofa"),
    ("the red one", "red_sofa"),
    ("red", "red_sofa"),
    ("the grey sofa", "grey_sofa"),
    ("red_sofa", "red_sofa"),
    ("No, the one by the television!", "red_sofa"),
]


@pytest.mark.parametrize(("answer", "chosen"), ANSWERS)
def test_ambiguity_is_a_question_that_words_answer(answer: str, chosen: str) -> None:
    asked = after("Go to the sofa. Never go near the cat.")
    assert asked.trouble is not None and asked.trouble.code is Code.AMBIGUOUS
    assert set(asked.trouble.choices) == {"red_sofa", "grey_sofa"}
    settled = after("Go to the sofa. Never go near the cat.", answer)
    assert grounded(settled) == f"F(near({chosen})) & G(!near(cat))"
    spec = settled.specification.specification
    assert (spec.version, spec.corrections) == (2, (answer,))


def test_any_is_an_answer_too() -> None:
    settled = after("Go to the sofa.", "any of them")
    assert grounded(settled) == "F(near(grey_sofa) | near(red_sofa))"


def test_absence_is_a_question() -> None:
    asked = after("Go to the green sofa.")
    assert asked.trouble is not None and asked.trouble.code is Code.UNKNOWN_OBJECT
    assert grounded(after("Go to the green sofa.", "the grey one")) == "F(near(grey_sofa))"
    assert grounded(after("Go to the green sofa.", "the cat instead of the green sofa")) == (
        "F(near(cat))"
    )


CORRECTIONS = [
    ("Go to the red sofa.", "no, the other sofa", "F(near(grey_sofa))"),
    ("Go to the red sofa, then to the cat.", "not that, the other couch", None),
    ("Go to the red couch.", "no, the other one", "F(near(grey_sofa))"),
    ("Go to the red sofa.", "the one next to the fridge", "F(near(grey_sofa))"),
    (
        "Go to the cat, then go to the fridge.",
        "after the fridge, not before",
        "F(near(fridge) & F(near(cat)))",
    ),
    (
        "Go to the cat, then go to the fridge, then go to the sink.",
        "the cat after the fridge",
        "F(near(fridge) & F(near(cat) & F(near(sink))))",
    ),
    (
        "Go to the cat and the fridge in any order.",
        "the cat before the fridge",
        "F(near(cat) & F(near(fridge)))",
    ),
    ("Go to the fridge. Never go near the cat.", "never mind the cat", "F(near(fridge))"),
    (
        "Go to the cat, then go to the fridge.",
        "forget about the cat",
        "F(near(fridge))",
    ),
    (
        "Go to the fridge. Never go near the cat.",
        "then go to the sink",
        "F(near(fridge) & F(near(sink))) & G(!near(cat))",
    ),
]


@pytest.mark.parametrize(("instruction", "words", "formula"), CORRECTIONS)
def test_corrections(instruction: str, words: str, formula: str | None) -> None:
    if formula is None:
        with pytest.raises(SaySoError) as caught:
            after(instruction, words)
        assert caught.value.code is Code.NOT_UNDERSTOOD
    else:
        assert grounded(after(instruction, words)) == formula


def test_several_others_are_asked_about() -> None:
    with pytest.raises(SaySoError) as caught:
        after("Go to the red sofa.", "no, the other sofa", things=(*ROOM, *MORE))
    assert caught.value.code is Code.AMBIGUOUS
    assert set(caught.value.choices) == {"grey_sofa", "grey_sofa_2"}


def test_what_cannot_be_told_by_its_looks_is_told_by_its_number() -> None:
    asked = after("Go to the brown chair.")
    assert asked.trouble is not None
    assert grounded(after("Go to the brown chair.", "brown_chair_2")) == "F(near(brown_chair_2))"


@pytest.mark.parametrize(
    ("instruction", "words", "says"),
    [
        ("Go to the sofa next to the fridge.", "never mind the fridge", "where another thing is"),
        ("Go to the fridge.", "never mind the fridge", "nothing would be left"),
        ("Go to the cat, then go to the sink.", "after the cat, not before", "order already"),
        ("Go to the cat. Go to the sink. Go to the fridge.", "after the fridge", "which step"),
        ("Go to the red sofa.", "the other fridge", "nothing in the task"),
    ],
)
def test_what_is_not_clear_is_refused(instruction: str, words: str, says: str) -> None:
    with pytest.raises(SaySoError) as caught:
        after(instruction, words)
    assert says in caught.value.message


def test_never_near_the_toy_with_the_cat_says_nothing_without_the_cat() -> None:
    formula = "F(holding(toy)) & G(!(holding(toy) & near(cat)))"
    assert to_text(without(parse(formula), Referent("cat"))) == "F(holding(toy))"


# -- with a language model -----------------------------------------------------------------


def reply(formula: str) -> str:
    """The first stage's."""
    return json.dumps({"formula": formula, "problem": ""})


def full(formula: str) -> str:
    """The second stage's."""
    return json.dumps({"formula": formula, "assumptions": [], "problem": ""})


def examples(_: str) -> tuple[Example, ...]:
    return (Example("see the red box", "F(red_box)"),)


def test_what_a_model_takes_for_granted_adds_and_leaves_out_is_read_back() -> None:
    said = "Hm, I fancy you over by the red one, the television I mean, whatever the cat says."
    sofa = model_replies.thing("k1", "sofa", colour="red")
    cat = model_replies.thing("k2", "cat", "none")
    assumed = ["The sofa is meant by 'one'"]
    replied = model_replies.reading("F(near(k1)) & G(!near(k2))", sofa, cat, assumptions=assumed)
    reader = interpreter(model=ScriptedModel([replied]))
    reader.look_for(frozenset({"television"}))
    english = reader.interpret(said).english
    assert "Taken for granted: The sofa is meant by 'one'." in english
    assert "You did not say 'sofa', but the reading has the red sofa." in english
    assert "You said 'television', but the reading has nothing of it." in english
    assert "Each cat: the cat, and each that turns up later." in english


@pytest.mark.parametrize(
    "said",
    [
        "Go to the fridge. Stay away from the fridge.",
        "Go to the red sofa. Never go near the sofas.",
        "Go to the sofa next to the fridge. Never go near the grey sofa.",
    ],
)
def test_what_can_never_be_fulfilled_is_a_question_at_once(said: str) -> None:
    asked = after(said)
    assert asked.trouble is not None and asked.trouble.code is Code.CONTRADICTION
    assert asked.trouble.hint and asked.english
    said_yes = answered(asked, lambda: Answer(Decision.YES))
    assert said_yes.decision is Decision.YES  # it is asked again, and never taken for a task


def test_a_correction_settles_what_can_never_be_fulfilled() -> None:
    settled = after(
        "Go to the fridge, then the sink. Never go near the sink.", "never mind the sink"
    )
    assert grounded(settled) == "F(near(fridge))"


def test_the_structure_of_what_speaks_of_several_things_is_told_by_the_things() -> None:
    replied = model_replies.reading("F(near(k1))", model_replies.thing("k1", "sofa", "every"))
    understood = interpreter(model=ScriptedModel([replied])).interpret("Do see the sofas, oh do!")
    assert understood.trouble is None
    assert "grey sofa" in " ".join(understood.structure)


def test_other_words_are_translated_in_two_stages_and_looked_for() -> None:
    model = ScriptedModel([reply("F(sofa)"), full("F(near(sofa::isnextto(fridge)))")])
    reader = interpreter(model=model, choose=examples)
    understanding = reader.interpret("I fancy you over where one sits, close to the cold box.")
    assert grounded(understanding) == "F(near(grey_sofa))"
    assert "You did not say 'sofa'" in understanding.english
    assert "see the red box" in model.asked[0][1].content


def test_a_correction_shows_the_model_the_question_and_the_earlier_ones() -> None:
    model = ScriptedModel(
        [
            reply("F(sofa)"),
            full("F(near(sofa))"),
            full("F(near(sofa::isnextto(fridge)))"),
            full("F(near(sofa::isnextto(fridge))) & G(!near(cat))"),
        ]
    )
    reader = interpreter(model=model, choose=examples)
    asked = reader.interpret("Kindly amble sofawards.")
    assert asked.trouble is not None
    answered = reader.correct(asked.specification.specification, "where the food is kept cold")
    assert grounded(answered) == "F(near(grey_sofa))"
    last = model.asked[2][-1].content
    assert "could be any of 2 things" in last and "which things are meant" in last
    final = reader.correct(answered.specification.specification, "mind that pets like their quiet")
    assert final.specification.specification.version == 3
    assert "where the food is kept cold" in model.asked[3][1].content
    assert "what must never be" in model.asked[3][-1].content


def test_the_reading_says_thing_by_thing_what_a_prohibition_covers() -> None:
    english = interpreter().interpret("Never go near the sofas.").english
    assert english == (
        "For each sofa: at all times the robot is not near that sofa. "
        "Each sofa: the grey sofa and the red sofa, and each that turns up later. "
        "Near is meant also through walls: say 'in the same room' where it is not."
    )


def test_a_prohibition_may_be_about_what_is_not_seen() -> None:
    understanding = interpreter(thing("sink", 8.0, 0.0)).interpret("Never go near the sofas.")
    assert understanding.trouble is None
    assert "No sofa is seen now; each that turns up counts." in understanding.english


@pytest.mark.parametrize(
    ("words", "told"),
    [("Never go near the cat.", True), ("Avoid any chair.", True), ("Go to the sink.", False),
     ("Never go near the cat in the same room.", False)],
)  # fmt: skip
def test_that_walls_do_not_count_is_said_where_something_must_not_be_near(
    words: str, told: bool
) -> None:
    assert ("'in the same room'" in after(words).english) is told
