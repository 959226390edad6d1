"""The graph of scenes made of boxes by hand, and its text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.perception.scene_graph import DIRECTIONS, RELATIONS, Edge, scene_graph
from sayso.perception.scene_text import lines, paragraph
from sayso.perception.settings import GroundingSettings
from sayso.perception.viewpoints import FrameOfReference


def box(name, place, size=(0.05, 0.05, 0.05), **more) -> SceneObject:
    """A solid box that stands at a height."""
    x, y, foot = place
    at = (x, y, foot + size[2] / 2)
    return SceneObject(name, name.split("_")[-1], "", at, size, **more)


def graph_of(*things, **settings):
    return scene_graph(Scene(0.0, things), GroundingSettings(**settings))


FLAT = GroundingSettings(load(builtin_path("flat")).vocabulary.places)
MIDDLE = box("bowl", (0.5, 0.0, 0.0), (0.15, 0.15, 0.06))
STACK = (
    box("plate", (0.5, 0.3, 0.0), (0.2, 0.2, 0.012)),
    box("red_block", (0.5, 0.3, 0.012)),
    box("blue_block", (0.5, 0.31, 0.062)),
)


@pytest.mark.parametrize(
    ("place", "direction"),
    [
        ((0.8, 0.0), "behind"), ((0.8, 0.3), "behind left"), ((0.5, 0.3), "left"),
        ((0.2, 0.3), "before left"), ((0.2, 0.0), "before"), ((0.2, -0.3), "before right"),
        ((0.5, -0.3), "right"), ((0.8, -0.3), "behind right"),
    ],
)  # fmt: skip
def test_eight_directions_and_their_opposites(place, direction):
    graph = graph_of(MIDDLE, box("mug", (*place, 0.0)))
    opposite = DIRECTIONS[(DIRECTIONS.index(direction) + 4) % 8]
    assert graph.direction("mug", "bowl") == direction
    assert graph.direction("bowl", "mug") == opposite
    assert graph.holds(direction, "mug", "bowl")
    assert graph.holds("diagonal", "mug", "bowl") is (" " in direction)


def test_a_person_opposite_sees_left_and_right_the_other_way_round():
    person = FrameOfReference("speaker", 2.0, 0.0)
    things = (MIDDLE, box("mug", (0.5, 0.3, 0.0)))
    assert graph_of(*things).direction("mug", "bowl") == "left"
    assert graph_of(*things, frame=person).direction("mug", "bowl") == "right"
    assert "bowl is farthest to the right" in paragraph(graph_of(*things))
    assert "mug is farthest to the right" in paragraph(graph_of(*things, frame=person))


def test_a_stack_goes_together_and_has_no_directions_within():
    graph = graph_of(MIDDLE, *STACK)
    assert graph.supports == {"red_block": "plate", "blue_block": "red_block"}
    assert graph.group("plate") == ("plate", "red_block", "blue_block")
    assert graph.roots == ("bowl", "plate")
    assert graph.holds("above", "blue_block", "plate")
    assert graph.holds("under", "plate", "blue_block")
    assert not graph.holds("on", "blue_block", "plate")
    assert graph.direction("blue_block", "plate") is None
    assert graph.direction("blue_block", "bowl") == "left"


def test_edges_tell_each_holding_once_and_both_ways_between_roots():
    graph = graph_of(MIDDLE, *STACK)
    assert set(graph.edges()) == {
        Edge("red_block", "on", "plate"),
        Edge("blue_block", "on", "red_block"),
        Edge("blue_block", "above", "plate"),
        Edge("plate", "left", "bowl"),
        Edge("bowl", "right", "plate"),
    }


def test_what_lies_below_the_rim_is_in_and_stays_when_hidden():
    block = box("block", (0.5, 0.01, 0.005), (0.03, 0.03, 0.03), visible=False)
    graph = graph_of(MIDDLE, block)
    assert graph.containers == {"block": "bowl"} and not graph.supports
    assert graph.holds("in", "block", "bowl") and graph.holds("contains", "bowl", "block")
    assert not graph.holds("above", "block", "bowl")
    assert "The bowl holds the block (hidden now)." in paragraph(graph)
    assert lines(graph) == "bowl(block?)"


def test_what_is_in_a_mug_in_a_tray_is_in_both():
    tray = box("tray", (0.5, 0.0, 0.0), (0.3, 0.2, 0.03))
    mug = box("mug", (0.55, 0.0, 0.005), (0.08, 0.08, 0.09))
    bean = box("bean", (0.55, 0.0, 0.012), (0.01, 0.01, 0.01))
    graph = graph_of(tray, mug, bean)
    assert graph.containers == {"mug": "tray", "bean": "mug"}
    assert graph.holds("in", "bean", "tray")
    assert graph.group("mug") == ("mug", "bean")
    assert lines(graph) == "tray(mug(bean))"


def test_what_the_hand_carries_is_above_but_neither_in_nor_on():
    held = box("block", (0.5, 0.0, 0.065), (0.03, 0.03, 0.03), carried=True)
    graph = graph_of(MIDDLE, held)
    assert not graph.containers and not graph.supports
    assert graph.holds("above", "block", "bowl")
    assert "The block is in the hand." in paragraph(graph)


def test_a_drawer_holds_what_lies_in_the_tray_behind_its_face():
    drawer = box("drawer", (0.45, 0.3, 0.07), (0.1, 0.2, 0.06), attributes={"opening_m": 0.1})
    inside = box("block", (0.55, 0.3, 0.08), (0.03, 0.03, 0.03))
    cabinet = box("cabinet", (0.62, 0.3, 0.0), (0.24, 0.24, 0.136))
    assert graph_of(drawer, cabinet, inside).containers == {"block": "drawer"}
    assert not graph_of(drawer, box("block", (0.3, 0.3, 0.08))).containers


def test_things_that_pass_through_each_other_make_no_circle():
    post = box("post", (0.5, 0.0, 0.0), (0.04, 0.04, 0.3))
    ring = box("ring", (0.5, 0.0, 0.1), (0.2, 0.2, 0.02))
    twin = replace(post, name="twin")
    for things in ((post, ring), (ring, post), (post, twin), (post, twin, ring)):
        graph = graph_of(*things)
        assert set().union(*(graph.group(r) for r in graph.roots)) == {t.name for t in things}
        assert paragraph(graph) and lines(graph)


def test_flat_things_and_an_empty_scene_are_told():
    picture = box("picture", (0.5, 0.5, 0.4), (0.0, 0.3, 0.2))
    assert graph_of(picture, MIDDLE).roots == ("picture", "bowl")
    assert paragraph(graph_of()) == "There is nothing." and lines(graph_of()) == ""


@pytest.mark.parametrize(
    ("asked", "code"),
    [(("beside", "bowl", "plate"), Code.INVALID), (("on", "bowl", "cup"), Code.UNKNOWN_OBJECT)],
)
def test_unknown_relations_and_things_are_refused_with_the_known_ones(asked, code):
    graph = graph_of(MIDDLE, *STACK)
    with pytest.raises(SaySoError) as refused:
        graph.holds(*asked)
    assert refused.value.code is code
    known = (*RELATIONS, *DIRECTIONS) if code is Code.INVALID else graph.things
    assert set(refused.value.choices) == set(known)


@pytest.mark.parametrize(
    ("place", "told"),
    [((0.8, 0.0, 0.0), "behind bowl"), ((0.5, 0.3, 0.0), "left of bowl"),
     ((0.2, 0.0, 0.0), "before bowl"), ((0.2, 0.3, 0.0), "before left of bowl"),
     ((0.505, 0.005, 0.3), "at bowl")],
)  # fmt: skip
def test_the_compact_form_tells_a_place_in_a_few_words(place, told):
    assert lines(graph_of(MIDDLE, box("mug", place))) == f"bowl\nmug: {told}"


def test_a_scene_in_words():
    tray = box("tray", (0.5, -0.3, 0.0), (0.3, 0.2, 0.03))
    inside = [box(n, (0.5 + d, -0.3, 0.005), (0.06, 0.06, 0.09))
              for n, d in (("white_mug", -0.1), ("red_mug", 0.0), ("mug", 0.1))]  # fmt: skip
    apple = box("apple", (0.3, -0.1, 0.0), (0.07, 0.07, 0.07))
    graph = graph_of(tray, *inside, apple, *STACK)
    assert paragraph(graph) == (
        "In the scene there are a tray, three mugs, an apple, a plate and two blocks. "
        "The tray is farthest to the right. "
        "The tray holds the white mug, the red mug and the mug. "
        "The apple is diagonally in front of the tray, to its left. "
        "The plate is diagonally behind the apple, to its left. "
        "The red block is on the plate. The blue block is on the red block."
    )
    assert lines(graph) == (
        "tray(white_mug, red_mug, mug)\n"
        "apple: before left of tray\n"
        "plate(on red_block(on blue_block)): behind left of apple"
    )


def test_in_a_flat_a_chair_under_a_table_is_neither_in_nor_on_it():
    rng = np.random.default_rng(0)
    top = rng.uniform((-0.8, -0.5, 0.70), (0.8, 0.5, 0.75), (600, 3))
    legs = rng.uniform((-0.8, -0.5, 0.0), (-0.75, 0.5, 0.7), (200, 3))
    table = box("table", (2.0, 2.0, 0.0), (1.6, 1.0, 0.75))
    points = np.add(np.concatenate([top, legs]), (2.0, 2.0, 0.0)).astype(np.float32)
    chair = box("chair", (1.45, 2.0, 0.0), (0.4, 0.4, 0.6))
    vase = box("vase", (2.0, 2.0, 0.75), (0.1, 0.1, 0.3))
    bin_ = box("bin", (3.5, 2.0, 0.0), (0.3, 0.3, 0.4))
    can = box("can", (3.5, 2.0, 0.02), (0.07, 0.07, 0.12))
    scene = Scene(0.0, (replace(table, points=points), chair, vase, bin_, can))
    graph = scene_graph(scene, FLAT, {"bin"})
    assert graph.supports == {"vase": "table"}
    assert graph.containers == {"can": "bin"}
    assert graph.holds("above", "vase", "table") and not graph.holds("above", "chair", "table")


def test_clouds_are_looked_at_from_few_points_to_many():
    rng = np.random.default_rng(0)
    for count in (1, 40, 5000):
        cloud = rng.uniform(-0.02, 0.02, (count, 3)) + MIDDLE.position
        thing = replace(MIDDLE, points=cloud.astype(np.float32))
        assert graph_of(thing, box("mug", (0.5, 0.3, 0.0))).roots == ("bowl", "mug")
