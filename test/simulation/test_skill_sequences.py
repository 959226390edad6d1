"""Whole sequences of skills on the simulated table, on true scenes."""

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.library import builtin_path, load
from sayso.evaluation.table_run.programs import run_program
from sayso.evaluation.table_run.robot import build
from sayso.mission.in_process import say_yes
from sayso.mission.programs.stages import words_of
from sayso.mission.programs.writing import Given
from sayso.reporting.events import EventKind
from sayso.worlds.table.table_world import TableWorld

OPERATORS = load(builtin_path()).operators
MUG = frozenset({"mug"})


@pytest.fixture
def world():
    return TableWorld(1)


@pytest.fixture
def rig_and_executor(world):
    rig, gate, executor = build(world)
    gate.authorise(())
    return rig, executor


@pytest.fixture
def rig(rig_and_executor):
    return rig_and_executor[0]


@pytest.fixture
def executor(rig_and_executor):
    return rig_and_executor[1]


def action(name, *args):
    return OPERATORS[name].ground(*args)


def test_two_blocks_are_stacked_on_the_plate_without_touching_the_mug(rig, executor):
    for step in (
        action("pick_from_table", "red_block"),
        action("place_on", "red_block", "plate"),
        action("pick_from_table", "blue_block"),
        action("stack", "blue_block", "red_block"),
    ):
        checks = executor.execute(step, MUG)
        assert checks and all(c.observed for c in checks)
    assert rig.touched == {"red_block", "blue_block"}


def test_the_drawer_is_opened_filled_and_closed(world, rig, executor):
    for step in (
        action("open_drawer", "drawer"),
        action("pick_from_table", "green_block"),
        action("place_in", "green_block", "drawer"),
        action("close_drawer", "drawer"),
    ):
        assert all(c.observed for c in executor.execute(step, MUG))
    opening = next(o.number("opening_m") for o in world.truth() if o.name == "drawer")
    assert opening < 0.02
    assert rig.touched == {"green_block", "drawer"}


def test_a_mug_is_taken_by_its_rim(executor):
    executor.execute(action("pick_from_table", "mug"))
    assert all(c.observed for c in executor.execute(action("place_on_table", "mug")))


def test_a_bowl_is_filled_and_emptied(rig, executor):
    for step in (
        action("pick_from_table", "green_block"),
        action("place_in", "green_block", "bowl"),
        action("pick_out", "green_block", "bowl"),
        action("place_on", "green_block", "coaster"),
        action("pick_from", "green_block", "coaster"),
    ):
        assert all(c.observed for c in executor.execute(step, MUG))
    assert "mug" not in rig.touched


def test_a_program_is_carried_out_through_cameras_and_gate():
    source = (
        '"""Never touch the mug."""\n'
        'red = find(visual_description="red block")\n'
        "pick(red)\n"
        'place(red, get_place_position(red, find("plate"), "on"))\n'
    )
    told = []
    outcome = run_program(Given(source), words_of(source), load(builtin_path()), say_yes,
                          CharacterNgrams(), told.append, seed=1)  # fmt: skip
    assert outcome.succeeded, outcome
    (plan,) = (e.plan for e in told if e.kind is EventKind.PLAN)
    assert plan.planner == "program"
