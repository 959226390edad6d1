"""A language model asked for a repair: what it says is checked before it counts."""

from __future__ import annotations

import json

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.mission.model_repair import AskModel
from sayso.mission.repair_chain import RepairChain
from sayso.planning.repair import BrokenPlan
from sayso.planning.repairers import model_free
from sayso.planning.search import SearchPlanner
from sayso.planning.words import Cause
from support.broken_plans import shut_drawer
from support.scripted_model import ScriptedModel

WAY = (
    "place_on_table(red_block)",
    "open_drawer(drawer)",
    "pick_from_table(red_block)",
    "place_in(red_block, drawer)",
)


def says(*steps: str, reason: str = "the drawer is shut.") -> str:
    return json.dumps({"steps": steps, "reason": reason})


def repaired(
    *replies: str | SaySoError, broken: BrokenPlan | None = None
) -> tuple[list[str], list[Code]]:
    """What is to be done, and what became of the model and of those that are asked after it."""
    codes: list[Code] = []
    chain = RepairChain(listen=lambda step: codes.append(step.code))
    model = AskModel(ScriptedModel(replies), "Put the red block in the drawer.")
    then = model_free(SearchPlanner().solve, keep_plan=False)[:1]
    plan = chain.repaired(broken or shut_drawer(), (model, *then))
    return [str(a) for a in plan.actions], codes


def test_what_the_model_says_is_taken_if_it_is_valid():
    assert repaired(says(*WAY)) == ([*WAY], [Code.OK])


@pytest.mark.parametrize(
    "step", ["open_drawer(fridge)", "unlock(drawer)", "open the drawer", "open_drawer()",
             "not open(drawer)"]
)  # fmt: skip
def test_what_names_nothing_that_is_there_is_sent_back_once(step):
    assert repaired(says(step, *WAY), says(*WAY)) == ([*WAY], [Code.OK])
    assert repaired(says(step), says(step))[1] == [Code.MODEL_REPLY, Code.OK]


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        (("First open it.", "As I said."), Code.MODEL_REPLY),
        ((says(reason="I am at a loss."),), Code.NO_PLAN),
        ((says("place_in(red_block, drawer)"),), Code.PLAN_INVALID),
        ((says(*WAY[:2]),), Code.PLAN_INVALID),
        ((SaySoError(Code.MODEL_TIMEOUT, "no answer."),), Code.MODEL_TIMEOUT),
        ((), Code.MODEL_UNAVAILABLE),
    ],
)
def test_after_what_cannot_be_done_the_next_repairer_is_asked(replies, code):
    assert repaired(*replies) == ([*WAY], [code, Code.OK])


def test_what_is_forbidden_is_refused_whoever_proposes_it():
    by_the_bowl = ("place_in(red_block, bowl)", "open_drawer(drawer)", "pick_out(red_block, bowl)")
    proposed = says(*by_the_bowl, WAY[-1])
    assert repaired(proposed)[1] == [Code.OK]
    forbidden = shut_drawer("G(!in(red_block, bowl))")
    assert repaired(proposed, broken=forbidden)[1] == [Code.PLAN_INVALID, Code.OK]


def test_a_model_that_repeats_itself_is_not_followed_for_ever():
    model = AskModel(ScriptedModel([says(*WAY)] * 3), "Put the red block in the drawer.")
    chain = RepairChain(tries=2)
    for _ in range(2):
        chain.repaired(shut_drawer(), [model])
    with pytest.raises(SaySoError, match="the same was done 2 times"):
        chain.repaired(shut_drawer(), [model])


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        (Cause.SUCCESS_ONLY, "\nTask failed.\n"),
        (Cause.IMPLICIT, "\nI cannot put the red block in the drawer.\n"),
        (
            Cause.EXPLICIT,
            "\nI cannot put the red block in the drawer because the hand cannot reach into",
        ),
    ],
)
def test_the_model_is_told_as_much_as_is_wanted_and_what_was_tried(cause, text):
    scripted = ScriptedModel([says(*WAY), says(*WAY)])
    model = AskModel(scripted, "Put the red block in the drawer.", cause)
    for _ in range(2):
        model.propose(shut_drawer())
    first, second = (asked[-1].content for asked in scripted.asked)
    assert text in first and "tried before\nnothing" in first
    assert "tried before\nnothing" not in second and second.count(WAY[1]) == first.count(WAY[1]) + 1
