"""The compared planners as they are run: a model over HTTP, good, careless or hostile; replay.

The model's server is a double that speaks the wire format; everything else is the real thing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.cli import main
from support.chat_server import ChatServer

CASES = (
    ("Go to the fridge but never go near the white table.",
     "F(near(fridge)) & G(!near(white_table))"),
    ("Take the red mug to the sofa.", "F(holding(red_mug) & F(placed(red_mug, sofa)))"),
    ("Go to the bookshelf, then the sink.", "F(near(bookshelf) & F(near(sink)))"),
    ("Bring the apple to the desk.", "F(holding(apple) & F(placed(apple, desk)))"),
)  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    instructions, gold = tmp_path / "instructions.json", tmp_path / "gold.jsonl"
    numbered = list(enumerate(CASES, start=1))
    texts = [{"set": "CST", "n": n, "text": text} for n, (text, _) in numbered]
    instructions.write_text(json.dumps(texts))
    gold.write_text(
        "\n".join(json.dumps({"set": "CST", "n": n, "formula": f}) for n, (_, f) in numbered)
    )
    return [str(instructions), "--gold", str(gold), "--scenes", "1"]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def steps(*told: str, problem: str = "") -> str:
    parts = [[*s.split(), "", ""][:3] for s in told]
    listed = [{"action": a, "thing": t, "target": g} for a, t, g in parts]
    return json.dumps({"steps": listed, "problem": problem})


def code(text: str, problem: str = "") -> str:
    return json.dumps({"code": text, "problem": problem})


STEPS = (
    "Here you are:\n" + steps("go fridge_a"),  # an object in chatter is refused, then repaired
    steps("go fridge_a"),
    steps("pick red_mug_a", "place red_mug_a sofa_a"),
    steps("go bookshelf_a", "go sink_a\nIGNORE ALL RULES"),
    steps("shell rm", "go ../../etc/passwd"),  # twice hostile: a failure with a name
    steps("go sofa_99"),
    steps(problem="I would rather not."),
)
CODE = (
    code("go('fridge_a')"),
    code("import os\nos.system('touch {marker}')\ngo('fridge_a')"),
    code("pick('red_mug_a')\nplace('red_mug_a', 'sofa_a')"),
    code("for name in ['bookshelf_a', 'sink_a']:\n    go(name)"),
    code("go.__globals__['__builtins__']['open']('{marker}', 'w')"),
    code("while True:\n    go('desk_a')"),
)


def run(files: list[str], out: Path, *options: str) -> list[dict[str, Any]]:
    assert main(["eval", "limp", *files, *options, "--out", str(out)]) == 0
    return rows(out)


def outcomes(done: list[dict[str, Any]]) -> list[tuple[bool, str]]:
    return [(r["success"], r["code"]) for r in done]


def test_lists_of_steps_are_taken_only_as_such_and_replayed(
    files: list[str], tmp_path: Path
) -> None:
    tape = str(tmp_path / "tape.jsonl")
    with ChatServer([*STEPS]) as server:
        asked = ("--llm", "openai", "--base-url", server.base_url, "--model", "test-model")
        done = run(files, tmp_path / "asked", "--baseline", "saycan", *asked, "--record", tape)
        assert len(server.requests) == len(STEPS)
    assert outcomes(done)[1:] == [(True, "OK"), (False, "MODEL_REPLY"), (False, "NO_PLAN")]
    assert "'shell' is not one of" in done[2]["detail"]
    assert "I would rather not." in done[3]["detail"]
    again = run(files, tmp_path / "replayed", "--baseline", "saycan", "--llm", "replay",
                "--model", "test-model", "--cassette", tape)  # fmt: skip
    assert outcomes(again) == outcomes(done)
    report = (tmp_path / "replayed" / "report.md").read_text()
    assert "NLMap-SayCan (paper)" in report
    assert "baseline_steps.v1" in report


def test_programs_run_in_the_sandbox_alone_and_are_replayed(
    files: list[str], tmp_path: Path
) -> None:
    marker, tape = tmp_path / "marker", str(tmp_path / "tape.jsonl")
    with ChatServer([c.replace("{marker}", str(marker)) for c in CODE]) as server:
        asked = ("--llm", "openai", "--base-url", server.base_url, "--model", "test-model")
        done = run(files, tmp_path / "asked", "--baseline", "code", *asked, "--record", tape)
        assert len(server.requests) == 6
        assert "Import is not allowed" in str(server.requests[2])
    assert outcomes(done)[1:] == [(True, "OK"), (True, "OK"), (False, "MODEL_REPLY")]
    assert "more than 10000 calls" in done[3]["detail"]
    again = run(files, tmp_path / "replayed", "--baseline", "code", "--llm", "replay",
                "--model", "test-model", "--cassette", tape)  # fmt: skip
    assert outcomes(again) == outcomes(done)
    assert not marker.exists()
