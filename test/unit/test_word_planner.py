"""Plans that begin with words: those kept from before, and those that a model says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.adapters import registry
from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.symbols import Plan
from sayso.logic.text import parse
from sayso.mission.plan_keeping import PlanKeeper
from sayso.mission.word_planner import MOST_REFUSED, NextAction, WholePlan
from sayso.pipeline import Outcome, perform
from sayso.planning.plan_library import KeptPlan, PlanLibrary, roles
from sayso.planning.problem import PlanningProblem
from sayso.planning.retrieval import RETRIEVED, RetrievalPlanner
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from sayso.reporting.report import RunReport
from sayso.worlds.kinematic_table import KinematicTable
from support.planning_cases import tabletop
from support.scripted_model import ScriptedModel

PUT_RED = KeptPlan(
    "Put the red block in the drawer.",
    parse("F(in(red_block, drawer))", grounded=True),
    tuple(
        parse_literal(s).atom
        for s in (
            "pick_from_table(mug)",
            "place_on_table(mug)",
            "open_drawer(drawer)",
            "pick_from_table(red_block)",
            "place_in(red_block, drawer)",
        )
    ),
)


def retrieving(folder: Path, *plans: KeptPlan) -> RetrievalPlanner:
    for plan in plans:
        PlanLibrary(folder).keep(plan)
    return RetrievalPlanner(SearchPlanner(), folder, CharacterNgrams())


def steps(plan: Plan) -> list[str]:
    return [str(a) for a in plan.actions]


def test_a_plan_is_done_again_with_other_things_in_its_parts(tmp_path: Path) -> None:
    case = tabletop("F(in(green_block, drawer))", words="Put the green block in the drawer.")
    plan = retrieving(tmp_path, PUT_RED).solve(case)
    validate(plan, case)
    assert steps(plan) == [
        "open_drawer(drawer)",
        "pick_from_table(green_block)",
        "place_in(green_block, drawer)",
    ], "what nothing came of is left out"
    assert plan.from_words and plan.planner == RETRIEVED
    assert all(s.why for s in plan.steps)


@pytest.mark.parametrize(
    ("formula", "changes", "expected"),
    [
        (  # it lies elsewhere, and the drawer is open already
            "F(in(green_block, drawer))",
            ("open(drawer)", "not closed(drawer)", "in(green_block, bowl)",
             "not on_table(green_block)"),
            ["pick_out(green_block, bowl)", "place_in(green_block, drawer)"],
        ),
        (  # more is wanted than then
            "F(in(green_block, drawer)) & F(closed(drawer) & in(green_block, drawer))",
            (),
            ["open_drawer(drawer)", "pick_from_table(green_block)",
             "place_in(green_block, drawer)", "close_drawer(drawer)"],
        ),
        (  # it was done before
            "F(in(green_block, drawer))",
            ("open(drawer)", "not closed(drawer)", "holding(green_block)",
             "not on_table(green_block)", "not gripper_empty()"),
            ["place_in(green_block, drawer)"],
        ),
    ],
)  # fmt: skip
def test_a_plan_is_fitted_to_how_things_are(
    formula: str, changes: tuple[str, ...], expected: list[str], tmp_path: Path
) -> None:
    case = tabletop(formula, *changes, words="Put the green block in the drawer.")
    plan = retrieving(tmp_path, PUT_RED).solve(case)
    validate(plan, case)
    assert (steps(plan), plan.planner) == (expected, RETRIEVED)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("F(open(drawer))", "Put the red block in the drawer."),  # another meaning
        ("F(in(red_block, drawer))", "Xylophone!"),  # other words
        ("F(in(red_block, drawer))", ""),
        ("F(in(red_block, drawer)) & G(!open(drawer))", "Put the red block in the drawer."),
    ],
)
def test_a_plan_for_something_else_is_not_taken(formula: str, words: str, tmp_path: Path) -> None:
    case = tabletop(formula, words=words)
    try:
        plan = retrieving(tmp_path, PUT_RED).solve(case)
    except SaySoError as error:
        assert error.code is Code.NO_PLAN and "!open" in formula
    else:
        validate(plan, case)
        assert plan.planner == "search"


def test_parts_are_matched_by_what_they_are_about() -> None:
    both = parse("F(in(red_block, bowl)) & F(in(green_block, drawer))", grounded=True)
    wanted = parse("F(in(blue_block, drawer)) & F(in(red_block, bowl))", grounded=True)
    (best, *_) = roles(KeptPlan("", both, ()), wanted)
    assert best == {
        "red_block": "red_block", "bowl": "bowl", "green_block": "blue_block", "drawer": "drawer",
    }  # fmt: skip
    stacked = parse("F(on(red_block, red_block))", grounded=True)
    apart = parse("F(on(red_block, blue_block))", grounded=True)
    assert not list(roles(KeptPlan("", stacked, ()), apart))


@pytest.mark.parametrize("text", ["{", "[]", '{"words": "a", "formula": "F(", "steps": []}', "\0"])
def test_a_file_that_holds_no_plan_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(SaySoError) as raised:
        retrieving(tmp_path).solve(tabletop("F(open(drawer))", words="Open the drawer."))
    assert raised.value.code is Code.CORRUPT
    assert "plan.json" in raised.value.message and raised.value.hint


def test_steps_of_an_operator_that_is_no_more_are_left_out(tmp_path: Path) -> None:
    odd = (parse_literal("juggle(red_block)").atom, parse_literal("open_drawer()").atom)
    kept = KeptPlan(PUT_RED.words, PUT_RED.formula, (*odd, *PUT_RED.steps))
    case = tabletop("F(in(red_block, drawer))", words=PUT_RED.words)
    assert len(retrieving(tmp_path, kept).solve(case).steps) == 3


def told(table: KinematicTable, words: str, folder: Path) -> tuple[Outcome, list[str]]:
    """A task whose plan is kept; who made its plans."""
    report, keeper = RunReport(), PlanKeeper(PlanLibrary(folder), table.scene.categories)

    def listen(event):
        report.add(event)
        keeper.listen(event)

    outcome = perform(words, table, listen)
    return outcome, [p["planner"] for p in report.as_data()["plans"]]


def test_what_was_done_is_kept_and_done_again(tmp_path: Path) -> None:
    """The second time the thing is another, and the drawer is shut while it is carried."""
    outcome, planners = told(KinematicTable(), "Put the red block in the drawer.", tmp_path)
    assert outcome.succeeded and planners == ["search"]
    (file,) = tmp_path.glob("*.json")
    kept = json.loads(file.read_text())
    assert kept["words"] == "Put the red block in the drawer."
    assert kept["steps"][-1] == "place_in(red_block, drawer)"

    planner = RetrievalPlanner(SearchPlanner(), tmp_path, CharacterNgrams())
    table = KinematicTable(planner=planner)
    outcome, planners = told(table, "Put the green block in the drawer.", tmp_path)
    assert outcome.succeeded and planners == [RETRIEVED]
    assert len(list(tmp_path.glob("*.json"))) == 2
    told(KinematicTable(), "Put the red block in the drawer.", tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 2, "the same plan is kept once"


def test_a_task_ends_well_though_its_plan_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome, _ = told(KinematicTable(), "Open the drawer.", tmp_path / "file" / "plans")
    assert outcome.succeeded


def said(*steps: str) -> str:
    return json.dumps({"steps": list(steps)})


def asking(model: ScriptedModel, kind: type[NextAction] = NextAction, **more: object) -> NextAction:
    return kind(SearchPlanner(), model, CharacterNgrams(), **more)  # type: ignore[arg-type]


def in_drawer(*changes: str, rule: str = "") -> PlanningProblem:
    return tabletop(
        f"F(in(red_block, drawer)){rule}", *changes, words="Put the red block in the drawer."
    )


def test_the_next_action_is_asked_for_until_nothing_is_left() -> None:
    model = ScriptedModel(
        [
            said("open drawer"),
            said("put red block in drawer"),
            said("pick red block up from table"),
            said("put red block in the drawer"),
            said(),
        ]
    )
    case = in_drawer()
    plan = asking(model).solve(case)
    validate(plan, case)
    assert steps(plan) == [
        "open_drawer(drawer)", "pick_from_table(red_block)", "place_in(red_block, drawer)",
    ]  # fmt: skip
    assert plan.from_words
    cause = "I cannot put the red block in the drawer because the robot does not hold"
    assert cause in model.asked[2][-1].content, "what cannot be done is told with its cause"
    assert cause not in model.asked[3][-1].content


def test_what_the_words_forgot_is_bridged() -> None:
    words = said("pick up the red block from the table", "put the red block in the drawer", "done")
    case = in_drawer()
    plan = asking(ScriptedModel([words]), WholePlan).solve(case)
    validate(plan, case)
    assert "open_drawer(drawer)" in steps(plan)
    assert plan.from_words


@pytest.mark.parametrize(
    "replies",
    [
        [said()],
        [said("dance a waltz")] * MOST_REFUSED,
        [said("put the mug on the plate")] * MOST_REFUSED,
        [said("pick up the red block from the table"), said()],
    ],
)
def test_where_nothing_comes_of_the_words_a_plan_is_searched(replies: list[str]) -> None:
    case = in_drawer()
    plan = asking(ScriptedModel(replies)).solve(case)
    validate(plan, case)


def test_a_plan_that_is_forbidden_is_not_made() -> None:
    words = said("pick up the mug from the table", "put the mug on the table")
    case = in_drawer(rule=" & G(!holding(mug))")
    plan = asking(ScriptedModel([words]), WholePlan).solve(case)
    validate(plan, case)
    assert "pick_from_table(mug)" not in steps(plan)


def test_prose_is_a_named_error() -> None:
    with pytest.raises(SaySoError) as raised:
        asking(ScriptedModel(["I would open it.", "As I said."])).solve(in_drawer())
    assert raised.value.code is Code.MODEL_REPLY


def test_a_kept_plan_is_the_model_s_example(tmp_path: Path) -> None:
    PlanLibrary(tmp_path).keep(PUT_RED)
    model = ScriptedModel([said()])
    asking(model, plans=tmp_path).solve(in_drawer())
    shown = model.asked[0][-1].content
    assert "<<<DATA another task\nPut the red block in the drawer.\npick up the mug" in shown


@pytest.mark.parametrize(
    "name", ["retrieved[search]", "next_action[search]", "whole_plan[search]", "program[search]"]
)
def test_they_are_planners_by_name(name: str, tmp_path: Path) -> None:
    known = {"plans": tmp_path, "embedder": CharacterNgrams(), "model": ScriptedModel([])}
    given = {k: v for k, v in known.items() if k in registry.options("planner", name)}
    plan = registry.create("planner", name, **given).solve(tabletop("F(open(drawer))"))
    assert steps(plan) == ["open_drawer(drawer)"]
