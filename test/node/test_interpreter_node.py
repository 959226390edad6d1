"""Words in, grounded specifications out, errors that point at the words."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sayso_ros.msg import Scene, Specification, Status
from sayso_ros.srv import Correct, Interpret, LookFor
from std_msgs.msg import String

from sayso.core import scene as core
from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.conversions import scene_to_msg
from sayso.ros.messages.specifications import understanding_from_msg
from sayso.ros.nodes.interpreter_node import InterpreterNode, Requests
from support import model_replies
from support.chat_server import Answer, ChatServer

DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)
EDGE = 0.045
MOST_TIMES = 100


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

    def corrected_until(
        self, specification: Specification, words: str, code: int
    ) -> Correct.Response:
        """The response once the scene that was shown has arrived."""
        for _ in range(MOST_TIMES):
            response = self.correct(specification, words)
            if response.status.code == code:
                break
        assert response.status.code == code
        return response


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


def test_what_is_asked_about_words_waits_for_an_answer_whatever_is_seen_meanwhile(rig) -> None:
    asked = rig.interpret("Put the red block on the plate, singing is banned.")
    told = asked.specification
    assert asked.status.code == Status.NOT_UNDERSTOOD
    assert (told.asked, told.limiting, told.not_understood) == (True, True, ["singing is banned"])
    assert told.grounded_formula == ""
    rig.show(*TABLE, replace(thing("red_block", 0.2, 0.3), name="other"))
    still = rig.correct(told, "not the plate, the blue block")
    assert still.status.code == Status.NOT_UNDERSTOOD
    assert (still.specification.asked, still.specification.grounded_formula) == (True, "")
    unclear = rig.corrected_until(told, "it does not matter", Status.AMBIGUOUS)
    assert (unclear.specification.asked, unclear.specification.grounded_formula) == (False, "")
    rig.show()
    answered = rig.corrected_until(told, "it does not matter", Status.OK)
    assert answered.specification.grounded_formula == "F(on(red_block, plate))"
    assert answered.specification.assumptions == ["'singing is banned' asks for nothing"]


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


# -- in a flat -----------------------------------------------------------------------------

FLAT = (
    core.SceneObject("red_sofa", "sofa", "red", (1.0, 4.0, 0.4), (0.6, 0.6, 0.8)),
    core.SceneObject("grey_sofa", "sofa", "grey", (5.0, 4.0, 0.4), (0.6, 0.6, 0.8)),
    core.SceneObject("fridge", "fridge", "", (5.8, 4.4, 0.9), (0.6, 0.6, 1.8)),
)


class FlatRig(Rig):
    """An interpreter that asks for what it wants to be found."""

    def __init__(self, graph, **parameters) -> None:
        self.looked: list[list[str]] = []
        super().__init__(graph, library="flat", look_for=True, **parameters)
        graph.tester.create_service(LookFor, "/look_for", self._look)

    def _look(self, request: LookFor.Request, response: LookFor.Response) -> LookFor.Response:
        self.looked.append(list(request.nouns))
        found = tuple(o for o in FLAT if o.category in request.nouns)
        response.scene = scene_to_msg(core.Scene(1.0, found, frame="map"), "test")
        return response


def test_a_flat_is_searched_for_what_is_named_and_a_question_answered(graph) -> None:
    rig = FlatRig(graph)
    asked = rig.interpret("Go to the sofa, then go to the fridge.")
    assert rig.looked == [[], ["fridge", "sofa"]]
    assert asked.status.code == Status.AMBIGUOUS
    assert set(asked.status.choices) == {"red_sofa", "grey_sofa"}
    assert asked.specification.grounded_formula == ""
    told = rig.correct(asked.specification, "the one next to the fridge")
    assert told.status.code == Status.OK
    assert told.specification.grounded_formula == "F(near(grey_sofa) & F(near(fridge)))"
    assert list(told.specification.corrections) == ["the one next to the fridge"]
    assert told.specification.structure[0].startswith("Go on until the robot is near the sofa")
    other = rig.correct(told.specification, "no, the other sofa")
    assert other.specification.grounded_formula == "F(near(red_sofa) & F(near(fridge)))"
    assert other.specification.version == 3


def test_a_model_reads_what_controlled_english_does_not(graph) -> None:
    said = "I have a craving for something cold, roll over there."
    assumed = ["Something cold is in the fridge."]
    fridge = model_replies.thing("k1", "fridge")
    read = model_replies.reading("F(near(k1))", fridge, assumptions=assumed)
    with ChatServer([read]) as server:
        told = FlatRig(graph, llm="openai", model="m", base_url=server.base_url).interpret(said)
    assert told.specification.grounded_formula == "F(near(fridge))"
    assert "Taken for granted: Something cold is in the fridge." in told.specification.english
    assert "You did not say 'fridge'" in told.specification.english
    assert server.requests[0]["max_tokens"] == 4000


def test_while_a_model_thinks_others_are_answered_and_it_can_be_given_up(graph) -> None:
    strange = "I have a craving for something cold, roll over there."
    asked = threading.Event()
    with ChatServer([Answer(silent=True)]) as server, ThreadPoolExecutor(1) as pool:
        server.on_request = asked.set
        rig = FlatRig(graph, llm="openai", model="m", base_url=server.base_url)
        given_up = graph.publisher(String, "interpret/cancel")
        waiting = pool.submit(rig.interpret, strange)
        assert asked.wait(20.0)
        first = rig.interpret("Go to the red sofa.")
        assert first.status.code == Status.OK
        corrected = rig.correct(first.specification, "no, the grey sofa")
        assert corrected.status.code == Status.OK
        given_up.publish(String(data="something else"))
        assert rig.interpret("Go to the fridge.").status.code == Status.OK
        assert not waiting.done()
        given_up.publish(String(data=strange))
        assert waiting.result(20.0).status.code == Status.CANCELLED


def test_too_many_requests_at_once_are_refused() -> None:
    requests = Requests(1)
    with requests.of("one") as given_up:
        with pytest.raises(SaySoError) as caught, requests.of("two"):
            pass
        assert caught.value.code is Code.BUSY
        requests.give_up()
        assert given_up()
    with requests.of("two") as given_up:
        assert not given_up()


def test_in_a_flat_a_model_may_translate_in_two_stages(graph) -> None:
    replies = [
        '{"formula": "F(fridge)", "problem": ""}',
        '{"formula": "F(near(fridge))", "assumptions": [], "problem": ""}',
    ]
    with ChatServer(replies) as server:
        asking = {"llm": "openai", "model": "m", "base_url": server.base_url}
        rig = FlatRig(graph, **asking, stages=2, example_count=3)
        told = rig.interpret("I have a craving for something cold, roll over there.")
    assert told.specification.grounded_formula == "F(near(fridge))"
    systems = [r["messages"][0]["content"].split(".")[0] for r in server.requests]
    assert systems == [
        "SaySo prompt two_stage_ltl, version 1",
        "SaySo prompt two_stage_skills, version 3",
    ]
    assert "You did not say 'fridge'" in told.specification.english


def test_without_the_search_it_says_what_is_missing(graph, monkeypatch) -> None:
    monkeypatch.setattr("sayso.ros.runtime.calls.APPEAR_TIMEOUT_S", 0.1)
    rig = Rig(graph, library="flat", look_for=True)
    status = rig.interpret("Go to the sofa.").status
    assert status.code == Status.NODE_UNAVAILABLE
    assert "look_for" in status.message
