"""The flat's perception: what finds things is made from parameters, or refused at the start."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pytest

from sayso.adapters.vision.finders import UNSET
from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.errors import Code, SaySoError
from sayso.ros.nodes import flat_perception_node
from sayso.ros.nodes.flat_perception_node import FlatPerceptionConfig, FlatPerceptionNode
from sayso.ros.runtime.finder_params import FinderConfig
from sayso.ros.runtime.libraries import load_library


def test_the_parameters_reach_the_finder(graph, monkeypatch) -> None:
    made = []
    live = flat_perception_node.LiveFlat

    def watched(memory, finder, look):
        made.append(finder)
        assert "cat" in look.living
        return live(memory, finder, look)

    monkeypatch.setattr(flat_perception_node, "LiveFlat", watched)
    errors = {"miss_rate": 0.2, "false_rate": 0.1, "mislabel_rate": 0.05, "error_seed": 3}
    graph.add(FlatPerceptionNode, finder="simulator", **errors)
    assert made == [SimulatorInstances(3, 0.2, 0.1, 0.05)]


def test_every_setting_of_a_finder_is_a_parameter() -> None:
    own = vars(FinderConfig())
    assert {k: own[k] for k in UNSET if k != "seed"} == {k: UNSET[k] for k in UNSET if k != "seed"}


@pytest.mark.skipif(find_spec("transformers") is not None, reason="the extra is installed")
def test_a_finder_that_lacks_its_extra_ends_the_node_at_once(graph) -> None:
    with pytest.raises(SaySoError) as caught:
        graph.add(FlatPerceptionNode, finder="owlvit_sam", detector="a", segmenter="b")
    assert caught.value.code is Code.MISSING_DEPENDENCY
    assert "sayso[vision]" in caught.value.hint


def test_places_mean_what_the_parameters_say() -> None:
    flat = load_library("flat").vocabulary.places
    settings = FlatPerceptionConfig(next_to_m=0.5, frame_of_reference="speaker").settings(flat)
    assert settings.places == replace(flat, next_to_m=0.5)
    assert settings.frame.viewer == "speaker"
    assert FlatPerceptionConfig(next_to_m=0.0).settings(flat).places.next_to_m == 0.0
    for wrong in (
        FlatPerceptionConfig(between_m=-0.5),
        FlatPerceptionConfig(speaker=(1.0, 2.0)),
    ):
        with pytest.raises(SaySoError) as caught:
            wrong.settings(flat)
        assert caught.value.code is Code.CONFIG
