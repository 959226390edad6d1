"""Instructions for a flat that were worded without regard to the grammar: none is misunderstood."""

from __future__ import annotations

from pathlib import Path

from sayso.adapters.llm.none import NoModel
from sayso.evaluation.backends import Stages, interpreter
from sayso.evaluation.limp_language import evaluate_one, read_gold, read_instructions

_DATA = Path(__file__).parents[1] / "data"


def test_rewordings_are_understood_rightly_or_refused() -> None:
    gold = read_gold(_DATA / "flat_rewordings_gold.jsonl")
    instructions = read_instructions(_DATA / "flat_rewordings.json", gold)
    understand = interpreter(NoModel(), Stages())
    rows = [evaluate_one(i, understand) for i in instructions]
    assert len(rows) == 42
    assert [(r.set, r.n) for r in rows if r.formula is not None and not r.right] == []
    assert sum(r.right for r in rows) >= 42
