"""Repairs of plans on tiny random problems, against blind search."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.symbols import Literal, Plan, PlanStep
from sayso.mission.repair_chain import RepairChain
from sayso.planning.achieving import Situation, achieve
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import BrokenPlan, model_free
from sayso.planning.search import SearchPlanner
from support.drawn_problems import GROUND, problems
from support.planning_cases import accepted, ground_all, oracle

LITERALS = st.frozensets(
    st.builds(Literal, st.sampled_from(GROUND), st.booleans()), min_size=1, max_size=2
)


def shortest(goal: frozenset[Literal], case: PlanningProblem) -> int | None:
    """How many actions it takes at least to make some literals hold, by trying everything."""
    start = Situation.of(case)
    queue, seen = deque([(0, start)]), {start}
    actions = ground_all(case.domain.operators, case.objects)
    while queue:
        steps, at = queue.popleft()
        if not at.lacks(goal):
            return steps
        for action in actions:
            if not at.lacks(action.preconditions):
                after = at.after(action, case.task)
                if after not in seen and case.task.can_go_on(after.states):
                    seen.add(after)
                    queue.append((steps + 1, after))
    return None


def carried_out(path: tuple[object, ...], at: Situation, case: PlanningProblem) -> Situation:
    for action in path:
        assert not at.lacks(action.preconditions), action
        at = at.after(action, case.task)
        assert case.task.can_go_on(at.states), f"{action} loses the task"
    return at


@settings(derandomize=True, deadline=None, max_examples=150)
@given(problems(), LITERALS)
def test_what_is_achieved_holds_then_and_costs_the_task_nothing(
    case: PlanningProblem, goal: frozenset[Literal]
):
    start = Situation.of(case)
    assume(case.task.can_go_on(start.states))
    path = achieve(goal, start, case)
    least = shortest(goal, case)
    if path is None:
        return
    assert not carried_out(path, start, case).lacks(goal)
    assert least is not None and least <= len(path)


@st.composite
def broken_plans(draw: st.DrawFn) -> BrokenPlan:
    """Some actions in any order, as words may name them; the first has failed."""
    case = draw(problems())
    actions = st.sampled_from(ground_all(case.domain.operators, case.objects))
    rest = draw(st.lists(actions, min_size=1, max_size=3))
    done = draw(st.lists(actions, max_size=2))
    unknown = draw(st.frozensets(st.sampled_from(GROUND), max_size=2))
    case = replace(case, initial=case.initial - unknown, unknown=unknown)
    if draw(st.booleans()):
        case = replace(case, avoid=frozenset({(rest[0].name, rest[0].args)}))
    failure = Failure(rest[0], Code.PRECONDITION)
    return BrokenPlan(failure, tuple(map(PlanStep, rest)), case, tuple(done))


def repaired(broken: BrokenPlan, keep_plan: bool) -> Plan | None:
    try:
        repairers = model_free(SearchPlanner().solve, keep_plan=keep_plan)
        return RepairChain().repaired(broken, repairers)
    except SaySoError as error:
        assert error.code in (Code.NO_PLAN, Code.UNSUPPORTED), error
        return None


@settings(derandomize=True, deadline=None, max_examples=100)
@given(broken_plans(), st.booleans())
def test_a_repaired_plan_fulfils_the_task_and_there_is_one_wherever_one_can_be(
    broken: BrokenPlan, keep_plan: bool
):
    plan = repaired(broken, keep_plan)
    assert (plan is None) == (oracle(broken.problem) is None)
    if plan is not None:
        for true in (frozenset(), broken.problem.unknown):  # what is not known may be either
            real = replace(broken.problem, initial=broken.problem.initial | true)
            assert accepted(plan, replace(real, unknown=frozenset()))
        assert not {(a.name, a.args) for a in plan.actions} & broken.problem.avoid


@settings(derandomize=True, deadline=None, max_examples=100)
@given(problems())
def test_a_plan_whose_step_failed_though_it_could_be_taken_keeps_its_steps(case: PlanningProblem):
    """In another order at most: the step that failed may come after one that needs it not."""
    try:
        plan = SearchPlanner().solve(case)
    except SaySoError:
        return
    if plan.actions and plan.actions[0].apply(case.initial) != case.initial:
        failure = Failure(plan.actions[0], Code.EXECUTION)
        mended = repaired(BrokenPlan(failure, plan.steps, case), keep_plan=True)
        assert mended is not None and Counter(mended.actions) == Counter(plan.actions)
