"""Things' categories in planning: what is of the wrong type is neither tried nor let pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Plan, PlanStep
from sayso.logic.text import parse
from sayso.planning.achieving import Situation, achieve
from sayso.planning.grounding import candidate_actions
from sayso.planning.pddl_types import TypeTree
from sayso.planning.plan_library import KeptPlan, PlanLibrary
from sayso.planning.problem import RETRIEVED
from sayso.planning.retrieval import RetrievalPlanner
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.planning_cases import library, parse_literal, tabletop

NAMES = {"item_1": "drawer", "item_2": "block", "item_3": "shelf", "item_4": "gizmo"}


def test_operators_are_grounded_with_things_of_their_types() -> None:
    """A shelf cannot be carried, a gizmo may be anything; names say nothing."""
    case = tabletop("F(open(item_1))")
    case = replace(case, objects=tuple(NAMES), categories=NAMES, initial=frozenset())
    pick, open_drawer = (case.domain.operator(n) for n in ("place_on_table", "open_drawer"))
    assert case.choices(pick) == (("item_2", "item_4"),)
    assert case.choices(open_drawer) == (("item_1", "item_4"),)
    tried = {c.args for c in candidate_actions(case) if c.operator is pick}
    assert tried == {("item_2",), ("item_4",)}
    assert replace(case, categories={}).choices(pick) == (tuple(NAMES),), "untyped"


def test_a_plan_about_things_of_the_wrong_type_is_refused() -> None:
    case = replace(tabletop("F(!on_table(mug))"), categories={"mug": "door"})
    action = library().domain().operator("pick_from_table").ground("mug", objects=case.objects)
    with pytest.raises(SaySoError) as caught:
        validate(Plan((PlanStep(action),), cost=action.cost), case)
    assert caught.value.code is Code.PLAN_INVALID
    assert "which mug (door) is not" in caught.value.message


def test_what_a_repair_puts_in_is_of_the_right_types() -> None:
    case = tabletop("F(holding(mug))")
    wanted = [parse_literal("holding(mug)")]
    assert achieve(wanted, Situation.of(case), case)
    case = replace(case, categories={**case.categories, "mug": "door"})
    assert achieve(wanted, Situation.of(case), case) is None


def test_a_kept_plan_is_done_with_another_thing_of_the_same_category(tmp_path: Path) -> None:
    """What is taken is a cup like then, whatever it is called; a plate called so is none."""
    words, formula = "Take something.", "F(!gripper_empty())"
    steps = (parse_literal("pick_from_table(beaker)").atom,)
    kept = KeptPlan(words, parse(formula, grounded=True), steps, {"beaker": "cup"})
    PlanLibrary(tmp_path).keep(kept)
    assert PlanLibrary(tmp_path).plans() == (kept,)
    facts = [f"{p}({o})" for o in ("thing_7", "new_beaker")
             for p in ("on_table", "clear", "graspable", "movable")]  # fmt: skip
    case = tabletop(formula, *facts, words=words)
    case = replace(
        case,
        objects=(*case.objects, "thing_7", "new_beaker"),
        categories={**case.categories, "thing_7": "cup", "new_beaker": "plate"},
    )
    plan = RetrievalPlanner(SearchPlanner(), tmp_path, CharacterNgrams()).solve(case)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["pick_from_table(thing_7)"]
    assert plan.planner == RETRIEVED


def test_plans_that_were_kept_without_categories_are_read_still(tmp_path: Path) -> None:
    formula, step = "F(open(drawer))", "open_drawer(drawer)"
    old = {"words": "Open the drawer.", "formula": formula, "steps": [step]}
    (tmp_path / "plan.json").write_text(json.dumps(old))
    (plan,) = PlanLibrary(tmp_path).plans()
    assert plan.categories == {} and plan.steps == (parse_literal(step).atom,)


MEMBERS = st.dictionaries(
    st.sampled_from("abcdef"), st.frozensets(st.integers(0, 5).map(str)), max_size=6
)


@given(MEMBERS)
def test_types_of_pddl_form_a_tree_that_says_of_all_things_what_they_are(members) -> None:
    tree = TypeTree.of(members)
    for name, parent in tree.parents.items():
        assert parent is None or members[name] <= members[parent]
    for thing in map(str, range(6)):
        above, at = set(), tree.type_of(thing)
        while at is not None:
            above.add(at)
            at = tree.parents[at]
        assert above == {t for t in tree.parents if thing in members[t]}
    left_out = members.keys() - tree.parents
    for name in left_out:
        assert any(
            members[name] & members[t] and not members[name] <= members[t] for t in tree.parents
        ), "what fits is in the tree"
