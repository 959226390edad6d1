"""Prior knowledge is data: it can be exchanged or left out, and what it gives can be told."""

from __future__ import annotations

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.evaluation.interpret.given import (
    LEARNED,
    NO_PRIORS,
    NONSENSE,
    Writers,
    agreement,
    given_and_learned,
    spread_over,
)
from sayso.learning.feedback import Action, read_feedback
from sayso.learning.priors import (
    HOUSEHOLD,
    NONE,
    Priors,
    household,
    priors_named,
    read_priors,
)
from sayso.learning.synthesis.labels import Concept
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.worlds.kitchen2d.true import true_library
from support.learning_scenes import random_scene

SCENES = tuple(random_scene(seed) for seed in range(4))
TRUE = {**true_library("store").predicates, **true_library("cook").predicates}
OBJECTS = {"red_can": "can", "blue_tin": "tin"}
OWN = """
predicates:
  grubbed: {holds: "{0} is grubbed on {1}", denied: "{0} is off {1}"}
measures:
  contact_above:
    below: {usual: 0.015, say: [grubbed]}
"""


def writers(priors: Priors) -> Writers:
    embedder = CharacterNgrams()
    return Writers(
        priors,
        Synthesizer(embedder, priors=priors),
        Synthesizer(embedder, priors=Priors(NONE)),
    )


def test_what_was_given_is_told_by_predicate() -> None:
    true = {n: TRUE[n] for n in ("on_table", "has_water", "roomy", "holding", "gripper_empty")}
    found = given_and_learned(true, {"roomy": true["roomy"]}, SCENES, writers(household()))
    usual = {n: told[HOUSEHOLD] for n, told in found.items()}
    assert usual == {n: 0.5 if n == "roomy" else 1.0 for n in true}
    assert {told[NONSENSE] for told in found.values()} == {0.5}
    assert {told[NO_PRIORS] for told in found.values()} == {0.5}
    assert found["roomy"][LEARNED] == 1.0


def test_another_file_gives_other_knowledge() -> None:
    own = read_priors(OWN, "own")
    synthesizer = Synthesizer(CharacterNgrams(), priors=own)
    grubbed = synthesizer.learn(own.predicates["grubbed"], [], scenes=SCENES).predicate
    on = TRUE["on"]
    assert agreement(grubbed, {}, on, TRUE, SCENES) == 1.0
    unknown = synthesizer.learn(household().predicates["on"], [], scenes=SCENES).predicate
    assert agreement(unknown, {}, on, TRUE, SCENES) == 0.5


def test_without_priors_a_sentence_tells_what_it_says_and_no_more() -> None:
    """It goes by the predicate's bare name, also where that is about the robot alone."""
    said, pick = "the tin is on the can", Action("pick_up", ("red_can",))
    usual = read_feedback(said, OBJECTS, action=pick)
    bare = read_feedback(said, OBJECTS, action=pick, priors=Priors(NONE))
    assert list(map(str, usual.literals)) == ["on(blue_tin, red_can)", "not clear(red_can)"]
    assert list(map(str, bare.literals)) == ["on(blue_tin, red_can)"]
    busy = read_feedback("the hand is full", OBJECTS, action=pick, priors=Priors(NONE))
    assert list(map(str, busy.literals)) == ["not gripper_empty()"]
    assert busy.concepts == (
        Concept(
            "gripper_empty", (), "the robot is gripper empty", "the robot is not gripper empty"
        ),
    )


def test_what_is_unknown_is_half_right_and_what_never_differs_is_left_out() -> None:
    def told(answer: bool | None) -> Predicate:
        return Predicate("on_table", ("a",), lambda _scene, _a: answer)

    for answer in (None, True, False):
        assert agreement(told(answer), {}, TRUE["on_table"], TRUE, SCENES) == 0.5
    always = {"on_table": told(True)}
    assert given_and_learned(always, {}, SCENES, writers(household())) == {}


def test_scenes_are_chosen_from_first_to_last() -> None:
    assert spread_over(SCENES, 3) == (SCENES[0], SCENES[1], SCENES[3])
    assert spread_over(SCENES, 20) == SCENES
    assert spread_over((), 3) == ()


def test_the_usual_priors_none_and_a_file_are_found_by_name(tmp_path) -> None:
    assert priors_named(HOUSEHOLD) is household()
    assert not priors_named(NONE).predicates and not priors_named(NONE).kinds
    file = tmp_path / "own.yaml"
    file.write_text(OWN)
    assert set(priors_named(str(file)).predicates) == {"grubbed"}
    with pytest.raises(SaySoError) as refused:
        priors_named(str(tmp_path / "missing.yaml"))
    assert refused.value.code is Code.CONFIG
    assert refused.value.choices == (HOUSEHOLD, NONE)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("measures: {warmth: {below: {usual: 1}}}", "there is no measure 'warmth'"),
        ("measures: {width: {beneath: {usual: 1}}}", "there is no side of a measure 'beneath'"),
        ("measures: {width: {below: {usual: wide}}}", "measures of the priors own"),
        ("measures: {width: {below: {shout: [slim]}}}", "measures of the priors own"),
        ("conditions: {asleep: {say: [dozes]}}", "there is no condition 'asleep'"),
        ("predicates: {hot: {holds: '{0} is hot'}}", "predicates of the priors own"),
        ("implied: [{said: on, tells: clear(a)}]", "implied of the priors own"),
        ("words: {}", "words of the priors own"),
        ("kinds: [food]", "kinds of the priors own"),
        ("[1, 2]", "file of the priors own"),
        ("a: [", "file of the priors own"),
    ],
)
def test_a_wrong_file_is_refused_by_the_section_that_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(SaySoError, match=wrong) as refused:
        read_priors(text, "own")
    assert refused.value.code is Code.CORRUPT
    assert "kinds" in refused.value.choices


def test_a_file_may_lack_every_section() -> None:
    assert read_priors("", "own").words("width", True).phrases == ()


def test_of_qualities_of_which_just_one_is_so_either_tells_the_other() -> None:
    assert household().opposites("dirty") == ("clean",)
    assert household().opposites("clean") == ("dirty",)
