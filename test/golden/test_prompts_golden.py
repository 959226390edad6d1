"""The prompts exactly as a model sees them: a change of any word must be a new version."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sayso.adapters.fakes.llm import ScriptedModel
from sayso.core.library import builtin_path, load
from sayso.language.embeddings import Example
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt
from sayso.language.two_stage import TwoStage

_FILE = Path(__file__).with_name("prompts_interpret_v1.txt")
_TWO_STAGES = Path(__file__).with_name("prompts_two_stage_v1.txt")
TOY = "F(holding(toy::isnextto(bed)))"
_RELEASED = {
    ("interpret", 1): "1a6cfa903ff8e1c7",
    ("baseline_code", 1): "3f42d9694ef9e1fe",
    ("baseline_monologue", 1): "e93d203a099753ed",
    ("baseline_policy", 1): "67250a46622368da",
    ("baseline_steps", 1): "f5381ad769810309",
    ("two_stage_correction", 1): "9d99b9fff4124047",
    ("two_stage_ltl", 1): "dc1a46257a0f2227",
    ("two_stage_skills", 1): "99a46aac795d0194",
}


def test_the_whole_conversation() -> None:
    model = ScriptedModel(['{"formula": "F(in(red_block, bowl))", "problem": ""}'])
    lexicon = Lexicon.of(load(builtin_path()))
    Interpreter(lexicon, model).interpret(
        "Tidy the red block into the bowl.", ["red_block", "bowl"]
    )
    shown = "\n".join(f"[{m.role}]\n{m.content}" for m in model.asked[0])
    assert shown == _FILE.read_text()


def test_the_whole_conversation_in_two_stages_and_a_correction() -> None:
    replies = [f'{{"formula": "{f}", "problem": ""}}' for f in ("F(toy)", TOY, TOY)]
    model = ScriptedModel(replies)
    stages = TwoStage(model, Lexicon.of(load(builtin_path("flat"))), _example)
    first = stages.translate("Have the toy by the bed in your hand.")
    asked = "'the toy' could be any of 2 things."
    stages.corrected(first.specification, "referents", "what lies by the bed", asked)
    shown = "\n".join(f"[{m.role}]\n{m.content}" for turn in model.asked for m in turn)
    assert shown + "\n" == _TWO_STAGES.read_text()


def _example(_: str) -> tuple[Example, ...]:
    return (Example("visit the blue room", "F(blue_room)"),)


def test_released_prompts_do_not_change() -> None:
    for (name, version), digest in _RELEASED.items():
        template = Prompt.load(name, version).template
        assert hashlib.sha256(template.encode()).hexdigest()[:16] == digest
