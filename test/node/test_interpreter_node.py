"""Words in, grounded specifications out, errors that point at the words."""

from __future__ import annotations

import time

import pytest
from sayso_ros.msg import Scene, Specification, Status
from sayso_ros.srv import Correct, Interpret

from sayso.core import scene as core
from sayso.core.errors import Code, SaySoError
from sayso.ros.conversions import scene_to_msg
from sayso.ros.interpreter_node import InterpreterNode
from sayso.ros.specifications import understanding_from_msg

DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)
EDGE = 0.045


def thing(name: str, x: float, y: float, size=(EDGE,) * 3) -> core.SceneObject:
    color, _, category = name.rpartition("_")
    return core.SceneObject(name, category, color, (x, y, size[2] / 2), size)


TABLE = (
    thing("red_block", 0.45, 0.15),
    thing("blue_block", 0.6, -0.15),
    thing("plate", 0.5, 0.0, (0.2, 0.2, 0.012)),
    thing("mug", 0.35, -0.2, (0.08, 0.08, 0.09)),
)


class Rig:
    def __init__(self, graph, **parameters) -> None:
        self.graph = graph
        graph.add(InterpreterNode, **parameters)
        self.scenes = graph.publisher(Scene, "/scene")

    def show(self, *objects: core.SceneObject) -> None:
        self.scenes.publish(scene_to_msg(core.Scene(1.0, objects or TABLE), "test"))

    def interpret(self, words: str) -> Interpret.Response:
        return self.graph.call(Interpret, "/interpret", Interpret.Request(instruction=words))

    def correct(self, specification: Specification, words: str) -> Correct.Response:
        request = Correct.Request(specification=specification, correction=words)
        return self.graph.call(Correct, "/correct", request)


@pytest.fixture
def rig(graph) -> Rig:
    rig = Rig(graph, scene_fresh_s=60.0)
    rig.show()
    return rig


def test_the_demo_instruction_is_understood_and_grounded(rig) -> None:
    response = rig.interpret(DEMO)
    told = response.specification
    assert response.status.code == Status.OK
    assert told.instruction == DEMO
    assert told.grounded_formula == (
        "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"
    )
    assert {g.referent: list(g.objects) for g in told.grounding} == {
        "red_block": ["red_block"],
        "plate": ["plate"],
        "blue_block": ["blue_block"],
        "mug": ["mug"],
    }
    assert "the red block is on the plate" in told.english
    assert (told.source, told.version) == ("controlled English", 1)
    assert understanding_from_msg(told).specification.specification.instruction == DEMO


def test_errors_point_at_the_words_and_name_what_there_is(rig) -> None:
    unclear = rig.interpret("frobnicate the plate").status
    missing = rig.interpret("pick up the bowl").status
    several = rig.interpret("pick up the block").status
    empty = rig.interpret("  ").status
    assert unclear.code == Status.NOT_UNDERSTOOD
    assert (unclear.span_start, unclear.span_end) == (0, len("frobnicate"))
    assert missing.code == Status.UNKNOWN_OBJECT
    assert several.code == Status.AMBIGUOUS
    assert {"red_block", "blue_block"} <= set(several.choices)
    assert empty.code == Status.INVALID


def test_the_speakers_left_is_not_the_maps_and_the_reading_says_which(graph) -> None:
    rig = Rig(graph, scene_fresh_s=60.0, frame_of_reference="speaker", speaker=[2.0, 0.0, 3.14])
    rig.show()
    told = rig.interpret("Pick up the block left of the plate.").specification
    assert told.grounded_formula == "F(holding(blue_block))"
    assert "as seen by the speaker at x 2.0 m, y 0.0 m" in told.english


def test_a_correction_makes_the_next_version(rig) -> None:
    first = rig.interpret("Put the red block on the plate.").specification
    response = rig.correct(first, "no, the blue block")
    assert response.status.code == Status.OK
    assert response.specification.grounded_formula == "F(on(blue_block, plate))"
    assert response.specification.version == 2
    refused = rig.correct(first, "florble")
    assert refused.status.code == Status.NOT_UNDERSTOOD


def test_without_a_scene_it_says_so(graph) -> None:
    rig = Rig(graph, scene_wait_s=0.1)
    status = rig.interpret(DEMO).status
    assert status.code == Status.STALE
    assert "perception" in status.hint


def test_an_old_scene_is_not_used(graph) -> None:
    rig = Rig(graph, scene_wait_s=0.3, scene_fresh_s=0.1)
    rig.show()
    assert rig.scenes.wait_for_all_acked()
    deadline = time.monotonic() + 10.0
    while rig.interpret(DEMO).status.code != Status.STALE:
        assert time.monotonic() < deadline, "the scene of long ago is still used"


def test_an_unknown_model_is_a_configuration_error(graph) -> None:
    with pytest.raises(SaySoError) as caught:
        graph.add(InterpreterNode, llm="oracle")
    assert caught.value.code is Code.CONFIG
    assert "openai" in caught.value.choices
