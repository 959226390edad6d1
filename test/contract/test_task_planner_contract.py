"""What every task planner promises, whichever is behind the port."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from sayso.adapters import registry
from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.planners.portfolio import PortfolioPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Plan
from sayso.core.vocabulary import Kind, Type, Vocabulary
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.retrieval import RetrievalPlanner
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.planning_cases import DEMO, atom, operator, problem, tabletop

SOLVABLE = {
    "demo": (DEMO, 4),
    "done already": ("F(clear(mug))", 0),
    "goal and end": ("F(in(mug, drawer) & closed(drawer))", 4),
    "while it runs": ("F(touching(drawer))", 1),
    "alternatives": ("F(in(plate, bowl)) | F(holding(mug))", 1),
    "next": ("X(holding(mug))", 1),
    "until": ("!holding(mug) U on(red_block, plate) & F(holding(mug))", 3),
    "twice": ("F(open(drawer) & F(!open(drawer) & F(open(drawer))))", 3),
}
IMPOSSIBLE = {
    "no operator": "F(on(red_block, drawer))",
    "two at once": "F(holding(mug) & holding(bowl))",
    "rule in the way": "F(on(red_block, plate)) & G(!touching(red_block))",
    "shown while it runs": "F(open(drawer)) & G(!touching(drawer))",
}


@pytest.fixture(
    params=[
        "search",
        "fast_downward",
        "portfolio",
        "portfolio at once",
        "retrieved[search]",
        "in_the_now[search]",
    ]
)
def planner(request: pytest.FixtureRequest, tmp_path: Path) -> TaskPlanner:
    if request.param == "portfolio at once":
        return PortfolioPlanner(delay_s=0.0)
    if request.param == "retrieved[search]":  # where nothing was kept yet
        inner = SearchPlanner()
        return RetrievalPlanner(inner, tmp_path, CharacterNgrams())
    made: TaskPlanner = registry.create("planner", request.param)
    return made


@pytest.mark.parametrize("name", SOLVABLE)
def test_a_plan_is_valid_and_explained(planner: TaskPlanner, name: str):
    text, least = SOLVABLE[name]
    case = tabletop(text)
    plan = planner.solve(case)
    validate(plan, case)
    assert len(plan.steps) >= least
    assert plan.planner in ("search", "fast_downward")
    assert all(s.why for s in plan.steps)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_the_impossible_is_proven(planner: TaskPlanner, name: str):
    with pytest.raises(SaySoError) as caught:
        planner.solve(tabletop(IMPOSSIBLE[name]))
    assert caught.value.code is Code.NO_PLAN
    assert caught.value.hint


def test_a_trace_is_continued_from_where_it_stands(planner: TaskPlanner):
    start = tabletop(DEMO)
    q = start.task.step(start.task.initial, frozenset())
    case = tabletop(DEMO, states=q)
    validate(planner.solve(case), case)


def test_what_is_to_be_avoided_is_avoided(planner: TaskPlanner):
    near, far = operator("near", add=["there()"]), operator("far", add=["there()"], cost=9.5)
    case = problem([near, far], [], "F(there())", avoid=frozenset({("near", ())}))
    plan = planner.solve(case)
    validate(plan, case)
    assert [a.name for a in plan.actions] == ["far"]
    assert plan.cost == 9.5


def test_an_action_may_be_called_like_a_predicate(planner: TaskPlanner):
    start = tabletop("F(open(drawer))")
    called = tuple(replace(o, name=o.name.removesuffix("_drawer")) for o in start.domain.operators)
    case = replace(start, domain=replace(start.domain, operators=called))
    plan = planner.solve(case)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["open(drawer)"]


def test_operators_are_for_things_of_their_types_and_for_those_that_nobody_knows(
    planner: TaskPlanner,
):
    """A cupboard is no drawer; of a crate, which no word is for, nobody says that it is none."""
    case = stowing(("cupboard", "drawer"))
    plan = planner.solve(case)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["walk()", "put_in(ball, drawer)"]

    case = stowing(("cupboard", "crate"))
    plan = planner.solve(case)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["walk()", "put_in(ball, crate)"]

    with pytest.raises(SaySoError) as caught:
        planner.solve(stowing(("cupboard", "lamp")))
    assert caught.value.code is Code.NO_PLAN


def stowing(kinds: tuple[str, ...]) -> PlanningProblem:
    """A ball is to be stowed in something that is pulled or pushed."""
    walk = operator("walk", [], ["awake()"])
    put = operator("put_in", ["awake()"], ["in(?a, ?b)", "stowed(?a)"], parameters=("?a", "?b"))
    put = replace(put, types=("movable", "pulled|pushed"))
    words = Vocabulary(
        kinds=(
            Kind(("ball",), frozenset({"movable"})),
            Kind(("drawer",), frozenset({"pulled"})),
            Kind(("cupboard", "lamp"), frozenset({"furniture"})),
        ),
        types=tuple(Type(t, "") for t in ("movable", "furniture", "pulled", "pushed")),
    )
    things = ("ball", *kinds)
    return problem(
        [walk, put], [], "F(stowed(ball))", things,
        categories={t: t for t in things}, vocabulary=words,
    )  # fmt: skip


def test_what_is_unknown_is_not_relied_on(planner: TaskPlanner):
    look = operator("look", add=["empty()"])
    reach = operator("reach", ["empty()"], ["there()"])
    blind = operator("blind", ["not full()"], ["there()"])
    unknown = frozenset({atom("empty()"), atom("full()")})
    case = problem([look, reach, blind], [], "F(there())", unknown=unknown)
    plan = planner.solve(case)
    validate(plan, case)
    assert [a.name for a in plan.actions] == ["look", "reach"]


def test_atoms_about_things_outside_the_scene_hold_as_they_are(planner: TaskPlanner):
    wait = operator("wait", add=["waited()"])
    case = problem([wait], ["lit(moon)"], "F(waited() & lit(moon)) & G(!lit(sun))")
    assert [a.name for a in planner.solve(case).actions] == ["wait"]


def test_it_can_be_cancelled(planner: TaskPlanner):
    with pytest.raises(SaySoError) as caught:
        planner.solve(tabletop(DEMO), PlanLimits(cancelled=lambda: True))
    assert caught.value.code is Code.CANCELLED


def test_no_time_is_no_proof(planner: TaskPlanner):
    with pytest.raises(SaySoError) as caught:
        planner.solve(tabletop(DEMO), PlanLimits(0.0))
    assert caught.value.code is Code.PLAN_TIMEOUT


# -- the portfolio's own ------------------------------------------------------------------------


class Stuck:
    """A planner that only ends when it is cancelled."""

    def __init__(self) -> None:
        self.ended = False

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        while not limits.cancelled():
            pass
        self.ended = True
        raise SaySoError(Code.CANCELLED, "planning was cancelled.")


class Refusing:
    """A planner that fails with one code."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.asked = False

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        self.asked = True
        raise SaySoError(self.code, "refused.")


def test_the_second_planner_answers_for_a_stuck_first():
    stuck = Stuck()
    plan = PortfolioPlanner(stuck, SearchPlanner(), delay_s=0.0).solve(tabletop(DEMO))
    assert plan.planner == "search"
    assert stuck.ended


def test_the_second_planner_proves_for_a_stuck_first():
    portfolio = PortfolioPlanner(Stuck(), SearchPlanner(), delay_s=0.0)
    with pytest.raises(SaySoError) as caught:
        portfolio.solve(tabletop(IMPOSSIBLE["two at once"]))
    assert caught.value.code is Code.NO_PLAN


def test_a_stuck_second_planner_is_ended():
    stuck = Stuck()
    PortfolioPlanner(SearchPlanner(), stuck, delay_s=0.0).solve(tabletop(DEMO))
    assert stuck.ended


def linking(count: int) -> PlanningProblem:
    """Blocks of which each can be linked to each other: count * (count - 1) ground actions."""
    names = tuple(f"block_{i}" for i in range(count))
    link = operator("link", ["free(?b)"], ["on(?a, ?b)"], ["free(?b)"], parameters=("?a", "?b"))
    pairs = zip(names[::2], names[1::2], strict=True)
    every = " & ".join(f"on({a}, {b})" for a, b in pairs)
    return problem([link], [f"free({n})" for n in names], f"F({every})", names)


@pytest.mark.parametrize("case", [tabletop(DEMO), linking(20)], ids=["demo", "as a full table"])
def test_problems_of_a_table_never_start_the_second_planner(case: PlanningProblem):
    second = Refusing(Code.UNSUPPORTED)
    PortfolioPlanner(SearchPlanner(), second, delay_s=60.0).solve(case)
    assert not second.asked


class Starved(SearchPlanner):
    """A search that gets no processor for a while."""

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        Event().wait(0.2)
        assert not limits.cancelled()
        return super().solve(problem, limits)


def test_on_a_busy_machine_what_is_easy_never_starts_the_second_planner():
    second = Refusing(Code.UNSUPPORTED)
    PortfolioPlanner(Starved(), second, delay_s=0.15).solve(linking(4))
    assert not second.asked


def test_the_second_planner_goes_first_on_large_problems():
    first, case = Refusing(Code.UNSUPPORTED), linking(40)
    plan = PortfolioPlanner(first, SearchPlanner(), delay_s=60.0).solve(case)
    validate(plan, case)
    assert not first.asked


def test_a_second_planner_that_cannot_help_does_not_end_the_search():
    second = Refusing(Code.MISSING_DEPENDENCY)
    portfolio = PortfolioPlanner(SearchPlanner(), second, delay_s=0.0)
    assert portfolio.solve(tabletop(DEMO)).planner == "search"
    assert second.asked


def test_a_problem_that_only_the_search_supports_is_left_to_it():
    unknown = frozenset({Atom("on", ("red_block", "plate"))})
    case = tabletop("F(on(red_block, plate))", unknown=unknown)
    validate(PortfolioPlanner(delay_s=0.0).solve(case), case)


def test_an_effect_on_every_object_is_one(planner: TaskPlanner):
    sweep = operator("sweep", ["here(?r)"], [], ["dusty(?r, ?x)"], parameters=("?r",))
    first = ["here(hall)", *(f"dusty(hall, {x})" for x in ("shelf", "table"))]
    goal = "F(!dusty(hall, shelf) & !dusty(hall, table)) & G(!(dusty(hall, shelf) & !here(hall)))"
    case = problem([sweep], first, goal, ("hall", "shelf", "table"))
    plan = planner.solve(case)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["sweep(hall)"]
    assert plan.actions[0].delete >= {atom("dusty(hall, shelf)"), atom("dusty(hall, table)")}
