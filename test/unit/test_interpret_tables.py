"""A run's figures beside the paper's."""

from __future__ import annotations

from sayso.evaluation.cases import Row
from sayso.evaluation.interpret import paper
from sayso.evaluation.interpret.curves import at, curves_svg, curves_text
from sayso.evaluation.interpret.episodes import Deed, Episode
from sayso.evaluation.interpret.options import DOMAINS
from sayso.evaluation.interpret.record import Record, changes, record_of, result_of
from sayso.evaluation.interpret.tables import runs_of, tables


def episode(reached: bool) -> Episode:
    return Episode(reached, (Deed("pick_up", ("can",), reached),), "", "done")


def record(share: float) -> Record:
    done = {f"task {n}": episode(n < 10 * share) for n in range(10)}
    return Record(
        {s: result_of(done, done) for s in paper.SETS},
        feedback={"GOAL": 10, "INFEASIBLE": 6, "FEASIBLE": 50, "REACHED": 9, "ANSWER": 1},
        steps=60, transitions=54, reached=9, calls=3,
        seconds={"plan": [0.004, 0.006, 0.02], "write": [0.2]},
        curve=((2, 1, 0), (7, 5, 3), (60, 6, 4)),
        predicates=("clear", "on"), operators=("pick_up_1",), mistakes={"vague": 2},
        agreements={"clear": {"household": 1.0, "learned": share}, "thin": {"no priors": 0.5}},
    )  # fmt: skip


def row(case: str, text: str) -> Row:
    domain = case.split()[0]
    return Row("interpret", case, domain, True, "OK", {"record": text}, "", 0, 1.0)


ROWS = [row("store 0", record(1.0).to_json()), row("store 1", record(0.8).to_json())]


def test_a_record_survives_its_row() -> None:
    again = record_of(ROWS[1])
    assert again is not None
    assert again.tested == record(0.8).tested
    assert again.explained == 17
    assert record_of(Row("interpret", "cook 0", "cook", False, "UNKNOWN", {}, "", 0, 1.0)) is None


def test_the_tables_hold_own_figures_and_the_papers() -> None:
    text = tables(runs_of(ROWS), "this run", varied=False, transfer="")
    own = "| StoreObjects | combined | 0.90 ± 0.14 | 0.90 ± 0.14 | 1.00 ± 0.00 | 0.00 ± 0.00 |"
    assert own in text
    assert "Average over combined sets: this run 0.90, InterPreT (paper) 0.73." in text
    assert "| plan | 6 | 6 ms | 4 ms | 20 ms | 99 ms / 75 ms / 130 ms |" in text
    assert "| 3 / 3 | 22 / 31 / 23 | 54 / 54 | 54 / 75 / 90 | 17 / 17 | 17 / 26 / 18 |" in text
    assert "- task 9: done [pick_up(can)]" in text
    assert "Table III" not in text


def test_what_was_given_stands_beside_what_was_learned() -> None:
    text = tables(runs_of(ROWS), "this run", varied=False, transfer="")
    assert "| predicate | 0 labels: household | 0 labels: no priors | learned |" in text
    assert "| clear | 1.00 | - | 0.90 |" in text
    assert "| thin | - | 0.50 | - |" in text


def test_transfer_and_varied_words_have_tables_of_their_own() -> None:
    rows = [row("table 0", record(1.0).to_json())]
    text = tables(runs_of(rows), "this run", varied=True, transfer="store")
    assert "| combined | 1.00 ± 0.00 | 1.00 ± 0.00 | 0.37 ± 0.45 |" in text
    assert "no_obj_on_top" in text


def test_curves_as_text_and_picture() -> None:
    curve = record(1.0).curve
    assert [at(curve, s, 1) for s in (1, 2, 6, 7, 99)] == [0, 1, 1, 5, 6]
    assert "| StoreObjects 0 | 1 + 0 | 5 + 3 | 5 + 3 | 5 + 3 | - | - | 6 + 4 (60) |" in (
        curves_text(runs_of(ROWS))
    )
    assert curves_svg(runs_of(ROWS)).count("<path") == 1 + 4


def test_a_curve_keeps_its_changes_and_its_end() -> None:
    points = [(1, 1, 0), (2, 1, 0), (3, 2, 0), (4, 2, 1), (5, 2, 1)]
    assert changes(points) == ((1, 1, 0), (3, 2, 0), (4, 2, 1), (5, 2, 1))


def test_the_papers_figures_are_complete() -> None:
    assert all(set(by_domain) == set(DOMAINS) for by_domain in paper.SUCCESS.values())
    combined = [f[3][0] for f in paper.SUCCESS["IM + Object"].values()]
    assert combined == [0.0, 0.0, 0.0]
