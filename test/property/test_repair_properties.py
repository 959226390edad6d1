"""Repairs of plans on tiny random problems, against blind search."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.core.clock import SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.symbols import Action, Atom, Check, Literal, Plan, PlanStep, SymbolicState
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.progression import Progression
from sayso.mission.recovery import RECOVERABLE, Recovery, TaskLimits
from sayso.mission.repair_chain import RepairChain
from sayso.mission.stages import Stages
from sayso.planning.achieving import Situation, achieve
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import NO_PROPOSAL, BrokenPlan
from sayso.planning.repairers import model_free
from sayso.planning.search import SearchPlanner
from sayso.reporting.events import EventEmitter
from support.drawn_problems import GROUND, OBJECTS, problems
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


class Awkward:
    """A world in which some actions never succeed, and before some others somebody meddles.

    Args:
        stuck: what fails, with nothing changed, each time it is tried.
        undone: what somebody ends, or brings about, right before an action, each time.
    """

    def __init__(
        self, case: PlanningProblem, stuck: frozenset[Action], undone: dict[Action, Atom]
    ) -> None:
        self.case, self.now = case, Situation.of(case)
        self.stuck, self.undone = stuck, undone
        self.failed: Counter[tuple[frozenset[Atom], Action]] = Counter()

    def remains(self, avoid: frozenset[Action]) -> PlanningProblem:
        names = frozenset((a.name, a.args) for a in avoid)
        now = self.now
        return replace(self.case, initial=now.true, states=now.states, avoid=names)

    def seen(self, stamp_s: float) -> SymbolicState:
        return SymbolicState(stamp_s, OBJECTS, {a: a in self.now.true for a in GROUND})

    def do(self, action: Action) -> None:
        """Raises what the skill does."""
        before = self.now.true
        if action in self.undone:
            true = before ^ {self.undone[action]}
            self.now = replace(self.now, true=true)
        lacks = self.now.lacks(action.preconditions)
        if lacks or action in self.stuck:
            self.failed[before, action] += 1
            checks = tuple(Check(x, False) for x in sorted(lacks))
            code = Code.PRECONDITION if lacks else Code.EXECUTION
            raise SaySoError(code, f"{action} failed.", checks=checks)
        self.now = self.now.after(action, self.case.task)


def pursued(world: Awkward, plan: Plan | None, most: int) -> SaySoError | None:
    """Plan, act and repair to the end, as the pipeline does; the error in which it ended."""
    limits = TaskLimits(failures=most)
    stamp_s = 0.0
    events = EventEmitter(lambda _: None, SteadyClock())
    recovery = Recovery(limits, events, lambda _: "no", Unasked())
    while not world.case.task.is_done(world.now.states):
        problem = world.remains(recovery.excluded)
        try:
            if plan is None:
                plan = recovery.next_plan(partial(SearchPlanner().solve, problem), problem)
            for index, action in enumerate(plan.actions):
                stamp_s += 1.0
                recovery.observed(world.seen(stamp_s))
                try:
                    world.do(action)
                except SaySoError as error:
                    recovery.skill_failed(plan, index, error)
                    raise
                recovery.skill_done(action)
        except SaySoError as error:
            try:
                recovery.go_on_after(error)
            except SaySoError as ended:
                return ended
        plan = None
    return None


class Unasked(Stages):
    """Nobody is asked, and nothing more is known than the problem says."""


@st.composite
def awkward(draw: st.DrawFn) -> tuple[Awkward, Plan | None]:
    """The task is what some actions lead to; of these, or of any, some fail or are meddled with."""
    case = draw(problems())
    actions = ground_all(case.domain.operators, case.objects)
    way, state = list[Action](), case.initial
    for _ in range(draw(st.integers(1, 3))):
        if onward := [a for a in actions if a.applicable(state) and a.apply(state) != state]:
            way.append(draw(st.sampled_from(onward)))
            state = way[-1].apply(state)
    wanted = (Literal(x, x in state) for x in sorted(state ^ case.initial))
    task = Progression.of(Eventually(conjunction(*map(of_literal, wanted))))
    case = replace(case, task=task, states=None)
    some = st.sampled_from((*way, *way, *actions))
    stuck = draw(st.frozensets(some, max_size=3))
    needy = [a for a in way if a.preconditions]
    undone = {
        action: draw(st.sampled_from(sorted(action.preconditions))).atom
        for action in (draw(st.frozensets(st.sampled_from(needy), max_size=2)) if needy else ())
    }
    said = draw(st.none() | st.lists(some, min_size=1, max_size=4))
    plan = None if said is None else Plan(tuple(map(PlanStep, said)), "words", from_words=True)
    return Awkward(case, stuck, undone), plan


MOST_FAILURES = 60


@settings(derandomize=True, deadline=None, max_examples=200)
@given(awkward())
def test_nothing_is_tried_for_ever_that_fails_again_and_again(case: tuple[Awkward, Plan | None]):
    world, plan = case
    error = pursued(world, plan, MOST_FAILURES)
    assert error is None or error.code in RECOVERABLE | NO_PROPOSAL, error
    assert error is None or "given up after" not in error.message
    assert max(world.failed.values(), default=0) <= TaskLimits().repeats
