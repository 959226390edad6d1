"""Three-valued truth of predicates, and the table-top library's meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import NotObserved, Predicate, SceneView, symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom, Literal

TABLETOP = load(builtin_path()).predicates
EDGE = 0.045
PLATE = SceneObject("plate", "plate", "white", (0.5, 0.1, 0.006), (0.2, 0.2, 0.012))
RED = SceneObject("red_block", "block", "red", (0.5, 0.1, 0.012 + EDGE / 2), (EDGE,) * 3)
BLUE = SceneObject("blue_block", "block", "blue", (0.4, -0.2, EDGE / 2), (EDGE,) * 3)
AWAY = RobotState(0.0, (), 0.08, Pose((0.3, 0.0, 0.5)))


def view(*objects, robot=AWAY, **functions):
    own = {n: Predicate(n, tuple("ab"[: f[0]]), f[1]) for n, f in functions.items()}
    return SceneView(Scene(1.0, objects, robot), {**TABLETOP, **own})


def test_what_is_not_in_the_scene_is_unknown():
    scene = view(PLATE, RED)
    assert scene.holds("on", "red_block", "plate") is True
    assert scene.holds("on", "plate", "red_block") is False
    assert scene.holds("on", "red_block", "mug") is None
    assert scene.holds("on", "mug", "plate") is None


@pytest.mark.parametrize("many", [False, True])
def test_how_what_was_let_go_lies_to_others_is_unknown_until_it_is_seen(many):
    """What shows may have come about; what does not may have where the one is over the other."""
    adrift = replace(RED, let_go=True)
    beside = replace(BLUE, let_go=True)

    def near(scene, a, b):
        return bool(np.linalg.norm((scene.position(a) - scene.position(b))[:2]) < 0.2)

    scene = view(PLATE, adrift, beside, near=(2, near))
    asked = symbolic_state(scene.scene, scene.predicates).truth if many else scene.truth
    assert asked(Atom("on", ("red_block", "plate"))) is None
    assert asked(Atom("in", ("red_block", "plate"))) is None  # not by where it was let go
    assert asked(Atom("on", ("blue_block", "plate"))) is False
    assert asked(Atom("near", ("plate", "red_block"))) is None
    assert asked(Atom("near", ("blue_block", "plate"))) is False
    assert asked(Atom("on_table", ("blue_block",))) is None
    assert asked(Atom("gripper_empty", ())) is True
    assert asked(Atom("holding", ("red_block",))) is False
    assert view(PLATE, RED).holds("on", "red_block", "plate") is True


def test_what_is_about_no_thing_is_known_for_all_at_once():
    assert view(PLATE, RED).known("gripper_empty").tolist() is True
    assert view(PLATE, RED, nothing=(0, lambda scene: None)).known("nothing").tolist() is False


def test_a_predicate_may_answer_unknown_itself():
    scene = view(RED, sure=(1, lambda s, a: 1), unsure=(1, lambda s, a: None))
    assert scene.holds("sure", "red_block") is True
    assert scene.holds("unsure", "red_block") is None


def test_a_predicate_that_asks_for_itself_is_unknown_and_ends():
    scene = view(RED, loop=(1, lambda s, a: s.holds("loop", a)))
    assert scene.holds("loop", "red_block") is None


def test_unknown_predicates_and_wrong_arity_are_errors():
    for atom, said in ((Atom("shiny", ("plate",)), "shiny"), (Atom("on", ("plate",)), "takes 2")):
        with pytest.raises(SaySoError, match=said) as error:
            view(PLATE).truth(atom)
        assert error.value.code is Code.INVALID


def test_a_state_holds_every_tuple_of_distinct_objects():
    state = symbolic_state(Scene(2.0, (PLATE, RED), AWAY), TABLETOP, ("mug",))
    assert state.stamp_s == 2.0 and state.objects == ("plate", "red_block", "mug")
    on = {a.args for a in state.truths if a.predicate == "on"}
    assert len(on) == 6 and ("mug", "mug") not in on
    assert state.truth(Atom("on", ("red_block", "mug"))) is None
    assert state.holds(Literal(Atom("on", ("plate", "red_block")), False)) is True
    assert state.holds(Literal(Atom("on", ("mug", "plate")), False)) is None


def test_resting_places_exclude_each_other():
    scene = view(PLATE, RED, BLUE)
    assert scene.holds("on_table", "blue_block") is True
    assert scene.holds("on_table", "red_block") is False
    assert scene.holds("clear", "blue_block") is True
    stacked = replace(BLUE, position=(0.5, 0.1, 0.012 + 1.5 * EDGE))
    scene = view(PLATE, RED, stacked)
    assert scene.holds("on", "blue_block", "red_block") is True
    assert scene.holds("on", "blue_block", "plate") is False
    assert scene.holds("clear", "red_block") is False


def test_what_hides_the_upper_part_of_a_block_is_on_it():
    bowl = SceneObject("bowl", "bowl", "", (0.4, -0.2, EDGE + 0.025), (0.15, 0.15, 0.05))
    seen = replace(BLUE, position=(0.4, -0.2, 0.01), size=(EDGE, EDGE, 0.02))
    scene = view(bowl, seen)
    assert scene.holds("on", "bowl", "blue_block") is True
    assert scene.holds("clear", "blue_block") is False
    beside = view(replace(bowl, position=(0.4, 0.0, EDGE + 0.025)), seen)
    assert beside.holds("on", "bowl", "blue_block") is False


@pytest.mark.parametrize(
    ("place", "lies"),
    [((0.5, 0.0, 0.005), True), ((0.42, 0.05, 0.005), True), ((0.5, 0.0, 0.035), True),
     ((0.64, 0.09, 0.0), False), ((0.5, 0.0, 0.12), False)],
)  # fmt: skip
def test_what_lies_in_a_tray_is_on_it(place, lies):
    turned = (0.0, 0.0, 0.3827, 0.9239)  # by 45 degrees: its box along x and y is wider than it is
    tray = SceneObject("tray", "tray", "", (0.5, 0.0, 0.0175), (0.3, 0.2, 0.035), turned)
    scene = view(tray, replace(RED, position=(*place[:2], place[2] + EDGE / 2)))
    assert scene.holds("surface", "tray") is True
    assert scene.holds("on", "red_block", "tray") is lies
    assert scene.holds("on", "tray", "red_block") is False
    assert scene.holds("in", "red_block", "tray") is (lies and place[2] < 0.03)


def test_a_hand_holds_what_is_between_its_fingers():
    closed = replace(AWAY, gripper_width_m=EDGE, gripper=Pose(BLUE.position))
    scene = view(PLATE, RED, BLUE, robot=closed)
    assert scene.holds("holding", "blue_block") is True
    assert scene.holds("holding", "red_block") is False
    assert scene.holds("gripper_empty") is False
    assert scene.holds("on_table", "blue_block") is False
    opened = view(PLATE, RED, BLUE, robot=replace(closed, gripper_width_m=0.08))
    assert opened.holds("holding", "blue_block") is False
    assert opened.holds("gripper_empty") is True
    assert opened.holds("touching", "blue_block") is True


def test_drawers_open_and_other_things_do_not():
    drawer = SceneObject(
        "drawer",
        "drawer",
        "yellow",
        (0.55, 0.3, 0.07),
        (0.15, 0.22, 0.08),
        attributes={"opening_m": 0.14},
    )
    scene = view(drawer, PLATE)
    assert (scene.holds("open", "drawer"), scene.holds("closed", "drawer")) == (True, False)
    assert (scene.holds("open", "plate"), scene.holds("closed", "plate")) == (False, False)
    ajar = view(replace(drawer, attributes={"opening_m": 0.05}))
    assert (ajar.holds("open", "drawer"), ajar.holds("closed", "drawer")) == (False, False)


@pytest.mark.parametrize(
    ("point", "distance"),
    [
        ((0.5, 0.1, 0.03), 0.0),
        ((0.5, 0.1, 0.157), 0.1),
        ((0.5225 + 0.03, 0.1225 + 0.04, 0.03), 0.05),
    ],
)
def test_distance_to_a_box_is_to_its_surface(point, distance):
    assert RED.distance_to(point) == pytest.approx(distance, abs=1e-9)


def test_distance_to_a_turned_box_follows_its_axes():
    turned = replace(RED, orientation=(0.0, 0.0, 0.38268343, 0.92387953))
    corner = RED.position[0] + EDGE / 2 * 2**0.5
    assert turned.distance_to((corner + 0.02, 0.1, RED.position[2])) == pytest.approx(
        0.02, abs=1e-6
    )


def test_things_around_another_are_those_whose_boxes_are_close() -> None:
    def at(name: str, x: float) -> SceneObject:
        return SceneObject(name, "block", "red", (x, 0.0, 0.02), (0.04, 0.04, 0.04))

    scene = SceneView(Scene(0.0, (at("a", 0.0), at("b", 0.03), at("c", 0.5))))
    assert scene.around("a") == ("b",)
    assert scene.around("a", 0.5) == ("b", "c")
    with pytest.raises(NotObserved):
        scene.around("nothing")


def test_truths_that_need_not_be_asked_are_false_and_none_else() -> None:
    predicates = load(builtin_path()).predicates
    everywhere = {n: replace(p, within_m=None) for n, p in predicates.items()}
    rng = np.random.default_rng(7)
    kinds = ("block", "plate", "bowl", "drawer", "mug")
    for _ in range(20):
        things = tuple(
            SceneObject(
                f"{kind}_{n}", kind, "red", (*rng.uniform(0, 0.5, 2), rng.uniform(0.01, 0.1)),
                tuple(rng.uniform(0.02, 0.2, 3)),
                attributes={"opening_m": 0.1} if kind == "drawer" else {},
            )
            for n, kind in enumerate(rng.choice(kinds, 9))
        )  # fmt: skip
        scene = Scene(0.0, things)
        pruned = symbolic_state(scene, predicates, ("unseen",))
        assert dict(pruned.truths) == dict(symbolic_state(scene, everywhere, ("unseen",)).truths)
        assert pruned.truth(Atom("on", (things[0].name, "unseen"))) is None
        assert len(pruned.truths) == len(list(pruned.truths))
