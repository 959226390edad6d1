"""Operators made at random are learned back from transitions sampled from them."""

from __future__ import annotations

import random
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Domain, Literal, Operator
from sayso.learning.clusters import Settings
from sayso.learning.operators import learn_operators
from sayso.logic.formula import Eventually, Formula, Not, Prop, conjunction
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanningProblem
from sayso.planning.search import SearchPlanner
from support.learning_worlds import (
    ARITIES,
    OBJECTS,
    State,
    World,
    applied,
    random_state,
    random_world,
    sampled,
)

SEEDS = st.integers(0, 10_000)
Meaning = tuple[str, tuple[str, ...], frozenset[Literal], frozenset[Atom], frozenset[Atom]]


def meaning(op: Operator) -> Meaning:
    return op.skill, op.parameters, op.preconditions, op.add, op.delete


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEEDS)
def test_without_noise_they_are_learned_back_exactly(seed: int) -> None:
    rng = random.Random(seed)
    world = random_world(rng)
    learned = learn_operators(sampled(world, 600, rng), ARITIES)
    assert {meaning(o.operator) for o in learned.operators} == set(map(meaning, world.operators))
    assert learned.unexplained == 0
    assert all(o.probability == 1.0 and o.operator.cost == 1.0 for o in learned.operators)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(SEEDS, st.integers(5, 60))
def test_few_transitions_are_all_explained_and_no_constraint_is_broken(
    seed: int, count: int
) -> None:
    rng = random.Random(seed)
    world = random_world(rng)
    transitions = sampled(world, count, rng)
    learned = learn_operators(transitions, ARITIES)
    assert learned.unexplained == 0
    operators = [o.operator for o in learned.operators]
    for skill in world.skills:
        mine = [(o.parameters, o.preconditions) for o in operators if o.skill == skill]
        assert len(mine) == len(set(mine))
    for t in transitions:
        ways = [
            o.ground(*t.args, *more)
            for o in operators
            if o.skill == t.skill
            for more in permutations(
                [n for n in OBJECTS if n not in t.args], len(o.parameters) - len(t.args)
            )
        ]
        before = t.before.true_atoms()
        after = before if t.after is None else t.after.true_atoms()
        exact = {
            a.name
            for a in ways
            if a.applicable(before) and (a.delete, a.add) == (before - after, after - before)
        }
        assert len(exact) <= 1
        if not t.feasible:
            assert not any(a.applicable(before) for a in ways)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(SEEDS)
def test_the_order_of_transitions_changes_names_alone(seed: int) -> None:
    rng = random.Random(seed)
    world = random_world(rng)
    transitions = sampled(world, 100, rng, noise=0.1)
    turned = rng.sample(transitions, len(transitions))
    first, second = (learn_operators(t, ARITIES, Settings(0.1)) for t in (transitions, turned))
    assert {meaning(o.operator) for o in first.operators} == {
        meaning(o.operator) for o in second.operators
    }


@settings(max_examples=15, deadline=None, derandomize=True)
@given(SEEDS)
def test_with_a_tenth_of_noise_they_give_plans_as_short_and_as_true(seed: int) -> None:
    rng = random.Random(seed)
    world = random_world(rng)
    learned = learn_operators(sampled(world, 800, rng, noise=0.1), ARITIES, Settings(0.1))
    for _ in range(5):
        state, goal = random_state(rng), random_goal(rng, world)
        true = plan(Domain(world.operators), state, goal)
        found = plan(learned.domain(ARITIES), state, goal)
        assert (found is None) == (true is None)
        if found is not None and true is not None:
            assert len(found) == len(true)
            assert goal_reached(world, state, found, goal)


def goal_reached(
    world: World, state: State, steps: list[tuple[str, tuple[str, ...]]], goal: Formula
) -> bool:
    """Whether the skills, carried out in the true world, come to where the goal holds."""
    for skill, args in steps:
        action = applied(world, skill, args[: world.skills[skill]], state)
        if action is None:
            return False
        state = action.apply(state)
    return plan(Domain(world.operators), state, goal) == []


def random_goal(rng: random.Random, world: World) -> Formula:
    """Something that some operator brings about, for some objects."""
    op = rng.choice(world.operators)
    action = op.ground(*rng.sample(OBJECTS, len(op.parameters)))
    facts = [*map(Literal, sorted(action.add)), *(Literal(a, False) for a in sorted(action.delete))]
    chosen = rng.sample(facts, min(2, len(facts)))
    props = [(x, Prop(x.atom.predicate, x.atom.args)) for x in chosen]
    return Eventually(conjunction(*(p if x.positive else Not(p) for x, p in props)))


def plan(domain: Domain, state: State, goal: Formula) -> list[tuple[str, tuple[str, ...]]] | None:
    """The skills and arguments of a plan; None where there is none."""
    problem = PlanningProblem(domain, OBJECTS, state, Progression.of(goal))
    try:
        found = SearchPlanner().solve(problem)
    except SaySoError as error:
        assert error.code == Code.NO_PLAN
        return None
    return [(a.skill, a.args) for a in found.actions]
