"""Replies that a capable language model gave to the prompts, recorded on 2026-11-28: each is still
read as what was meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import Reply
from sayso.evaluation.halp.deciding import ByProgram
from sayso.evaluation.halp.decision_tasks import bundled, read, wrong
from sayso.evaluation.halp.decisions import variants_of
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, checked
from sayso.language.one_stage import OneStage
from sayso.language.two_stage import TwoStage
from sayso.learning.behaviours.pieces import Heard
from sayso.learning.feedback import Action
from sayso.learning.model.coder import CODE_PROMPT
from sayso.learning.model.reader import GoalTranslator, ModelReader
from sayso.learning.model.wordings import ModelWordings
from sayso.learning.predicate_code import compile_learned
from sayso.logic.text import to_text
from sayso.mission.model_repair import AskModel
from sayso.mission.word_planner import ask_for_steps
from support.broken_plans import shut_drawer
from support.scripted_model import ScriptedModel

_LINES = (Path(__file__).parents[1] / "data" / "model_replies.jsonl").read_text().splitlines()
_SAID: list[dict[str, Any]] = list(map(json.loads, _LINES))
_LEXICONS = {
    "table": Lexicon.of(load(builtin_path())),
    "flat": Lexicon.of(load(builtin_path("flat"))),
}


def replies_to(*prompts: str) -> list[dict[str, Any]]:
    found = [e for e in _SAID if e["prompt"] in prompts]
    assert found
    return found


@pytest.mark.parametrize("entry", replies_to("interpret"), ids=lambda e: e["says"][:30])
def test_instructions(entry: dict[str, Any]) -> None:
    one = OneStage(ScriptedModel([entry["reply"]]), _LEXICONS[entry["world"]])
    if entry["means"]:
        assert to_text(one.translate(entry["says"]).formula) == entry["means"]
        return
    with pytest.raises(SaySoError) as caught:
        one.translate(entry["says"])
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert "yours" in caught.value.message


def test_a_correction() -> None:
    (entry,) = replies_to("correction")
    both = Interpreter(_LEXICONS[entry["world"]], ScriptedModel([entry["reply"]]))
    said = both.interpret(entry["says"])
    assert to_text(both.correct(said, entry["corrects"]).formula) == entry["means"]


@pytest.mark.parametrize("entry", replies_to("two_stage"), ids=lambda e: e["says"][:30])
def test_instructions_in_two_stages(entry: dict[str, Any]) -> None:
    model = ScriptedModel(entry["replies"])
    stages = TwoStage(model, _LEXICONS[entry["world"]], lambda _: ()).translate(entry["says"])
    assert to_text(stages.specification.formula) == entry["means"]


@pytest.mark.parametrize("entry", replies_to("program"), ids=lambda e: e["task"])
def test_programs(entry: dict[str, Any]) -> None:
    tasks = variants_of((*read(bundled("paper")), *read(bundled("deployed"))))
    task = tasks[entry["task"]]
    assert wrong(task, ByProgram(ScriptedModel(entry["replies"])).decide(task)) == ""


@pytest.mark.parametrize("entry", replies_to("whole_plan", "next_step"), ids=lambda e: e["prompt"])
def test_plans(entry: dict[str, Any]) -> None:
    whole = entry["prompt"] == "whole_plan"
    system = {"actions": "- walk to THING", "count": "3", "example": "walk", "corrections": ""}
    said, _ = ask_for_steps(ScriptedModel([entry["reply"]]), system, {"task": "x"}, whole=whole)
    assert list(said) == entry["steps"]


def test_a_repair() -> None:
    (entry,) = replies_to("repair")
    asking = AskModel(ScriptedModel([entry["reply"]]), "Put the red block in the drawer.")
    steps = asking.propose(shut_drawer()).steps
    assert [str(s.action) for s in steps] == entry["steps"]


def test_what_people_say_to_a_learner() -> None:
    (goal,) = replies_to("learning_goal")
    told = ModelReader(ScriptedModel([goal["reply"]])).read(goal["says"], goal["objects"])
    assert list(map(str, told.literals)) == ["on(orange_box, orange_shelf)"]
    (refused,) = replies_to("learning_infeasible")
    name, _, rest = refused["action"].partition("(")
    action = Action(name, tuple(rest.rstrip(")").split(", ")))
    told = ModelReader(ScriptedModel([refused["reply"]])).read(
        refused["says"], refused["objects"], action=action
    )
    assert list(map(str, told.preconditions)) == ["holding(orange_box)"]


def test_a_predicate_s_text() -> None:
    (entry,) = replies_to("learning_code")
    data = checked(Reply(entry["reply"]), Prompt.load(*CODE_PROMPT).schema).data
    assert data is not None
    assert compile_learned(entry["name"], data["code"], entry["arity"])


def test_what_is_said_of_play() -> None:
    (entry,) = replies_to("play_wordings")
    heard = [Heard(w, tuple(types), (), (), ()) for w, types in entry["wordings"]]
    meant = ModelWordings(ScriptedModel([entry["reply"]]))(heard)
    said = {
        w: (m.spoken.concept.name, m.spoken.positive, m.about, m.spoken.source)
        for w, m in meant.items()
    }
    assert len(said) == len(heard)
    assert said["{0} back home"] == ("open", False, (0,), "")
    assert said["perch {0} on {1}"] == ("on", True, (0, 1), "")
    assert said["relieve {0} of {1}"] == ("lifted", True, (1,), "{1}")


def test_goals_over_known_predicates() -> None:
    (entry,) = replies_to("learning_translate")
    translator = GoalTranslator(ScriptedModel([entry["reply"]]))
    told = translator.read(entry["says"], entry["objects"], known=_LEXICONS["table"])
    assert list(map(str, told.literals)) == ["on(blue_box, blue_coaster)"]
