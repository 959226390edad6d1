"""Instructions for a flat by a model behind real HTTP that answers late, badly or not at all."""

from __future__ import annotations

import json

import pytest

from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.language.embeddings import RandomExamples, bundled_path, read_examples
from sayso.logic.text import to_text
from sayso.mission.understanding import TaskInterpreter
from sayso.reporting.events import Understanding
from support.chat_server import Answer, ChatServer

FLAT = load(builtin_path("flat"))
SAID = "I fancy you over by the cold box with the milk, the fridge I mean."
FRIDGE = SceneObject("fridge", "fridge", "", (3.0, 0.0, 0.9), (0.6, 0.6, 1.8))
EXAMPLES = RandomExamples(read_examples(bundled_path()), count=3)


def reply(formula: str, problem: str = "") -> str:
    return json.dumps({"formula": formula, "problem": problem})


def states(formula: str) -> str:
    return json.dumps({"formula": formula, "assumptions": [], "problem": ""})


FIRST, SECOND = reply("F(fridge)"), states("F(near(fridge))")


def understand(server: ChatServer, timeout_s: float = 20.0) -> Understanding:
    model = OpenAIChat("test-model", server.base_url, timeout_s=timeout_s, wait=lambda _: None)
    scene = Scene(1.0, (FRIDGE,), frame="map")
    return TaskInterpreter(FLAT, lambda _: scene, model, EXAMPLES).interpret(SAID)


def failure(*answers: Answer | str, timeout_s: float = 20.0) -> SaySoError:
    with ChatServer(answers) as server, pytest.raises(SaySoError) as caught:
        understand(server, timeout_s)
    return caught.value


def test_a_late_answer_is_as_good() -> None:
    with ChatServer([Answer(FIRST, delay_s=0.05), Answer(SECOND, delay_s=0.05)]) as server:
        understanding = understand(server)
    assert to_text(understanding.specification.formula) == "F(near(fridge))"
    assert understanding.specification.specification.source == "test-model"


UNUSABLE = [
    ("not json at all", "not JSON"),
    ('{"formula": "F(fridge)"', "not JSON"),
    (Answer('{"formula": "F(fri', finish_reason="length"), "cut"),
    ('{"formula": "F(fridge)", "problem": "", "confidence": 1}', "schema"),
    (Answer(""), "empty"),
]
SYNTAX = "F(fridge &)", "'&'|expected|')'"
UNUSABLE_FIRST = [
    *UNUSABLE,
    (reply(SYNTAX[0]), SYNTAX[1]),
    (reply("F(near(fridge))"), "use plain names"),
]
UNUSABLE_SECOND = [
    *UNUSABLE,
    (states(SYNTAX[0]), SYNTAX[1]),
    (states("F(teleported(fridge))"), "no predicate 'teleported'"),
    (states("F(near(fridge, stove))"), "near takes 1 arguments, got 2"),
    (states("F(near(fridge::isbetween(stove)))"), "isbetween takes 2 descriptions, got 1"),
    (states("F(near(fridge::isbeside(stove)))"), "no comparator 'isbeside'"),
]


@pytest.mark.parametrize(("bad", "says"), UNUSABLE_FIRST)
def test_an_unusable_first_stage_is_named(bad: Answer | str, says: str) -> None:
    error = failure(bad)
    assert error.code is Code.MODEL_REPLY
    assert error.message.startswith("translating the order and the conditions: ")
    assert any(s in error.message for s in says.split("|"))
    assert "Without the model: " in error.hint


@pytest.mark.parametrize(("bad", "says"), UNUSABLE_SECOND)
def test_an_unusable_second_stage_is_named(bad: Answer | str, says: str) -> None:
    error = failure(FIRST, bad)
    assert error.code is Code.MODEL_REPLY
    assert error.message.startswith("translating the states and things: ")
    assert any(s in error.message for s in says.split("|"))


@pytest.mark.parametrize(("bad", "says"), UNUSABLE_SECOND)
def test_one_repair_round_is_given(bad: Answer | str, says: str) -> None:
    with ChatServer([FIRST, bad, SECOND]) as server:
        understanding = understand(server)
        repair = server.requests[2]["messages"][-1]["content"]
    assert to_text(understanding.specification.formula) == "F(near(fridge))"
    assert any(s in repair for s in says.split("|"))


@pytest.mark.parametrize("before", [(), (FIRST,)])
def test_no_answer_in_time_is_a_timeout_of_that_stage(before: tuple[str, ...]) -> None:
    error = failure(*before, Answer(silent=True), timeout_s=1.5)
    stage = "the states and things" if before else "the order and the conditions"
    assert error.code is Code.MODEL_TIMEOUT
    assert error.message.startswith(f"translating {stage}: ")


def test_a_broken_connection_is_told() -> None:
    error = failure(FIRST, Answer(drop=True))
    assert error.code is Code.MODEL_UNAVAILABLE
    assert error.message.startswith("translating the states and things: ")


def test_a_thing_that_is_not_there_is_a_question_not_a_failure() -> None:
    with ChatServer([FIRST, states("F(near(refrigerated_throne))")]) as server:
        understanding = understand(server)
    assert understanding.trouble is not None
    assert understanding.trouble.code is Code.UNKNOWN_OBJECT
    assert "You did not say 'refrigerated' and 'throne'" in understanding.english
