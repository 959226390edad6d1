"""The prompts exactly as a model sees them: a change of any word must be a new version."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sayso.adapters.fakes.llm import ScriptedModel
from sayso.core.library import builtin_path, load
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt

_FILE = Path(__file__).with_name("prompts_interpret_v1.txt")
_RELEASED = {
    ("interpret", 1): "1a6cfa903ff8e1c7",
    ("baseline_code", 1): "3f42d9694ef9e1fe",
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


def test_released_prompts_do_not_change() -> None:
    for (name, version), digest in _RELEASED.items():
        template = Prompt.load(name, version).template
        assert hashlib.sha256(template.encode()).hexdigest()[:16] == digest
