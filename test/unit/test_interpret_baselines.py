"""The planners that learning is compared with: what they are told, and how they are held to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.interpret.baselines import Monologue, WrittenPolicy
from sayso.evaluation.interpret.episodes import Deed
from sayso.worlds.kitchen2d.true import true_library
from support.scripted_model import ScriptedModel
from support.stacked_kitchen import WORDS, kitchen

SKILLS = {"pick_up": 1, "place_first_on_second": 2, "place_on_table": 1}


def chosen(action: str, *things: str) -> str:
    return json.dumps({"thought": "so", "action": action, "things": things})


def program(code: str, problem: str = "") -> str:
    return json.dumps({"code": code, "problem": problem})


def monologue(*replies: str, **options: Any) -> tuple[Monologue, ScriptedModel]:
    model = ScriptedModel(list(replies))
    policy = Monologue(model, SKILLS, **options)
    policy.start(WORDS, kitchen())
    return policy, model


def test_a_monologue_is_told_what_is_seen_and_done() -> None:
    policy, model = monologue(chosen("pick_up", "red_can"), chosen("done"))
    assert policy.next(kitchen(), []) == ("pick_up", ("red_can",))
    assert policy.next(kitchen(), [Deed("pick_up", ("red_can",))]) is None
    system, user = model.asked[1]
    assert system.content.startswith("SaySo prompt baseline_monologue, version 1.")
    assert "- place_first_on_second a b: put a, which is held, on b." in system.content
    assert WORDS in user.content and '"category": "can"' in user.content
    assert "pick_up(red_can): done" in user.content and "holds" not in user.content


def test_with_a_library_it_is_told_what_holds() -> None:
    policy, model = monologue(chosen("done"), library=true_library("store"))
    policy.next(kitchen(box_on_can=True), [])
    assert "the blue box is on the red can" in model.asked[0][1].content


def test_what_operators_forbid_is_remarked_and_chosen_anew() -> None:
    policy, model = monologue(
        chosen("pick_up", "red_can"), chosen("pick_up", "blue_box"),
        library=true_library("store"), preconditions=True,
    )  # fmt: skip
    assert policy.next(kitchen(box_on_can=True), []) == ("pick_up", ("blue_box",))
    remark = "pick_up red_can cannot be done: it needs that nothing is on the red can."
    assert remark in model.asked[1][1].content


def test_who_insists_on_what_cannot_be_done_is_stopped() -> None:
    policy, _ = monologue(
        *[chosen("pick_up", "red_can")] * 5, library=true_library("store"), preconditions=True
    )
    with pytest.raises(SaySoError) as caught:
        policy.next(kitchen(box_on_can=True), [])
    assert caught.value.code is Code.NO_PLAN


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (chosen("fly", "red_can"), "no action 'fly'"),
        (chosen("pick_up", "moon"), "no 'moon'"),
        (chosen("pick_up"), "takes 1"),
        (chosen("place_first_on_second", "red_can", "red_can"), "cannot be both"),
    ],
)
def test_an_impossible_choice_gets_one_repair_round(wrong: str, named: str) -> None:
    policy, model = monologue(wrong, chosen("pick_up", "red_can"))
    assert policy.next(kitchen(), []) == ("pick_up", ("red_can",))
    assert named in model.asked[1][-1].content


GOOD = """
def policy(things, gripper, done):
    if things["red_can"]["position"][2] > table + 1:
        return None
    return None if done else ["pick_up", "red_can"]
"""


def test_a_written_policy_chooses_in_the_sandbox() -> None:
    policy = WrittenPolicy(ScriptedModel([program(GOOD)]), SKILLS)
    policy.start(WORDS, kitchen())
    assert policy.next(kitchen(), []) == ("pick_up", ("red_can",))
    assert policy.next(kitchen(), [Deed("pick_up", ("red_can",))]) is None


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import os\ndef policy(t, g, d): return None", "Import is not allowed"),
        ("def policy(t, g, d): return ['fly']", "no action 'fly'"),
        ("def policy(t, g, d): return 3", "no action"),
        ("def policy(t, g, d): return t['moon']", "KeyError"),
    ],
)
def test_a_wrong_program_gets_one_repair_round(code: str, named: str) -> None:
    model = ScriptedModel([program(code), program(GOOD)])
    WrittenPolicy(model, SKILLS).start(WORDS, kitchen())
    assert named in model.asked[1][-1].content


def test_what_the_model_finds_in_the_way_is_told() -> None:
    with pytest.raises(SaySoError, match="There is no shelf") as caught:
        WrittenPolicy(ScriptedModel([program("", "There is no shelf.")]), SKILLS).start(
            WORDS, kitchen()
        )
    assert caught.value.code is Code.NO_PLAN
