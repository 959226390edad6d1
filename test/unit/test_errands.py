"""Errands without physics: the operators and the world agree, and plans with errors are mended."""

import random

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.evaluation.cape.errands import errand_cases, run_errand
from sayso.mission.stages import PlanRequest
from sayso.pipeline import perform
from sayso.planning.grounding import candidate_actions
from sayso.worlds.errands.cases import errand, errands
from sayso.worlds.errands.stages import ErrandStages, library
from sayso.worlds.errands.world import ErrandWorld

EMBEDDER = registry.create("embedder", "character_ngrams")


@pytest.mark.parametrize("scene", ["kitchen", "lab"])
def test_operators_allow_what_the_world_does_and_say_what_comes_of_it(scene):
    rng, world = random.Random(scene), ErrandWorld(errand(scene, "run"))
    stages = ErrandStages(world, (), EMBEDDER)
    problem = stages.problem(PlanRequest(*stages.watch(stages.interpret(world.errand.words))))
    actions = [
        c.operator.ground(*c.args, objects=problem.objects) for c in candidate_actions(problem)
    ]
    for _ in range(120):
        before = symbolic_state(world.scene(), library().predicates)
        true = before.true_atoms()
        can = [a for a in actions if all(before.holds(x) for x in a.preconditions)]
        action = rng.choice(can if rng.random() < 0.7 else actions)
        try:
            world.act(action.skill, action.args)
        except SaySoError as error:
            assert error.code is Code.PRECONDITION
            assert action not in can, f"{action}: {error}"
            continue
        assert action in can or action.skill in ("look_at", "touch", "pick_up"), str(action)
        if action in can:
            after = symbolic_state(world.scene(), library().predicates).true_atoms()
            assert after == action.apply(true), str(action)


@pytest.mark.parametrize("key", [("kitchen", "mail"), ("lab", "phone"), ("lab", "groceries")])
def test_a_plan_with_errors_is_mended_without_a_model(key):
    case = next(c for c in errand_cases(0) if c.key == " ".join(key))
    outcome = run_errand(case, EMBEDDER, random.Random(0))
    assert outcome.success and outcome.measures["corrections"] >= 1


def test_a_plan_as_it_is_reaches_no_goal():
    for given in errands().values():
        world = ErrandWorld(given)
        assert not world.reached()


def test_there_are_six_errands_in_two_scenes_and_fourteen_skills():
    assert len(errands()) == 12
    assert len({o.skill for o in library().operators.values()}) == 14


def test_an_unknown_errand_is_named_with_those_that_there_are():
    with pytest.raises(SaySoError) as told:
        errand("kitchen", "laundry")
    assert "kitchen mail" in told.value.choices


def test_other_words_are_no_errand():
    world = ErrandWorld(errand("kitchen", "mail"))
    ended = perform("Fly to the moon", ErrandStages(world, (), EMBEDDER), lambda _: None)
    assert ended.code is Code.NOT_UNDERSTOOD and not world.done


def test_after_a_correction_the_plan_of_the_old_errand_is_dropped():
    world = ErrandWorld(errand("kitchen", "mail"))
    stages = ErrandStages(world, ("Go to the sink",), EMBEDDER)
    before = stages.interpret(world.errand.words)
    assert _plan_is_from_words(stages, before)
    stages = ErrandStages(world, ("Go to the sink",), EMBEDDER)
    before = stages.interpret(world.errand.words)
    assert not _plan_is_from_words(stages, stages.correct(before, "No, the fridge should be open"))


def _plan_is_from_words(stages, understanding):
    return stages.plan(understanding, PlanRequest(*stages.watch(understanding))).from_words
