"""The in-process planner: plans for whole specifications, and reasons where there is none."""

from __future__ import annotations

from collections import deque

import pytest

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.symbols import Atom, Operator
from sayso.logic.formula import Prop, Referent
from sayso.logic.monitor import prop_atom
from sayso.planning.diagnose import lacking
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.product import ExhaustedError, Product, cheapest, first
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.clocks import ManualClock
from support.planning_cases import DEMO, atom, ground_all, operator, problem, tabletop


def plan_of(case: PlanningProblem) -> list[str]:
    plan = SearchPlanner().solve(case)
    validate(plan, case)
    return [str(a) for a in plan.actions]


def failure_of(case: PlanningProblem, limits: PlanLimits = PlanLimits()) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        SearchPlanner().solve(case, limits)
    return caught.value


def test_the_demo_task_takes_four_steps_in_order():
    assert plan_of(tabletop(DEMO)) == [
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
        "pick_from_table(blue_block)",
        "stack(blue_block, red_block)",
    ]


def test_nothing_to_do_is_an_empty_plan():
    assert plan_of(tabletop("F(on(red_block, plate))", "on(red_block, plate)")) == []


def test_what_covers_a_block_is_cleared_away_first():
    steps = plan_of(
        tabletop(
            "F(on(red_block, plate))",
            "not on_table(mug)",
            "on(mug, red_block)",
            "not clear(red_block)",
        )
    )
    assert steps[0] == "pick_from(mug, red_block)"


def test_a_closed_drawer_is_opened_and_closed_again():
    steps = plan_of(tabletop("F(in(mug, drawer) & closed(drawer))"))
    assert set(steps) == {
        "open_drawer(drawer)",
        "pick_from_table(mug)",
        "place_in(mug, drawer)",
        "close_drawer(drawer)",
    }


def test_what_is_only_seen_while_an_action_runs_counts():
    assert plan_of(tabletop("F(touching(drawer))")) == ["open_drawer(drawer)"]


def test_what_is_only_seen_while_an_action_runs_can_be_forbidden():
    error = failure_of(tabletop("F(open(drawer)) & G(!touching(drawer))"))
    assert error.code is Code.NO_PLAN
    assert "the robot touches the drawer" in error.message


def test_planning_goes_on_from_the_middle_of_the_trace():
    whole = tabletop(DEMO)
    q = whole.task.run([frozenset(), frozenset({Prop("on", ("red_block", "plate"))})])
    rest = tabletop(DEMO, states=q)
    # The red block was on the plate once; the blue one must still come onto the red one.
    assert plan_of(rest) == ["pick_from_table(blue_block)", "stack(blue_block, red_block)"]


def test_the_initial_state_is_the_first_letter_only_at_the_beginning():
    text = "X(on(red_block, plate))"
    # From the start, one letter has been read and the next step must bring it: it takes two.
    assert failure_of(tabletop(text)).code is Code.NO_PLAN
    assert plan_of(tabletop(text, "holding(red_block)", "not gripper_empty()")) == [
        "place_on(red_block, plate)"
    ]


def test_actions_to_avoid_are_not_used():
    avoided = frozenset({("open_drawer", ("drawer",))})
    error = failure_of(tabletop("F(open(drawer))", avoid=avoided))
    assert error.code is Code.NO_PLAN
    assert "open_drawer(drawer) is to be avoided" in error.message


def test_the_cheapest_plan_is_found_even_if_longer():
    quick = operator("quick", add=["done()"], cost=5.0)
    one, two = operator("one", add=["half()"]), operator("two", ["half()"], ["done()"])
    plan = SearchPlanner().solve(problem([quick, one, two], [], "F(done())"))
    assert [a.name for a in plan.actions] == ["one", "two"]
    assert plan.cost == 2.0


def test_the_same_problem_gives_the_same_plan():
    text = "F(in(mug, bowl)) & F(on(green_block, coaster)) & F(on(red_block, plate))"
    assert plan_of(tabletop(text)) == plan_of(tabletop(text))


def test_greedy_search_reaches_what_the_optimal_one_does():
    case = tabletop("F(in(mug, drawer) & closed(drawer) & on(red_block, plate))")
    product = Product.of(case)
    best = cheapest(product, poll=lambda: None)
    found = first(product, poll=lambda: None)
    assert product.cost(found) >= product.cost(best) == 6.0


# -- greedy choice of the next edge of the automaton ------------------------------------------

EITHER = "F((fed() | petted()) & F(bought()))"


def coin_problem() -> PlanningProblem:
    """Feeding is the nearest way to the first part, but spends the coin that the second needs."""
    return problem(
        [
            operator("feed", ["coin()"], ["fed()"], ["coin()"]),
            operator("walk", [], ["near()"]),
            operator("pet", ["near()"], ["petted()"]),
            operator("buy", ["coin()"], ["bought()"], ["coin()"]),
        ],
        ["coin()"],
        EITHER,
    )


def greedy_edges(case: PlanningProblem) -> bool:
    """Take the nearest change of where the task stands again and again; False at a dead end."""
    task = case.task
    actions = ground_all(case.domain.operators, case.objects)

    def read(q: int, state: frozenset[Atom]) -> int:
        letter = (p for p in task.propositions if prop_atom(p) in state)
        return task.step(q, frozenset(letter))

    node = (case.initial, read(task.initial, case.initial))
    while not task.is_done(node[1]):
        queue, seen = deque([node]), {node}
        while queue:
            state, q = queue.popleft()
            if q != node[1] and task.can_go_on(q):
                break
            for action in actions:
                after = action.apply(state)
                reached = (after, read(q, after))
                if action.applicable(state) and reached not in seen:
                    seen.add(reached)
                    queue.append(reached)
        else:
            return False
        node = (state, q)
    return True


def test_a_dead_end_of_greedy_edge_by_edge_planning_is_avoided():
    assert not greedy_edges(coin_problem())
    assert plan_of(coin_problem()) == ["walk()", "pet()", "buy()"]


# -- what is not known -------------------------------------------------------------------------


def test_an_action_that_needs_something_unknown_is_not_used():
    error = failure_of(
        tabletop("F(holding(mug))", "not clear(mug)", unknown=frozenset({atom("clear(mug)")}))
    )
    assert error.code is Code.NO_PLAN
    assert "the mug has room on top" in error.message
    assert "cameras" in error.hint


def test_something_unknown_becomes_known_when_an_action_sets_it():
    look = operator("look", add=["seen()"])
    take = operator("take", ["seen()"], ["taken()"])
    case = problem([look, take], [], "F(taken())", unknown=frozenset({atom("seen()")}))
    assert plan_of(case) == ["look()", "take()"]


def test_a_forbidden_thing_that_may_be_so_already_is_not_risked():
    case = tabletop(DEMO, unknown=frozenset({atom("touching(mug)")}))
    error = failure_of(case)
    assert error.code is Code.NO_PLAN
    assert "the robot touches the mug" in error.message


def test_a_plan_holds_whichever_way_an_unknown_wish_is():
    known = tabletop("F(on(red_block, plate))")
    case = tabletop("F(on(red_block, plate))", unknown=frozenset({atom("on(red_block, plate)")}))
    assert plan_of(case) == plan_of(known)


def test_too_many_unknown_propositions_are_refused():
    names = [f"p{i}()" for i in range(9)]
    case = problem(
        [], [], " & ".join(f"F({n})" for n in names), unknown=frozenset(map(atom, names))
    )
    assert failure_of(case).code is Code.UNSUPPORTED


# -- why there is no plan ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "skill"),
    [
        ("F(flying(red_block))", Code.NO_PLAN, "make it so that"),
        ("F(in(plate, drawer))", Code.NO_PLAN, ""),
        ("F(flying(red_block))", Code.PLAN_TIMEOUT, ""),
    ],
)
def test_what_another_planner_says_is_the_lack_of_a_skill_where_no_operator_brings_it_about(
    text, code, skill
):
    told = SaySoError(code, "there is no plan.")
    found = lacking(told, tabletop(text), lambda: None)
    if skill:
        assert isinstance(found, SkillLackingError)
        assert found.skill.startswith(skill) and "flying" in found.skill
    else:
        assert found is told


def test_an_operator_that_can_never_be_applied_to_these_things_brings_nothing_about():
    """A switch that works another lamp: how to turn on this one has to be taught."""
    flip = operator("flip", ["works(?s, ?l)"], ["on(?l)"], parameters=("?s", "?l"))
    things = ("switch", "bulb", "led")
    case = problem([flip], ["works(switch, bulb)"], "F(on(led))", things)
    error = failure_of(case)
    assert isinstance(error, SkillLackingError) and "on(led)" in error.skill
    wire = operator("wire", [], ["works(?s, ?l)"], parameters=("?s", "?l"))
    assert plan_of(problem([flip, wire], [], "F(on(led))", things))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("F(in(plate, drawer))", "graspable(plate), which does not hold"),
        ("F(on(red_block, drawer))", "needs something to put things on, which drawer is not"),
        ("F(flying(red_block))", "no operator makes flying true"),
        ("F(holding(mug) & holding(bowl))", "never be at once"),
        ("F(on(red_block, plate)) & G(!touching(red_block))", "the robot touches the red block"),
        ("F(on(mug, plate)) & F(open(drawer)) & G(!holding(mug))", "the robot holds the mug"),
        ("F(!movable(mug))", "no action changes that the mug can be carried"),
    ],
)  # fmt: skip
def test_the_impossible_part_is_named(text: str, words: str):
    error = failure_of(tabletop(text))
    assert error.code is Code.NO_PLAN
    assert words in error.message
    assert error.hint


def test_only_the_impossible_clause_is_blamed():
    error = failure_of(tabletop("F(on(red_block, plate)) & F(in(plate, bowl))"))
    assert "the plate is in the bowl" in error.message
    assert "red block" not in error.message


def test_wishes_that_exclude_each_other_are_named_together():
    burn = operator("burn", ["wood()"], ["warm()"], ["wood()"])
    build = operator("build", ["wood()"], ["house()"], ["wood()"])
    error = failure_of(problem([burn, build], ["wood()"], "F(warm()) & F(house()) & F(wood())"))
    assert "cannot all be done together" in error.message
    assert "warm()" in error.message
    assert "house()" in error.message
    assert "wood()" not in error.message


def test_ends_that_exclude_each_other_are_proven_to_without_a_search():
    """What is held in one hand cannot be taken with the other, since it may not be held: each end
    can be reached, and neither is asked for in one breath with the other."""
    hands = [*_hand("left"), *_hand("right")]
    given, things = ["empty_left()", "empty_right()"], ("cup", "pan", "lid")
    case = problem(hands, given, "F(G(in_left(cup))) & F(G(in_right(cup)))", things)

    def searching() -> None:
        pytest.fail("a state was looked into")

    with pytest.raises(ExhaustedError):
        cheapest(Product.of(case), searching)
    assert "cannot all be done together" in failure_of(case).message
    passing = problem(hands, given, "F(in_left(cup)) & F(in_right(cup))", things)
    assert len(plan_of(passing)) == 3


def _hand(name: str) -> tuple[Operator, ...]:
    held = [f"in_{name}(?x)", "held(?x)"]
    needs = [f"empty_{name}()", "not held(?x)"]
    take = operator(f"take_{name}", needs, held, needs[:1], parameters=("?x",))
    put = operator(f"put_{name}", held[:1], needs[:1], held, parameters=("?x",))
    return take, put


def test_a_rule_that_is_broken_already_is_named():
    error = failure_of(tabletop(DEMO, "touching(mug)"))
    assert error.code is Code.NO_PLAN
    assert "the robot touches the mug already" in error.message


def test_a_referent_cannot_be_planned_for():
    case = problem([], [], Prop("on", (Referent("block"), "plate")))
    assert failure_of(case).code is Code.INVALID


# -- time --------------------------------------------------------------------------------------


def test_a_search_can_be_bounded_by_its_work_whatever_the_clock_says():
    error = failure_of_planner(SearchPlanner(RunningClock(), most_expansions=2))
    assert error.code is Code.PLAN_TIMEOUT
    assert "2 states" in error.message and error.hint
    plan = SearchPlanner(RunningClock(), most_expansions=10_000).solve(
        tabletop(DEMO), PlanLimits(3.0)
    )
    assert len(plan.steps) == 4


def failure_of_planner(planner: SearchPlanner) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        planner.solve(tabletop(DEMO))
    return caught.value


class RunningClock(ManualClock):
    """Every look at it takes a second."""

    def now_s(self) -> float:
        self.advance(1.0)
        return super().now_s()


def test_time_that_runs_out_is_no_proof():
    with pytest.raises(SaySoError) as caught:
        SearchPlanner(RunningClock()).solve(tabletop(DEMO), PlanLimits(3.0))
    assert caught.value.code is Code.PLAN_TIMEOUT


def test_a_proof_stands_though_no_time_is_left_for_the_reason():
    with pytest.raises(SaySoError) as caught:
        SearchPlanner(RunningClock()).solve(
            tabletop("F(holding(mug) & holding(bowl))"), PlanLimits(0.0)
        )
    assert caught.value.code is Code.NO_PLAN


def test_planning_can_be_cancelled():
    assert failure_of(tabletop(DEMO), PlanLimits(cancelled=lambda: True)).code is Code.CANCELLED
