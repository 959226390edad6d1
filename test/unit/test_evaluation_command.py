"""`sayso eval` with models: recorded, replayed, resumed, and refused before anything is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sayso.adapters.vision.finder_options import finder_settings
from sayso.cli import main, parser
from support.chat_server import Answer, ChatServer
from support.model_replies import reading, thing

TEXTS = {"a": "Kindly present yourself at the bed.", "b": "Might the mug end up on the sofa?"}
READ = reading("F(near(k1))", thing("k1", "bed"))
PLAIN = json.dumps({"formula": "F(bed)", "problem": ""})
BED = json.dumps({"formula": "F(near(bed))", "assumptions": [], "problem": ""})
MUG = json.dumps(
    {"formula": "F(holding(mug) & F(placed(mug, sofa)))", "assumptions": [], "problem": ""}
)
STEPS = [
    {"action": "pick", "thing": "mug_1", "target": ""},
    {"action": "place", "thing": "mug_1", "target": "sofa_1"},
]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    instructions, gold = tmp_path / "instructions.json", tmp_path / "gold.jsonl"
    numbered = list(enumerate(TEXTS.values(), start=1))
    instructions.write_text(json.dumps([{"set": "CT", "n": n, "text": t} for n, t in numbered]))
    formulas = ("F(near(bed))", "F(holding(mug) & F(placed(mug, sofa)))")
    lines = ({"set": "CT", "n": n, "formula": f} for n, f in enumerate(formulas, start=1))
    gold.write_text("\n".join(map(json.dumps, lines)))
    return [str(instructions), "--gold", str(gold)]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def judged(folder: Path) -> list[tuple[Any, ...]]:
    return [(r["case"], r["success"], r["code"], r["measures"]["formula"]) for r in rows(folder)]


def model_options(server: ChatServer) -> list[str]:
    return ["--llm", "openai", "--base-url", server.base_url, "--model", "test-model"]


def test_the_model_is_asked_for_what_controlled_english_does_not_cover(
    files: Sequence[str], tmp_path: Path
) -> None:
    """As people use it; and each reply is paid for once, whatever is run again."""
    strange = "I would fancy you somewhere near the bed."
    instructions = Path(files[0])
    entries = json.loads(instructions.read_text())
    entries[0]["text"], entries[1]["text"] = "Go to the bed.", strange
    instructions.write_text(json.dumps(entries))
    first, again = tmp_path / "first", tmp_path / "again"
    asked = ["eval", "limp-language", *files, "--price", "2", "10"]
    with ChatServer([READ]) as server:
        access = [*model_options(server), "--record", str(tmp_path / "tape.jsonl")]
        for out in (first, again):
            assert main([*asked, *access, "--out", str(out)]) == 0
        assert len(server.requests) == 1
        assert strange in server.requests[0]["messages"][1]["content"]
    assert {r["backend"] for r in rows(first)} == {"controlled English, then test-model"}
    one, other = rows(first)
    assert "calls" not in one["measures"]
    assert other["measures"]["calls"] == 1
    paid = [other["measures"][f"paid {n} tokens"] for n in ("prompt", "completion")]
    assert f"Cost: {(2 * paid[0] + 10 * paid[1]) / 1e6:.4f}" in (first / "report.md").read_text()
    assert "Cost: 0.0000" in (again / "report.md").read_text()
    assert f"| used | 1 | {paid[0]} | {paid[1]} |" in (again / "report.md").read_text()


def test_a_run_stops_early_when_the_server_is_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs.csv").write_text(
        "pattern_type,utterance,ltl_formula\n" + "visit,I would fancy place a,F a\n" * 9
    )
    with ChatServer([Answer("out of order", 500)]) as server:
        out = ["--out", str(tmp_path / "run"), "--attempts", "1", "--only-model"]
        asked = ["eval", "lang2ltl", str(tmp_path / "pairs.csv"), *out, *model_options(server)]
        assert main(asked) == 1
        assert len(server.requests) == 5
    said = " ".join(capsys.readouterr().out.split())
    assert "MODEL_UNAVAILABLE: stopped, with 4 cases left" in said
    assert "out of order" in said
    assert [r["code"] for r in rows(tmp_path / "run")] == ["MODEL_UNAVAILABLE"] * 5
    assert (tmp_path / "run" / "report.md").exists()


def test_a_model_is_recorded_and_replayed(files: Sequence[str], tmp_path: Path) -> None:
    tape = str(tmp_path / "tape.jsonl")
    command = ["eval", "limp-language", *files, "--only-model", "--stages", "2", "--out"]
    with ChatServer([PLAIN, BED, PLAIN, MUG]) as server:
        recorded = [*command, str(tmp_path / "live"), *model_options(server), "--record", tape]
        assert main(recorded) == 0
        assert len(server.requests) == 4
        assert main(recorded) == 0
        assert len(server.requests) == 4
    first = rows(tmp_path / "live")[0]
    assert (first["backend"], first["success"]) == ("test-model", True)
    assert first["revision"] == "two_stage_ltl.v1 two_stage_skills.v3"
    assert first["commit"]
    replay = ["--llm", "replay", "--model", "test-model", "--cassette", tape]
    assert main([*command, str(tmp_path / "again"), *replay]) == 0
    assert judged(tmp_path / "again") == judged(tmp_path / "live")
    assert [r["success"] for r in rows(tmp_path / "again")] == [True, True]


def test_a_dead_server_leaves_cases_for_the_next_run(
    files: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run"), "--only-model"]
    command = ["eval", "limp-language", *files, *out]
    replay = ["--llm", "replay", "--model", "test-model", "--cassette"]
    (tmp_path / "empty.jsonl").touch()
    assert main([*command, *replay, str(tmp_path / "empty.jsonl")]) == 1
    assert "2 cases broke off" in capsys.readouterr().out
    mug = (thing("k1", "mug"), thing("k2", "sofa"))
    carried = reading("F(holding(k1) & F(placed(k1, k2)))", *mug)
    with ChatServer([READ, carried]) as server:
        assert main([*command, *model_options(server)]) == 0
    assert [r["code"] for r in rows(tmp_path / "run")] == ["MODEL_UNAVAILABLE"] * 2 + ["OK"] * 2


def test_the_installed_command_spreads_over_processes(files: Sequence[str], tmp_path: Path) -> None:
    """The worker processes read the command's own file again, and must not run it."""
    command = Path(__file__).parents[2] / "tools" / "sayso"
    options = [*files, "--workers", "2", "--out", str(tmp_path / "run")]
    words = [sys.executable, str(command), "eval", "limp-language", *options]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    assert len(rows(tmp_path / "run")) == len(TEXTS)


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs `sayso eval` with words that it refuses before it makes its folder; what it says."""

    def run(*words: str) -> str:
        out = tmp_path / "run"
        assert main(["eval", *words, "--out", str(out)]) == 1
        assert not out.exists()
        return capsys.readouterr().out.replace("\n", " ")

    return run


@pytest.mark.parametrize("planner", ["steps", "code"])
def test_the_baselines_are_judged_by_the_gold_formulas(
    files: Sequence[str], tmp_path: Path, planner: str
) -> None:
    answers = {
        "steps": json.dumps({"steps": STEPS, "problem": ""}),
        "code": json.dumps({"code": "pick('mug_1')\nplace('mug_1', 'sofa_1')", "problem": ""}),
    }
    nothing = {
        "steps": json.dumps({"steps": [], "problem": "No."}),
        "code": json.dumps({"code": "", "problem": "No."}),
    }
    with ChatServer([nothing[planner], answers[planner]]) as server:
        out = ["--out", str(tmp_path / "run"), "--planner", planner, *model_options(server)]
        assert main(["eval", "limp-baselines", *files, *out]) == 0
        assert "mug_1: the mug" in server.requests[1]["messages"][1]["content"]
    found = rows(tmp_path / "run")
    assert [(r["success"], r["code"]) for r in found] == [(False, "NO_PLAN"), (True, "OK")]
    assert found[1]["detail"] == "pick mug_1; place mug_1 sofa_1"
    assert "upper bounds" in (tmp_path / "run" / "report.md").read_text()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--record", "tape.jsonl"], "nothing to record"),
        (["--llm", "replay", "--record", "tape.jsonl"], "nothing to record"),
        (["--cassette", "tape.jsonl"], "needs --llm replay"),
        (["--llm", "replay"], "--llm replay needs --cassette. Next: add --cassette FILE"),
        (["--llm", "replay", "--cassette", "none.jsonl"], "does not exist"),
        (["--llm", "replay", "--cassette", "none.jsonl"], "--llm openai --model NAME --record"),
        (["--llm", "openai"], "--llm openai needs --model. Next: add --model NAME"),
        (["--llm", "openai", "--record", "t.jsonl"], "needs --model. Next: add --model NAME"),
        (
            ["--stages", "2", "--examples-file", "no.csv", "--llm", "openai", "--model", "m"],
            "name another file",
        ),
        (["--llm", "gpt"], "no llm 'gpt'"),
        (["--address", "auto"], "option of --pool ray"),
        (["--workers", "0"], "at least 1"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_run(
    files: Sequence[str], refused: Callable[..., str], wrong: list[str], says: str
) -> None:
    assert says in refused("limp-language", *files, *wrong)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--misses", "0.1"], "add --perception camera"),
        (["--false-positives", "0.1"], "add --perception camera"),
        (["--sets", "CT", "XX"], "there is no set 'XX'. Valid: CT"),
        (["--perception", "camera", "--detector", "x"], "'simulator' has no use for 'detector'"),
        (["--perception", "camera", "--misses", "2"], "the rates of a simulator's errors are 0 to"),
        pytest.param(
            ["--perception", "camera", "--finder", "owlvit_sam", "--detector", "x"],
            "sayso[vision]",
            marks=pytest.mark.skipif(find_spec("transformers") is not None, reason="is installed"),
        ),
    ],
)
def test_what_cannot_find_things_is_refused_before_anything_is_run(
    files: Sequence[str], refused: Callable[..., str], wrong: list[str], says: str
) -> None:
    assert says in refused("limp", *files, *wrong)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"set": "CT", "n": 1, "formula": "F(flying(sofa))"}', "line 2, .*'flying'. Valid: near,"),
        ('{"set": "CT", "n": 1, "formula": "F(near(a, b))"}', "line 2, .*takes 1 arguments"),
        ('{"set": "CT", "formula": "F(near(bed))"}', "line 2, .*'n' is missing. Next: mend"),
        ('{"set": "CT", "n": 1, "formula": "G(", ', "line 2, .* Next: mend the line"),
        ('{"set": "CT", "n": 1, "formula": "true", "code": "X"}', "no code 'X'. Valid: OK"),
    ],
)
def test_a_wrong_gold_formula_is_refused_when_it_is_read(
    files: Sequence[str], capsys: pytest.CaptureFixture[str], line: str, says: str
) -> None:
    gold = Path(files[-1])
    gold.write_text(gold.read_text().splitlines()[0] + "\n" + line)
    assert main(["eval", "limp-language", *files]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("CORRUPT")
    assert re.search(says, said)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["limp-language", "no.json"], "no.json does not exist. Next: name the JSON file"),
        (["limp", "no.json", "--gold", "no.jsonl"], "no.jsonl does not exist. Next: leave --gold"),
        (["lang2ltl", "no.csv"], "no.csv does not exist. Next: name a CSV file with the columns"),
    ],
)
def test_a_missing_file_is_not_called_damaged(
    capsys: pytest.CaptureFixture[str], command: list[str], says: str
) -> None:
    assert main(["eval", *command]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("CONFIG: ")
    assert says in re.sub(r"/\S*/ ?", "", said)


def test_damaged_files_come_with_the_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half.json").write_text('[{"set": "CT", ')
    (tmp_path / "lacks.json").write_text('[{"set": "CT", "n": 1}]')
    (tmp_path / "half.csv").write_text("pattern_type,utterance\nvisit,go\n")
    (tmp_path / "half.jsonl").write_text('{"key": "half')
    tape = ["--llm", "replay", "--cassette", str(tmp_path / "half.jsonl")]
    pair = "pattern_type,utterance,ltl_formula\nvisit,go to a,F a\n"
    (tmp_path / "whole.csv").write_text(pair)
    for command in (
        ["limp-language", str(tmp_path / "half.json")],
        ["limp-language", str(tmp_path / "lacks.json")],
        ["lang2ltl", str(tmp_path / "half.csv")],
        ["lang2ltl", str(tmp_path / "whole.csv"), *tape],
    ):
        assert main(["eval", *command, "--out", str(tmp_path / "run")]) == 1
        said = capsys.readouterr().out.strip()
        assert said.startswith("CORRUPT: ")
        assert "\nNext: " in said


def test_a_finder_gets_what_was_set_and_folders_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owl").mkdir()
    words = ["--detector", "owl", "--segmenter", "hub/sam", "--segmenter-revision", "abc"]
    options = parser().parse_args(["eval", "limp", "x", *words, "--inventions", "0.1"])
    assert finder_settings(options) == {
        "detector": str(tmp_path / "owl"),
        "segmenter": "hub/sam",
        "segmenter_revision": "abc",
        "false_rate": 0.1,
    }


def test_the_baselines_need_a_model(
    files: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "limp-baselines", *files]) == 1
    assert "needs a language model" in capsys.readouterr().out


def test_the_lifted_data_with_a_model(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("pattern_type,props,utterance,ltl_formula\nvisit,['a'],reach a,F a\n")
    desk = json.dumps({"formula": "F(near(desk))", "assumptions": [], "problem": ""})
    with ChatServer([PLAIN, desk]) as server:
        options = ["--out", str(tmp_path / "run"), "--examples", "random", *model_options(server)]
        assert main(["eval", "lang2ltl", str(data), *options]) == 0
    assert [r["success"] for r in rows(tmp_path / "run")] == [True]
