"""Laws of the scene graph for any boxes and clouds, however they lie in each other."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.geometry import quaternion_from_matrix
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.perception.scene_graph import DIRECTIONS, scene_graph
from sayso.perception.scene_text import lines, paragraph
from sayso.perception.settings import TABLE, GroundingSettings

FLAT = GroundingSettings(load(builtin_path("flat")).vocabulary.places)

place = st.sampled_from((0.0, 0.05, 0.1, 0.5))
size = st.sampled_from((0.0, 0.02, 0.1, 0.3))
TURNS = (
    np.eye(3),
    np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]),
    np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]),
)


@st.composite
def scenes(draw) -> Scene:
    things = []
    for i in range(draw(st.integers(0, 6))):
        at, extent = draw(st.tuples(place, place, place)), draw(st.tuples(size, size, size))
        turn = TURNS[draw(st.integers(0, len(TURNS) - 1))]
        count = draw(st.sampled_from((0, 1, 60)))
        cloud = np.random.default_rng(i).uniform(-0.5, 0.5, (count, 3)) * extent @ turn.T + at
        more = {"opening_m": 0.05} if draw(st.integers(0, 9)) == 9 else {}
        things.append(
            SceneObject(
                f"thing_{i}", "thing", "", at, extent, quaternion_from_matrix(turn),
                visible=draw(st.booleans()), carried=draw(st.integers(0, 5)) == 5,
                attributes=more, points=cloud.astype(np.float32),
            )
        )  # fmt: skip
    return Scene(0.0, tuple(things))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(scenes(), st.sampled_from((TABLE, FLAT)))
def test_every_thing_is_in_one_group_and_is_told_once(scene, meant):
    graph = scene_graph(scene, meant)
    together = [name for root in graph.roots for name in graph.group(root)]
    assert sorted(together) == sorted(graph.things)
    text = lines(graph)
    assert all(f"thing_{i}" in text for i in range(len(scene.objects)))
    assert paragraph(graph)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(scenes())
def test_relations_and_their_opposites_agree(scene):
    graph = scene_graph(scene)
    for a, b in permutations(graph.things, 2):
        assert graph.holds("in", a, b) == graph.holds("contains", b, a)
        assert graph.holds("above", a, b) == graph.holds("under", b, a)
        assert not (graph.holds("in", a, b) and graph.holds("in", b, a))
        assert not (graph.holds("in", a, b) and graph.holds("above", a, b))
        there, back = graph.direction(a, b), graph.direction(b, a)
        assert (there is None) == (back is None)
        if there is not None:
            assert DIRECTIONS[(DIRECTIONS.index(there) + 4) % 8] == back
    carried = {o.name for o in scene.objects if o.carried}
    assert not carried & {*graph.containers, *graph.supports}
