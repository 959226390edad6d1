"""Runs that are written at once, resumed, refused and reported."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.adapters.worker_pools.local import LocalPool
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.cases import Origin, Row, SuiteSpec, case_seed
from sayso.evaluation.report import markdown, success_table, wilson
from sayso.evaluation.runner import run
from support.evaluation_suites import counting

ORIGIN = Origin(seed=7, commit="abc", backend="scripted", revision="r1")
LOCAL = LocalPool()


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def test_every_case_has_a_row_with_its_origin(tmp_path: Path) -> None:
    rows = run(counting(), ORIGIN, tmp_path, LOCAL)
    assert [r.case for r in rows] == [f"case {i}" for i in range(6)]
    assert [r.success for r in rows] == [True, False, True, False, False, True]
    assert [r.code for r in rows] == ["OK", "OK", "OK", "NO_PLAN", "UNKNOWN", "OK"]
    assert "ZeroDivisionError" in rows[4].detail
    assert {(r.seed, r.commit, r.backend, r.revision) for r in rows} == {
        (7, "abc", "scripted", "r1")
    }
    assert rows[0].measures["seed"] == case_seed(7, "case 0")
    assert [Row.from_json(json.dumps(line)) for line in lines(tmp_path)] == list(rows)


def test_finished_rows_are_not_run_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    run(counting(), ORIGIN, tmp_path, LOCAL)
    whole = (tmp_path / "rows.jsonl").read_text().splitlines(keepends=True)
    # The run was killed while it wrote the fifth row.
    (tmp_path / "rows.jsonl").write_text("".join(whole[:4]) + whole[4][:20])
    told: list[tuple[int, int]] = []
    rows = run(counting(notes=str(notes)), ORIGIN, tmp_path, LOCAL, lambda *done: told.append(done))
    assert [n.rsplit(" ", 1)[0] for n in notes.read_text().splitlines()] == ["case 4", "case 5"]
    assert len(rows) == len(lines(tmp_path)) == 6
    assert told == [(4, 6), (5, 6), (6, 6)]


def test_rows_that_only_a_dead_server_explains_are_run_again(tmp_path: Path) -> None:
    rows = run(counting(down=True, broken=False), ORIGIN, tmp_path, LOCAL)
    assert rows[5].code == "MODEL_UNAVAILABLE"
    rows = run(counting(down=False, broken=False), ORIGIN, tmp_path, LOCAL)
    assert rows[5].code == "OK"
    assert len(lines(tmp_path)) == 7


def test_rows_of_a_program_that_broke_are_run_again(tmp_path: Path) -> None:
    assert run(counting(broken=True), ORIGIN, tmp_path, LOCAL)[4].code == "UNKNOWN"
    assert run(counting(broken=False), ORIGIN, tmp_path, LOCAL)[4].code == "OK"
    assert len(lines(tmp_path)) == 7


@pytest.mark.parametrize(
    ("spec", "origin", "part"),
    [
        (counting(count=5), ORIGIN, "options"),
        (counting(), Origin(seed=8, backend="scripted", revision="r1"), "seed"),
        (counting(), Origin(seed=7, backend="openai", revision="r1"), "backend"),
    ],
)
def test_another_run_needs_another_folder(
    tmp_path: Path, spec: SuiteSpec, origin: Origin, part: str
) -> None:
    run(counting(), ORIGIN, tmp_path, LOCAL)
    before = (tmp_path / "rows.jsonl").read_text()
    with pytest.raises(SaySoError) as caught:
        run(spec, origin, tmp_path, LOCAL)
    assert caught.value.code is Code.CONFIG
    assert part in caught.value.message
    assert (tmp_path / "rows.jsonl").read_text() == before


def test_another_commit_may_go_on_and_the_report_tells_both(tmp_path: Path) -> None:
    run(counting(down=True), ORIGIN, tmp_path, LOCAL)
    run(counting(), Origin(7, "def", "scripted", "r1"), tmp_path, LOCAL)
    assert "commit: abc, def" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("line", ["{}", "[]", "nonsense", '{"case": 1}'])
def test_unreadable_rows_are_named(tmp_path: Path, line: str) -> None:
    run(counting(), ORIGIN, tmp_path, LOCAL)
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(SaySoError) as caught:
        run(counting(), ORIGIN, tmp_path, LOCAL)
    assert caught.value.code is Code.CORRUPT
    assert "line 7" in caught.value.message


def test_bad_folders_and_suites_are_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(SaySoError) as caught:
        run(counting(), ORIGIN, tmp_path, LOCAL)
    assert caught.value.code is Code.CORRUPT
    with pytest.raises(SaySoError) as caught:
        run(SuiteSpec("t", "support.evaluation_suites:Twice"), ORIGIN, tmp_path / "t", LOCAL)
    assert "'same'" in caught.value.message
    with pytest.raises(SaySoError) as caught:
        run(counting(unknown=1), ORIGIN, tmp_path / "u", LOCAL)
    assert caught.value.code is Code.CONFIG


def test_the_report_has_groups_intervals_measures_and_failures(tmp_path: Path) -> None:
    run(counting(), ORIGIN, tmp_path, LOCAL)
    report = (tmp_path / "report.md").read_text()
    assert "| even | 3 | 2 | 66.7 % | 20.8 to 93.9 % |" in report
    assert "| all together | 6 | 3 | 50.0 % |" in report
    assert "| wrong result | 1 | case 1 |" in report
    assert "| NO_PLAN | 1 | case 3 |" in report
    assert "backend: scripted" in report
    assert report.endswith("Counted 6.\n")
    assert "note" not in report
    assert markdown((), counting()).startswith("# counting")


def test_one_group_is_not_told_twice() -> None:
    row = Row("s", "c|d", "g", True, "OK", {}, "", 0, 0.5)
    assert "all together" not in success_table([row])


def test_wilson_against_published_values() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    for successes, total, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605),
                                        (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)):  # fmt: skip
        assert wilson(successes, total) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 500), st.data())
def test_an_interval_holds_its_proportion(total: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, total))
    low, high = wilson(successes, total)
    assert 0 <= low <= successes / total + 1e-12
    assert successes / total <= high + 1e-12 <= 1 + 1e-9
    mirrored = wilson(total - successes, total)
    assert math.isclose(low, 1 - mirrored[1], abs_tol=1e-9)
