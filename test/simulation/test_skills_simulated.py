"""The skills on the simulated table, on true scenes: what they do and how they fail."""

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.table_run.robot import build
from sayso.worlds.table.table_world import TableWorld

OPERATORS = load(builtin_path()).operators
MUG = frozenset({"mug"})


@pytest.fixture
def world():
    return TableWorld(1)


@pytest.fixture
def rig_gate_executor(world):
    rig, gate, executor = build(world)
    gate.authorise(())
    return rig, gate, executor


@pytest.fixture
def rig(rig_gate_executor):
    return rig_gate_executor[0]


@pytest.fixture
def gate(rig_gate_executor):
    return rig_gate_executor[1]


@pytest.fixture
def executor(rig_gate_executor):
    return rig_gate_executor[2]


def action(name, *args):
    return OPERATORS[name].ground(*args)


def failed(executor, step, **options) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        executor.execute(step, **options)
    return error.value


def test_preconditions_are_checked_and_reported_before_anything_moves(rig, executor):
    began = []
    before_s = rig.now_s()
    error = failed(executor, action("place_on", "red_block", "plate"), started=began.extend)
    assert error.code is Code.PRECONDITION
    assert "holding(red_block) is not so" in error.message and "gripper 0.080 m" in error.message
    assert {str(c.literal): c.observed for c in began} == {
        "clear(plate)": True,
        "holding(red_block)": False,
        "surface(plate)": True,
    }
    assert rig.now_s() == before_s


def test_an_object_that_is_not_there_is_lost(executor):
    error = failed(executor, action("pick_from_table", "pink_block"))
    assert error.code is Code.OBJECT_LOST and "red_block" in error.choices


def test_what_must_not_be_touched_is_not_approached(rig, executor):
    before_s = rig.now_s()
    assert failed(executor, action("pick_from_table", "mug"), avoid=MUG).code is Code.VETO
    assert rig.now_s() == before_s


def test_out_of_reach_is_said_without_moving(world, rig, executor):
    world.move("red_block", (0.95, 0.0, 0.03))
    error = failed(executor, action("pick_from_table", "red_block"))
    assert error.code is Code.UNREACHABLE and "reach" in error.message
    assert not rig.touched


def test_what_is_in_the_way_is_named(world, rig, executor):
    """The forbidden mug stands against the block: there is no room for the hand."""
    x, y, _ = next(o.position for o in world.truth() if o.name == "red_block")
    for name, dx, dy in (("mug", 0.07, 0.0), ("bowl", -0.11, 0.0)):
        world.move(name, (x + dx, y + dy, 0.06))
    rig.wait(0.3)
    rig.scene_after(rig.now_s(), 1.0)
    error = failed(
        executor, action("pick_from_table", "red_block"), avoid=frozenset({"mug", "bowl"})
    )
    assert error.code is Code.UNREACHABLE
    assert "mug" in error.message or "bowl" in error.message
    assert not rig.touched & {"mug", "bowl"}


def test_an_object_taken_away_during_the_motion_is_noticed(world, rig, executor):
    def snatch(text):
        if text.startswith("reach down"):
            world.remove("red_block")

    error = failed(executor, action("pick_from_table", "red_block"), phase=snatch)
    assert error.code is Code.EXECUTION and "closed on nothing" in error.message
    assert rig.robot().gripper_width_m > 0.07
    assert rig.robot().gripper.position[2] > 0.08


def test_effects_are_judged_by_the_world_and_not_by_the_command(world, rig, executor):
    """The block is moved aside just after it was put on the plate."""
    executor.execute(action("pick_from_table", "red_block"))

    def shove(text):
        if text == "look at the result":
            world.move("red_block", (0.35, 0.0, 0.03))

    error = failed(executor, action("place_on", "red_block", "plate"), phase=shove)
    assert error.code is Code.POSTCONDITION
    assert "on(red_block, plate) is not so" in error.message


def test_a_closed_gate_moves_nothing(rig, gate, executor):
    gate.close()
    error = failed(executor, action("pick_from_table", "red_block"))
    assert error.code is Code.GATE_CLOSED and not rig.touched


def test_stop_brings_the_arm_to_rest_within_half_a_second(world, rig, gate, executor):
    start_s = rig.now_s()

    def stop():
        if rig.now_s() > start_s + 0.8:
            rig.on_step = lambda: None
            assert np.abs(world.true_joint_velocities()).max() > 0.2
            gate.stop("test")

    rig.on_step = stop
    assert failed(executor, action("pick_from_table", "red_block")).code is Code.STOPPED
    rig.wait(max(0.0, start_s + 1.3 - rig.now_s()))
    assert np.abs(world.true_joint_velocities()).max() < 0.01


def test_a_thing_is_put_next_to_another_and_seen_there(executor):
    executor.execute(action("pick_from_table", "red_block"))
    checks = executor.execute(action("place_next_to", "red_block", "mug"))
    seen = {str(c.literal): c.observed for c in checks}
    assert seen["next_to(red_block, mug)"] and seen["next_to(mug, red_block)"]
