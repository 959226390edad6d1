"""The graph of generated scenes with true clouds is exact: an independent judge says so."""

from itertools import permutations

import pytest

from sayso.perception.scene_graph import scene_graph
from sayso.perception.settings import GroundingSettings
from sayso.perception.viewpoints import FrameOfReference
from support.generated_tables import generated
from support.relation_judge import Judge

SCENES = 200
_PERSON = (1.6, 0.3)


@pytest.mark.parametrize("block", range(10))
def test_every_relation_of_generated_scenes_is_right(block):
    for seed in range(block, SCENES, 10):
        table = generated(seed)
        graph, judge = scene_graph(table.scene()), Judge(table)
        for name in judge.things:
            assert graph.containers.get(name) == judge.container(name), (seed, name)
            assert graph.supports.get(name) == judge.support(name), (seed, name)
            assert set(graph.group(name)) == judge.group(name), (seed, name)
        for pair in permutations(judge.things, 2):
            assert graph.holds("above", *pair) == judge.above(*pair), (seed, pair)
            assert graph.holds("in", *pair) == (pair[1] in judge.inside(pair[0])), (seed, pair)
            assert graph.direction(*pair) == judge.direction(*pair), (seed, pair)


def test_directions_are_as_the_person_sees_them():
    frame = FrameOfReference("speaker", *_PERSON)
    for seed in range(0, SCENES, 10):
        table = generated(seed)
        graph = scene_graph(table.scene(), GroundingSettings(frame=frame))
        judge = Judge(table, _PERSON)
        for pair in permutations(judge.things, 2):
            assert graph.direction(*pair) == judge.direction(*pair), (seed, pair)


def test_the_scenes_have_every_kind_of_holding():
    kinds = {(t.shape.family, t.how, t.holder.rstrip("_0123456789"))
             for seed in range(SCENES) for t in generated(seed).things if t.how}  # fmt: skip
    assert {h for _, how, h in kinds if how == "in"} == {"mug", "bowl", "tray", "sink", "shelf"}
    assert {h for _, how, h in kinds if how == "on"} == {"rack", "box", "book", "plate", "block"}
