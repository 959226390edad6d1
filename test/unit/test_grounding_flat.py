"""Descriptions in a flat: kinds by any of their names, tables, landmarks, frames, questions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.library import builtin_path, load
from sayso.core.places import Places
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Referent, Relation
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.text import parse, to_text
from sayso.perception.categories import is_a
from sayso.perception.finding import Finder
from sayso.perception.grounding import find_objects, ground
from sayso.perception.settings import GroundingSettings
from sayso.perception.telling_apart import tell_apart
from sayso.perception.viewpoints import FrameOfReference, stated

LIBRARY = load(builtin_path("flat"))
FLAT = GroundingSettings(LIBRARY.vocabulary.places)
LEXICON = Lexicon.of(LIBRARY)
SIZES: dict[str, Vector3] = {
    "sofa": (0.9, 1.8, 0.8),
    "television": (0.4, 1.3, 1.2),
    "table": (0.8, 1.2, 0.72),
    "fridge": (0.7, 0.7, 1.75),
    "plush toy": (0.12, 0.10, 0.17),
    "painting": (0.03, 0.8, 0.6),
}


def thing(name: str, kind: str, x: float, y: float, bottom: float = 0.0) -> SceneObject:
    color, category = kind.split(" ", 1)
    size = SIZES.get(category, (0.3, 0.3, 0.5))
    return SceneObject(name, category, color, (x, y, bottom + size[2] / 2), size)


RED = thing("sofa", "red sofa", 1.0, 3.0)
BLUE = thing("sofa_2", "blue sofa", 6.0, 3.0)
TV = thing("television", "black television", 4.0, 3.0)
TABLE = thing("table", "brown table", 1.0, 0.5)
COFFEE = thing("coffee_table", "white coffee_table", 6.0, 0.5)
FRIDGE = thing("fridge", "white fridge", 0.0, 1.5)
TOY = thing("plush_toy", "green plush toy", 2.5, 3.2)
TOY_2 = thing("plush_toy_2", "green plush toy", 6.0, 0.5, 0.5)
PAINTING = thing("painting", "blue painting", 0.4, 3.0, 1.3)
SCENE = Scene(
    0.0,
    (RED, BLUE, TV, TABLE, COFFEE, FRIDGE, TOY, TOY_2, PAINTING),
    RobotState(base=Pose((1.0, 2.0, 0.0))),
    frame="map",
)


def grounded(text: str, settings: GroundingSettings = FLAT) -> GroundedSpecification:
    return ground(interpret(text, LEXICON), SCENE, settings)


def failure(text: str) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        grounded(text)
    return caught.value


def test_the_papers_example_is_about_the_right_things() -> None:
    reading = parse(
        "F(holding(plush_toy::isbetween(red_sofa, tv)) &"
        " (!near(brown_table) U placed(plush_toy::isbetween(red_sofa, tv), blue_couch)))"
    )
    result = ground(Specification("", reading), SCENE, FLAT)
    assert to_text(result.formula) == (
        "F(holding(plush_toy) & (!near(table) U placed(plush_toy, sofa_2)))"
    )


def test_the_table_is_a_thing_where_the_robot_drives_to_things() -> None:
    assert to_text(grounded("Go to the brown table.").formula) == "F(near(table))"
    assert FLAT.places.table_is_a_thing and FLAT.places.next_to_m == 1.0
    assert load(builtin_path()).vocabulary.places == Places()


def test_what_places_mean_is_declared_and_no_matter_of_which_predicates_there_are() -> None:
    few = replace(LIBRARY, predicates={"on": LIBRARY.predicates["on"]})
    said = Specification("", parse("F(on(green_plush_toy::isnearest(white_fridge), brown_table))"))
    found = ground(said, SCENE, GroundingSettings(few.vocabulary.places))
    assert to_text(found.formula) == "F(on(plush_toy, table))"


@pytest.mark.parametrize(
    ("category", "noun", "fits"),
    [
        ("sofa", "couch", True),
        ("couch", "sofa", True),
        ("plush_toy", "toy", True),
        ("toy", "plush toy", False),
        ("coffee_table", "table", True),
        ("table", "coffee table", False),
        ("bedside table", "nightstand", True),
        ("bag of chips", "bag", True),
        ("bag", "bag of chips", False),
        ("trash can", "bin", True),
        ("floor_lamp", "light", True),
        ("bulb", "light bulb", True),
        ("sofa", "table", False),
    ],
)
def test_kinds_are_known_by_any_of_their_names(category: str, noun: str, fits: bool) -> None:
    assert is_a(category, noun) is fits


def test_a_thing_is_known_by_its_own_name() -> None:
    pose, size = Pose((1.0, 0.0, 0.5)), (0.1, 0.1, 0.1)
    lamps = tuple(SceneObject(n, "lamp", "white", pose, size) for n in ("bulb", "led"))
    result = ground(interpret("Turn on the bulb.", LEXICON), Scene(0.0, lamps), FLAT)
    assert to_text(result.formula) == "F(lit(bulb))"


def test_nested_descriptions_make_each_other_clear() -> None:
    toy = "plush_toy::isabove(table::isrightof(blue_sofa::isbehind(television)))"
    spec = Specification("", parse(f"F(near({toy}))"))
    assert to_text(ground(spec, SCENE, FLAT).formula) == "F(near(plush_toy_2))"


def test_several_that_fit_are_told_apart_by_place_and_distance() -> None:
    error = failure("Go to the plush toy.")
    assert error.code is Code.AMBIGUOUS
    assert set(error.choices) == {"plush_toy", "plush_toy_2"}
    assert "plush_toy_2 (green, above the coffee table, 5.2 m from the robot)" in error.message


def test_an_answer_in_the_words_of_the_question_is_clear() -> None:
    told = tell_apart((RED, BLUE), SCENE, FLAT)
    assert told[RED] == "red, below the painting, 1.0 m from the robot"
    place = Relation("isbelow", (Referent("painting"),))
    assert find_objects(Referent("sofa", relations=(place,)), SCENE, FLAT) == (RED,)


def test_two_of_a_kind_are_different_ones() -> None:
    spec = interpret("Visit two sofas.", LEXICON)
    scene = Scene(0.0, (RED, BLUE, TV), RobotState(), frame="map")
    found = ground(spec, scene, FLAT).formula
    assert to_text(found) == "F(near(sofa)) & F(near(sofa_2))"
    few = Scene(0.0, (RED, TV), RobotState(), frame="map")
    with pytest.raises(SaySoError) as caught:
        ground(spec, few, FLAT)
    assert caught.value.code is Code.UNKNOWN_OBJECT


def test_what_is_absent_is_answered_with_what_is_there() -> None:
    error = failure("Go to the green sofa.")
    assert error.code is Code.UNKNOWN_OBJECT
    assert "sofa_2 (blue, " in error.hint


def test_what_only_a_model_spoke_of_is_said_to_be_so() -> None:
    spec = Specification("Go to the fridge.", parse("F(near(kettle))"))
    with pytest.raises(SaySoError) as caught:
        ground(spec, SCENE, FLAT)
    assert caught.value.code is Code.UNKNOWN_OBJECT
    assert "does not name it" in caught.value.hint
    assert caught.value.span is None


@pytest.mark.parametrize(
    ("comparator", "count"), [("isbetween", 1), ("isnextto", 2), ("isnear", 1)]
)
def test_comparators_are_checked_even_where_nothing_fits(comparator: str, count: int) -> None:
    others = (Referent("sofa"), Referent("fridge"))[:count]
    for noun in ("unicorn", "plush toy"):
        referent = Referent(noun, relations=(Relation(comparator, others),))
        with pytest.raises(SaySoError) as caught:
            Finder(SCENE, FLAT).names(referent)
        assert caught.value.code is Code.INVALID


def test_a_picture_above_a_sofa_hangs_beside_its_footprint() -> None:
    (found,) = find_objects(
        Referent("painting", relations=(Relation("isabove", (Referent("sofa", ("red",)),)),)),
        SCENE,
        FLAT,
    )
    assert found is PAINTING


def test_the_speaker_sees_left_where_the_map_has_right() -> None:
    text = "Go to the sofa left of the television."
    from_window = FrameOfReference("speaker", 4.0, 6.0, -math.pi / 2)
    from_door = FrameOfReference("speaker", 4.0, 0.0, math.pi / 2)
    by_viewer = {
        frame: to_text(grounded(text, GroundingSettings(FLAT.places, frame)).formula)
        for frame in (from_window, from_door)
    }
    assert by_viewer == {from_window: "F(near(sofa_2))", from_door: "F(near(sofa))"}


def test_the_reading_states_the_frame_when_it_matters() -> None:
    directed = interpret("Go to the sofa left of the television.", LEXICON).formula
    plain = interpret("Go to the sofa next to the television.", LEXICON).formula
    assert stated(plain, FrameOfReference()) == ""
    assert "the map's origin" in stated(directed, FrameOfReference())
    assert "speaker at x 4.0 m" in stated(directed, FrameOfReference("speaker", 4.0, 6.0))


def test_a_wrong_frame_is_refused() -> None:
    with pytest.raises(SaySoError, match="no frame of reference") as unknown:
        FrameOfReference("moon")  # type: ignore[arg-type]
    with pytest.raises(SaySoError, match="finite") as infinite:
        FrameOfReference("speaker", math.nan)
    assert {unknown.value.code, infinite.value.code} == {Code.CONFIG}
