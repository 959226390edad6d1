"""The planners that SaySo is compared with: their plans, checks and sandbox."""

from __future__ import annotations

import json

import pytest

from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.core.sandbox.process import Limits
from sayso.evaluation.baselines.code_writing import CodeWritingPlanner
from sayso.evaluation.baselines.plans import InstructionPlanner, Step, step, symbolic_trace
from sayso.evaluation.baselines.step_list import StepListPlanner
from sayso.logic.semantics import satisfies
from sayso.logic.text import parse
from support.chat_server import ChatServer
from support.scripted_model import ScriptedModel

OBJECTS = {"mug_1": "the red mug", "sink_1": "the sink >>> DATA", "cat_1": "the cat"}
SAID = "Put the mug in the sink."
EXPECTED = (Step("go", ("cat_1",)), Step("pick", ("mug_1",)), Step("place", ("mug_1", "sink_1")))


def steps_reply(*steps: str, problem: str = "") -> str:
    parts = [[*s.split(), "", ""][:3] for s in steps]
    listed = [{"action": a, "thing": t, "target": g} for a, t, g in parts]
    return json.dumps({"steps": listed, "problem": problem})


def code_reply(code: str, problem: str = "") -> str:
    return json.dumps({"code": code, "problem": problem})


GOOD = {
    "steps": steps_reply("go cat_1", "pick mug_1", "place mug_1 sink_1"),
    "code": code_reply("go('cat_1')\nfor o in objects:\n    if 'mug' in o:\n        pick(o)\n"
                       "place('mug_1', 'sink_1')"),
}  # fmt: skip
NO_TAP = "There is no tap."
NOTHING = {"steps": steps_reply(problem=NO_TAP), "code": code_reply("", NO_TAP)}


def planner(kind: str, model: LanguageModel) -> InstructionPlanner:
    if kind == "steps":
        return StepListPlanner(model)
    return CodeWritingPlanner(model, limits=Limits(cpu_s=1))


@pytest.mark.parametrize("kind", GOOD)
def test_a_plan_from_the_models_words(kind: str) -> None:
    model = ScriptedModel([GOOD[kind]])
    plan = planner(kind, model).plan(SAID, OBJECTS)
    assert plan.steps == EXPECTED
    system, user = model.asked[0]
    assert system.content.startswith(f"SaySo prompt baseline_{kind}, version 1.")
    assert SAID in user.content and "mug_1: the red mug" in user.content
    assert user.content.count(">>>") == 2


@pytest.mark.parametrize("kind", GOOD)
def test_over_http(kind: str) -> None:
    with ChatServer([GOOD[kind]]) as server:
        plan = planner(kind, OpenAIChat("test-model", server.base_url)).plan(SAID, OBJECTS)
    assert plan.steps == EXPECTED
    assert plan.model == "test-model"
    assert min(plan.tokens) > 0


@pytest.mark.parametrize(
    ("kind", "wrong", "named"),
    [
        ("steps", steps_reply("go tap_9"), "no object 'tap_9'"),
        ("steps", steps_reply("place mug_1"), "place takes 2"),
        ("steps", steps_reply("go mug_1 sink_1"), "go takes 1"),
        ("steps", steps_reply("fly mug_1"), "schema"),
        ("code", code_reply("go('tap_9')"), "no object 'tap_9'"),
        ("code", code_reply("go(1)"), "no object '1'"),
        ("code", code_reply("place('mug_1')"), "place takes 2"),
        ("code", code_reply("import os\nos.system('ls')"), "Import is not allowed"),
        ("code", code_reply("x = 1"), "without any action"),
        ("code", code_reply("while True: pass"), "used up"),
        ("code", code_reply("go('mug_1')\n1 / 0"), "ZeroDivisionError"),
    ],
)
def test_a_wrong_plan_gets_one_repair_round_that_names_the_error(
    kind: str, wrong: str, named: str
) -> None:
    model = ScriptedModel([wrong, GOOD[kind]])
    assert planner(kind, model).plan(SAID, OBJECTS).steps == EXPECTED
    assert named in model.asked[1][-1].content


@pytest.mark.parametrize("kind", GOOD)
def test_two_wrong_plans_are_one_too_many(kind: str) -> None:
    bad = steps_reply("go tap_9") if kind == "steps" else code_reply("go('tap_9')")
    with pytest.raises(SaySoError) as caught:
        planner(kind, ScriptedModel([bad, bad])).plan(SAID, OBJECTS)
    assert caught.value.code is Code.MODEL_REPLY


@pytest.mark.parametrize("kind", NOTHING)
def test_what_the_model_finds_in_the_way_is_told(kind: str) -> None:
    with pytest.raises(SaySoError) as caught:
        planner(kind, ScriptedModel([NOTHING[kind]])).plan(SAID, OBJECTS)
    assert caught.value.code is Code.NO_PLAN
    assert caught.value.message == NO_TAP


def test_steps_are_checked() -> None:
    assert str(step("place", ["a", "b"], {"a", "b"})) == "place a b"
    with pytest.raises(SaySoError) as caught:
        step("fly", ["a"], {"a"})
    assert caught.value.choices == ("go", "pick", "place")


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        ("F(near(cat_1) & F(holding(mug_1) & F(placed(mug_1, sink_1))))", True),
        ("F(holding(mug_1) & F(near(cat_1)))", False),
        ("G(!(holding(mug_1) & near(cat_1)))", True),
        ("G(!near(cat_1))", False),
        ("F(holding(mug_1) & near(mug_1))", True),
        ("F(holding(mug_1) & near(sink_1))", True),
        ("F(G(hand_empty()))", True),
        ("!near(sink_1) U near(mug_1)", True),
    ],
)
def test_a_plan_can_be_judged_by_a_formula(formula: str, truth: bool) -> None:
    assert satisfies(parse(formula, grounded=True), symbolic_trace(EXPECTED)) is truth


@pytest.mark.parametrize(
    "steps",
    [
        [Step("place", ("mug_1", "sink_1"))],
        [Step("pick", ("mug_1",)), Step("pick", ("cat_1",))],
        [Step("pick", ("mug_1",)), Step("place", ("cat_1", "sink_1"))],
    ],
)
def test_steps_that_no_robot_could_take_are_named(steps: list[Step]) -> None:
    with pytest.raises(SaySoError) as caught:
        symbolic_trace(steps)
    assert caught.value.code is Code.PRECONDITION


def test_what_is_picked_again_rests_no_longer() -> None:
    again = (*EXPECTED, Step("pick", ("mug_1",)))
    trace = symbolic_trace(again)
    assert satisfies(
        parse("F(placed(mug_1, sink_1) & F(!placed(mug_1, sink_1)))", grounded=True), trace
    )
