"""What the gate asks of the executor's own watch over a task."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.progression import progression_of
from sayso.logic.text import parse
from sayso.skills.watch import TaskWatch

HIGH = RobotState(0.0, (), 0.045, Pose((0.4, 0.0, 0.3)))
BLOCK = SceneObject(
    "red_block", "block", "red", (0.4, 0.0, 0.3), (0.045, 0.045, 0.045), carried=True
)
PLATE = SceneObject("plate", "plate", "white", (0.6, 0.2, 0.006), (0.2, 0.2, 0.012))


PREDICATES = {
    **load(builtin_path()).predicates,
    "above": Predicate(
        "above", ("a", "b"), lambda scene, a, b: scene.horizontal_distance(a, b) < 0.1
    ),
}


def watch(formula, *objects):
    scene = Scene(1.0, objects, HIGH)
    result = TaskWatch(progression_of(parse(formula, grounded=True)), PREDICATES)
    result.observe(symbolic_state(scene, PREDICATES))
    return result, scene


def hand_at(*position):
    return replace(HIGH, gripper=Pose(position))


def test_the_hand_is_foreseen_where_it_will_be():
    guard, scene = watch("G(!touching(plate))", PLATE)
    assert guard.would_violate(scene, hand_at(0.6, 0.2, 0.1)) is None
    assert "the robot does not touch the plate" in (
        guard.would_violate(scene, hand_at(0.6, 0.2, 0.012)) or ""
    )


def test_what_is_carried_is_foreseen_along_with_the_hand():
    guard, scene = watch("G(!above(red_block, plate))", BLOCK, PLATE)
    assert guard.would_violate(scene, hand_at(0.4, 0.1, 0.3)) is None
    assert guard.would_violate(scene, hand_at(0.6, 0.2, 0.3)) is not None
    resting, scene = watch("G(!above(red_block, plate))", replace(BLOCK, carried=False), PLATE)
    assert resting.would_violate(scene, hand_at(0.6, 0.2, 0.3)) is None


def test_a_broken_never_is_told():
    guard, _ = watch("G(!holding(red_block))", BLOCK, PLATE)
    assert guard.violated and not watch("G(!holding(plate))", BLOCK, PLATE)[0].violated


def test_what_is_out_of_view_leaves_a_never_in_doubt():
    guard, _ = watch("G(!holding(mug))", BLOCK, PLATE)
    assert guard.unknown_atoms == (Atom("holding", ("mug",)),)
    assert watch("G(!holding(plate))", BLOCK, PLATE)[0].unknown_atoms == ()


FLAT = load(builtin_path("flat")).predicates
DRIVING = replace(HIGH, base=Pose((0.0, 0.0, 0.0)), gripper=Pose((0.4, 0.0, 0.7)))
SOFA = SceneObject("sofa", "sofa", "blue", (3.0, 0.0, 0.4), (0.9, 1.8, 0.8))


def flat_watch(formula, *objects):
    scene = Scene(1.0, objects, DRIVING, frame="map")
    result = TaskWatch(progression_of(parse(formula, grounded=True)), FLAT)
    result.observe(symbolic_state(scene, FLAT))
    return result, scene


def driven_to(x):
    """The base there, and the hand moved along with it."""
    return replace(DRIVING, base=Pose((x, 0.0, 0.0)), gripper=Pose((x + 0.4, 0.0, 0.7)))


def test_the_base_is_foreseen_where_it_will_come_to_rest():
    guard, scene = flat_watch("G(!near(sofa))", SOFA)
    assert guard.would_violate(scene, driven_to(1.5)) is None
    assert "near the sofa" in (guard.would_violate(scene, driven_to(1.6)) or "")


def test_what_the_hand_carries_is_foreseen_along_with_the_base():
    toy = SceneObject(
        "toy", "plush_toy", "green", (0.4, 0.0, 0.65), (0.12, 0.1, 0.17), carried=True
    )
    scene = Scene(1.0, (toy, SOFA), DRIVING, frame="map")
    beside = Predicate("beside", ("a", "b"), lambda s, a, b: s.horizontal_gap(a, b) < 0.5)
    guard = TaskWatch(
        progression_of(parse("G(!beside(toy, sofa))", grounded=True)), {**FLAT, "beside": beside}
    )
    guard.observe(symbolic_state(scene, {**FLAT, "beside": beside}))
    assert guard.would_violate(scene, driven_to(1.4)) is None
    assert guard.would_violate(scene, driven_to(1.7)) is not None


def test_a_further_prohibition_is_foreseen_too() -> None:
    guard, scene = watch("F(on(red_block, plate))", BLOCK, PLATE)
    over_plate = hand_at(0.6, 0.2, 0.3)
    assert guard.would_violate(scene, over_plate) is None
    guard.monitor.extend(parse("G(!above(red_block, plate))", grounded=True))
    assert "above" in (guard.would_violate(scene, over_plate) or "")
