"""`sayso eval limp` as it is run: flats, tours, traces, report, resuming, other planners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.adapters import registry
from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.cli import main
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.limp import seeing
from sayso.evaluation.limp.acting import Actor
from sayso.evaluation.limp.judge import judge
from sayso.evaluation.limp.methods import plan_formula
from sayso.evaluation.limp.scenes import nouns_of, stage
from sayso.logic.text import parse
from support.chat_server import ChatServer

TEXTS = (
    "Go to the fridge but never go near the white table.",
    "Take the red mug to the sofa.",
    "Go to the counter and never go near the counter.",
    "Patrol the sink and the bookshelf, never near the tv.",
)
LINES = (
    {"formula": "F(near(fridge)) & G(!near(white_table))"},
    {"formula": "F(holding(red_mug) & F(placed(red_mug, sofa)))"},
    {"formula": "F(near(counter)) & G(!near(counter))", "code": "CONTRADICTION"},
    {"formula": "G(F(near(sink)) & F(near(bookshelf))) & G(!near(tv))"},
)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    instructions, gold = tmp_path / "instructions.json", tmp_path / "gold.jsonl"
    numbered = list(enumerate(zip(TEXTS, LINES, strict=True), start=1))
    entries = [{"set": "CST", "n": n, "text": text} for n, (text, _) in numbered]
    instructions.write_text(json.dumps(entries))
    gold.write_text("\n".join(json.dumps({"set": "CST", "n": n, **g}) for n, (_, g) in numbered))
    return [str(instructions), "--gold", str(gold), "--scenes", "1"]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def test_gold_formulas_are_carried_out_judged_and_reported(
    files: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(["eval", "limp", *files, "--given", "--out", str(out)]) == 0
    done = rows(out)
    assert [r["success"] for r in done] == [True] * 4
    assert [r["measures"].get("violation") for r in done] == [False, False, None, False]
    assert done[1]["measures"]["path length ratio"] == pytest.approx(1.0, abs=0.1)
    assert done[0]["backend"] == "gold formulas given"
    report = (out / "report.md").read_text()
    assert "| this run | 100.0 % |" in report
    assert "LIMP, two stages, similar examples (paper) | 79.0 %" in report
    assert "in 0 of 3 runs" in report


def test_a_stopped_run_goes_on_with_the_same_flats(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["eval", "limp", *files, "--given", "--out", str(out)]
    assert main(command) == 0
    kept = (out / "rows.jsonl").read_text().splitlines()
    (out / "rows.jsonl").write_text("\n".join((kept[0], kept[2], kept[3])) + "\n")
    assert main(command) == 0
    again = rows(out)
    assert len(again) == 4
    way = json.loads(kept[1])["measures"]["way m"]
    assert (again[-1]["case"], again[-1]["measures"]["way m"]) == ("CST 2 scene 1", way)


def test_words_are_measured_and_what_is_not_understood_fails(
    files: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(["eval", "limp", *files, "--out", str(out)]) == 0
    done = rows(out)
    assert done[1]["measures"]["equivalent"] is True
    assert done[1]["success"] is True
    assert "Average word error rates" in (out / "report.md").read_text()


def test_a_ray_cluster_of_two_gives_the_same_rows(files: list[str], tmp_path: Path) -> None:
    try:
        registry.create("worker_pool", "ray", workers=2)
    except SaySoError as error:
        assert error.code is Code.MISSING_DEPENDENCY
        pytest.skip(error.message)
    command = ["eval", "limp", *files, "--given"]
    assert main([*command, "--out", str(tmp_path / "alone")]) == 0
    spread = ["--pool", "ray", "--workers", "2", "--out", str(tmp_path / "spread")]
    assert main([*command, *spread]) == 0
    alone, there = (
        {r["case"]: (r["success"], r["measures"].get("way m")) for r in rows(tmp_path / folder)}
        for folder in ("alone", "spread")
    )
    assert there == alone


def test_a_compared_planner_acts_in_the_same_flats(files: list[str], tmp_path: Path) -> None:
    go = json.dumps({"steps": [{"action": "go", "thing": "fridge_a", "target": ""}], "problem": ""})
    put = [
        {"action": "pick", "thing": "red_mug_a", "target": ""},
        {"action": "place", "thing": "red_mug_a", "target": "sofa_a"},
    ]
    refuse = json.dumps({"steps": [], "problem": "That contradicts itself."})
    replies = [go, json.dumps({"steps": put, "problem": ""}), refuse, refuse]
    out = tmp_path / "out"
    with ChatServer(replies) as server:
        model = ["--llm", "openai", "--base-url", server.base_url, "--model", "test-model"]
        command = ["eval", "limp", *files, "--method", "saycan", *model, "--out", str(out)]
        assert main(command) == 0
        assert "red mug at (" in str(server.requests[1])
    assert [r["success"] for r in rows(out)][1:] == [True, True, False]


@pytest.mark.parametrize(
    "wrong", [["--method", "code"], ["--sets", "NLMD"], ["--scenes", "0"]]
)  # fmt: skip
def test_wrong_options_are_refused(files: list[str], tmp_path: Path, wrong: list[str]) -> None:
    assert main(["eval", "limp", *files, *wrong, "--out", str(tmp_path / "out")]) == 1


def test_a_camera_finds_what_the_instruction_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Map and things from frames, by the simulator's own segmentation."""
    monkeypatch.setattr(seeing, "SPACING_M", 3.0)
    formula = parse("F(near(blue_table)) & G(!near(white_table))")
    flat = stage(formula, 2)
    known = seeing.seen(flat, nouns_of(formula), 0, SimulatorInstances(seed=0))
    names = {o.category for o in known.scene.objects}
    assert names == {"table"}
    assert set(known.truly.values()) <= {o.name for o in flat.objects}
    course = plan_formula("", formula, known)
    actor = Actor(flat, flat.propositions)
    actor.carry_out(course.there)
    assert judge(flat.gold, actor.trace).fulfilled
