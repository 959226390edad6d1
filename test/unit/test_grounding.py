"""Descriptions to objects of a scene, quantifiers, and what is said when nothing fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Prop, Referent, Relation, propositions
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.text import parse, to_text
from sayso.perception.categories import is_a
from sayso.perception.describe import describe_scene
from sayso.perception.grounding import find_objects, ground, new_objects
from sayso.perception.scene_graph import scene_graph

LIBRARY = load(builtin_path())
LEXICON = Lexicon.of(LIBRARY)
CUBE = (0.045, 0.045, 0.045)


def thing(name: str, kind: str, x: float, y: float, size: Vector3 = CUBE) -> SceneObject:
    color, category = kind.split()
    return SceneObject(name, category, color, (x, y, size[2] / 2), size)


RED = thing("red_block", "red block", 0.40, 0.20)
GREEN = thing("green_block", "green block", 0.50, -0.10)
BLUE = thing("blue_block", "blue block", 0.45, 0.05)
PLATE = thing("plate", "white plate", 0.60, 0.20, (0.20, 0.20, 0.012))
MUG = thing("mug", "purple mug", 0.45, -0.02, (0.08, 0.08, 0.09))
BOWL = thing("bowl", "orange bowl", 0.60, -0.20, (0.15, 0.15, 0.05))
DRAWER = replace(
    thing("drawer", "yellow drawer", 0.70, 0.0, (0.02, 0.2, 0.1)), attributes={"opening_m": 0.0}
)
SCENE = Scene(0.0, (RED, GREEN, BLUE, PLATE, MUG, BOWL, DRAWER))


def grounded(text: str, scene: Scene = SCENE) -> GroundedSpecification:
    return ground(interpret(text, LEXICON), scene)


def failure(text: str, scene: Scene = SCENE) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        grounded(text, scene)
    return caught.value


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "Put the red block on the plate, then put the blue block on the red block. "
            "Never touch the mug.",
            "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))",
        ),
        ("Put the red cube on the dish.", "F(on(red_block, plate))"),
        ("Stack the block to the right of the mug on the plate.", "F(on(green_block, plate))"),
        ("Touch the block between the red block and the mug.", "F(touching(blue_block))"),
        ("Touch the block left of the block next to the drawer.", None),
        ("Touch the purple thing.", "F(touching(mug))"),
        ("Put the red block on the table.", "F(on_table(red_block))"),
        (
            "Put any block in the bowl.",
            "F(in(blue_block, bowl) | in(green_block, bowl) | in(red_block, bowl))",
        ),
        (
            "Put all the blocks in the bowl.",
            "F(in(blue_block, bowl) & in(green_block, bowl) & in(red_block, bowl))",
        ),
        (
            "Put all the blocks on the red block.",
            "F(on(blue_block, red_block) & on(green_block, red_block))",
        ),
        (
            "Never touch any block.",
            "G(!touching(blue_block)) & G(!touching(green_block)) & G(!touching(red_block))",
        ),
        (
            "Pick up a block and put it on the plate.",
            "F((holding(blue_block) & F(on(blue_block, plate)))"
            " | (holding(green_block) & F(on(green_block, plate)))"
            " | (holding(red_block) & F(on(red_block, plate))))",
        ),
        (
            "Pick up all the blocks, then open the drawer.",
            "F(holding(blue_block) & F(open(drawer))) & F(holding(green_block) & F(open(drawer)))"
            " & F(holding(red_block) & F(open(drawer)))",
        ),
        ("Pick up the block next to all the blocks.", "F(holding(blue_block))"),
    ],
)
def test_grounds(text: str, formula: str | None) -> None:
    if formula is None:
        assert failure(text).code in (Code.AMBIGUOUS, Code.UNKNOWN_OBJECT)
        return
    result = grounded(text)
    assert to_text(result.formula) == formula
    assert all(p.grounded for p in _props(result))


def _props(result: GroundedSpecification) -> list[Prop]:
    return list(propositions(result.formula))


def test_every_block_may_have_its_own_bowl() -> None:
    two = Scene(0.0, (RED, BLUE, BOWL, thing("bowl_2", "orange bowl", 0.5, 0.4)))
    assert to_text(grounded("Put all the blocks in a bowl.", two).formula) == (
        "F((in(blue_block, bowl) | in(blue_block, bowl_2))"
        " & (in(red_block, bowl) | in(red_block, bowl_2)))"
    )


def test_the_grounding_tells_what_each_referent_stands_for() -> None:
    result = grounded("Stack the block right of the mug on a thing.")
    by_text = {str(r): names for r, names in result.grounding.items()}
    assert by_text["block::isrightof(mug)"] == ("green_block",)
    assert by_text["mug"] == ("mug",)
    assert set(by_text["a thing"]) == {o.name for o in SCENE.objects}


def test_nothing_that_fits_lists_what_there_is() -> None:
    text = "Put the pink block on the plate."
    error = failure(text)
    assert error.code is Code.UNKNOWN_OBJECT
    assert "pink block" in error.message
    assert error.choices == tuple(o.name for o in SCENE.objects)
    assert "red_block" in error.hint
    assert error.span is not None
    assert text[error.span.start : error.span.end] == "pink block"


def test_of_very_many_things_those_that_are_written_most_alike_are_listed() -> None:
    kinds = ("mug", "lamp")
    many = [thing(f"{k}_{n}", f"white {k}", n / 10, 0.0) for k in kinds for n in range(30)]
    error = failure("Put the white lump on the plate.", Scene(1.0, (*many, *SCENE.objects)))
    assert error.choices[0].startswith("lamp_")
    assert len(error.choices) < 10
    assert len({c.rstrip("0123456789") for c in error.choices}) == len(error.choices)


def test_a_goal_about_all_of_none_is_refused() -> None:
    assert failure("Put all the pink blocks in the bowl.").code is Code.UNKNOWN_OBJECT


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Put both blocks in the bowl.", "2 blocks, and there are 3"),
        ("Put all four blocks in the bowl.", "4 blocks, and there are 3"),
        ("If both blocks are in the bowl, touch the mug.", "2 blocks, and there are 3"),
        ("Put both red blocks in the bowl.", "2 red blocks, and there are 1"),
    ],
)
def test_another_number_than_the_words_speak_of_is_asked_about(text: str, told: str) -> None:
    error = failure(text)
    assert error.code is Code.UNKNOWN_OBJECT
    assert told in str(error)


def test_the_number_that_the_words_speak_of_may_leave_some_out() -> None:
    text = "Put all three blocks except the red one in the bowl."
    assert (
        to_text(grounded(text, SCENE).formula) == "F(in(blue_block, bowl) & in(green_block, bowl))"
    )


def test_a_thing_that_turns_up_does_not_end_a_task_about_both() -> None:
    two = replace(SCENE, objects=tuple(o for o in SCENE.objects if o is not BLUE))
    task = grounded("Never touch both blocks at once.", two)
    later = new_objects(task, [o.name for o in two.objects], SCENE)
    assert to_text(later.forbidden) in (
        "true",
        "G(!(touching(green_block) & touching(red_block) & touching(blue_block)))",
    )


def test_several_that_fit_are_listed() -> None:
    text = "Put the block on the plate."
    error = failure(text)
    assert error.code is Code.AMBIGUOUS
    assert set(error.choices) == {"red_block", "green_block", "blue_block"}
    assert error.span is not None
    assert text[error.span.start : error.span.end] == "block"


def test_the_other_one_is_asked_about_where_several_are_left() -> None:
    said = "Put the red block on the plate and the other one in the bowl."
    error = failure(said)
    assert error.code is Code.AMBIGUOUS
    assert set(error.choices) == {"blue_block", "green_block"}
    left = replace(SCENE, objects=tuple(o for o in SCENE.objects if o is not BLUE))
    assert (
        to_text(grounded(said, left).formula) == "F(on(red_block, plate) & in(green_block, bowl))"
    )


def test_a_description_without_the_colour_may_be_another_one_than_before() -> None:
    error = failure("Pick up the red block, but never put the block in the bowl.")
    assert error.code is Code.AMBIGUOUS
    assert set(error.choices) == {"red_block", "green_block", "blue_block"}


def test_a_landmark_must_be_clear_too() -> None:
    assert failure("Never touch any mug left of the block.").code is Code.AMBIGUOUS
    assert failure("Touch the block right of the block.").code is Code.AMBIGUOUS
    assert failure("Touch the block left of the teapot.").code is Code.UNKNOWN_OBJECT


def test_what_is_described_can_make_its_landmark_clear() -> None:
    result = grounded("Touch the mug left of the block.")
    assert {str(r): names for r, names in result.grounding.items()} == {
        "block": ("green_block",),
        "mug::isleftof(block)": ("mug",),
    }


def test_an_empty_scene_says_so() -> None:
    error = failure("Touch the mug.", Scene(0.0, ()))
    assert error.code is Code.UNKNOWN_OBJECT
    assert error.hint


def test_a_numbered_name_is_that_object() -> None:
    scene = Scene(0.0, (MUG, replace(MUG, name="mug_2", position=(0.3, 0.3, 0.045))))
    assert to_text(grounded("Touch mug_2.", scene).formula) == "F(touching(mug_2))"
    assert failure("Touch the mug.", scene).code is Code.AMBIGUOUS


def test_sizes_compare_the_candidates() -> None:
    large = thing("mug_2", "purple mug", 0.3, 0.3, (0.12, 0.12, 0.12))
    scene = Scene(0.0, (MUG, large))
    assert to_text(grounded("Touch the small mug.", scene).formula) == "F(touching(mug))"
    assert to_text(grounded("Touch the big mug.", scene).formula) == "F(touching(mug_2))"


def test_sizes_of_equally_large_things_say_nothing() -> None:
    assert failure("Touch the small block.").code is Code.UNKNOWN_OBJECT
    assert to_text(grounded("Touch the big mug.").formula) == "F(touching(mug))"


def test_nothing_can_be_on_itself() -> None:
    error = failure("Put the red block on the red block.")
    assert error.code is Code.CONTRADICTION
    assert "itself" in error.message


def test_a_robot_is_near_one_thing_after_another() -> None:
    spec = Specification("", parse("F(near(all block))"))
    assert to_text(ground(spec, SCENE).formula) == (
        "F(near(blue_block)) & F(near(green_block)) & F(near(red_block))"
    )


def test_the_table_is_no_object() -> None:
    spec = Specification("", parse("F(on(mug, table))"))
    assert to_text(ground(spec, SCENE).formula) == "F(on_table(mug))"
    with pytest.raises(SaySoError) as caught:
        ground(Specification("", parse("F(touching(table))")), SCENE)
    assert caught.value.code is Code.UNKNOWN_OBJECT


RED_ON_PLATE = replace(RED, position=(0.60, 0.20, 0.012 + CUBE[2] / 2))


def test_what_stands_on_the_bare_table_is_swapped_with_what_stands_on_something() -> None:
    scene = Scene(0.0, (RED_ON_PLATE, GREEN, PLATE, MUG))
    swapped = "F(on(mug, plate) & on_table(red_block))"
    assert to_text(grounded("Swap the mug and the red block.", scene).formula) == swapped
    put = grounded("Touch the mug, then put it back where it was.", scene)
    assert to_text(put.formula) == "F(touching(mug) & F(on_table(mug)))"
    put = grounded("Put the red block where the mug is.", scene)
    assert to_text(put.formula) == "F(on_table(red_block))"


@pytest.mark.parametrize(
    "text", ["Swap the mug and the green block.", "Put the mug where the green block is."]
)
def test_places_on_the_bare_table_are_told_apart_by_what_they_are_next_to(text: str) -> None:
    error = failure(text)
    assert error.code is Code.UNSUPPORTED
    assert "mug" in error.message and "'put the mug to the left of" in error.hint


def test_grounded_names_must_exist() -> None:
    spec = Specification("", parse("F(touching(teapot))", grounded=True))
    with pytest.raises(SaySoError) as caught:
        ground(spec, SCENE)
    assert caught.value.code is Code.UNKNOWN_OBJECT


def test_find_objects_returns_all_that_fit_best_first() -> None:
    sure = replace(BLUE, confidence=0.9)
    unsure = replace(RED, confidence=0.5)
    scene = Scene(0.0, (unsure, sure, GREEN, MUG))
    found = find_objects(Referent("block"), scene)
    assert [o.name for o in found] == ["green_block", "blue_block", "red_block"]
    left = Referent("block", relations=(Relation("isleftof", (Referent("mug"),)),))
    assert {o.name for o in find_objects(left, scene)} == {"blue_block", "red_block"}
    assert find_objects(Referent("teapot"), scene) == ()


def test_a_scene_is_told_with_units_and_facts() -> None:
    text = describe_scene(
        scene_graph(SCENE), symbolic_state(SCENE, LIBRARY.predicates), LIBRARY.predicates
    )
    assert "7 things seen:" in text
    assert "- red_block: red block, 0.40 m ahead, 0.20 m left, 0.02 m up, 45 x 45 x 45 mm" in text
    assert "- drawer: yellow drawer" in text
    assert "open by 0 mm" in text
    assert "The mug is on the table." in text
    assert "surface" not in text


def test_hidden_and_carried_things_are_told_as_such() -> None:
    scene = Scene(0.0, (replace(MUG, visible=False), replace(RED, carried=True)))
    lines = describe_scene(scene_graph(scene)).split("\n")
    assert lines[1].endswith("hidden now")
    assert lines[2].endswith("in the hand")
    assert describe_scene(scene_graph(Scene(0.0, ()))) == "Nothing is seen."


@pytest.mark.parametrize(
    ("category", "noun"),
    [("trash bin", "container"), ("coffee maker", "appliance"), ("white storage", "chest"),
     ("coffee table", "piece of furniture"), ("tabby cat", "pet")],
)  # fmt: skip
def test_a_word_for_several_kinds_stands_for_each_and_not_the_other_way_round(category, noun):
    assert is_a(category, noun)
    assert not is_a(noun, category)


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("Put everything in the bowl.", "blue green mug plate red"),
        ("Put everything except the mug in the drawer.", "blue bowl green plate red"),
        ("Put all but the blocks on the plate.", "bowl mug"),
    ],
)
def test_everything_is_what_can_be_carried_but_the_place(text: str, moved: str) -> None:
    put = {str(p.args[0]).removesuffix("_block") for p in propositions(grounded(text).formula)}
    assert sorted(put) == moved.split()


def test_everything_is_not_what_the_place_stands_on() -> None:
    on_plate = replace(BOWL, position=(0.60, 0.20, 0.012 + 0.025))
    scene = Scene(0.0, (RED, GREEN, PLATE, on_plate, DRAWER))
    put = {p.args[0] for p in propositions(grounded("Put everything in the bowl.", scene).formula)}
    assert put == {"red_block", "green_block"}
