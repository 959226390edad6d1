"""What the simulated world lets an arm do, by friction alone."""

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import BLOCK_EDGE_M, MOVABLES
from support.scripted_arm import ScriptedArm, lift_by_rim, open_drawer, stack_on_plate


@pytest.fixture(scope="module")
def world():
    return TableWorld(0)


def named(world: TableWorld):
    return {o.name: o for o in world.truth()}


@pytest.mark.parametrize("seed", [1, 2])
def test_everything_stands_still(world, seed):
    world.reset(seed)
    before = named(world)
    world.step(2.0)
    for name, obj in named(world).items():
        assert obj.position == pytest.approx(before[name].position, abs=5e-4), name
        assert obj.orientation == pytest.approx(before[name].orientation, abs=5e-3), name
    for thing in MOVABLES:
        bottom = named(world)[thing.name].position[2] - thing.size[2] / 2
        assert bottom == pytest.approx(0.0, abs=2e-3), thing.name
    assert world.contacts() == frozenset()


def test_time_goes_on_over_a_reset_and_the_seed_decides_the_layout(world):
    world.reset(4)
    first, then = named(world), world.time_s
    world.reset(5)
    assert world.time_s > then
    assert named(world)["mug"].position != first["mug"].position
    world.reset(4)
    assert named(world)["mug"].position == pytest.approx(first["mug"].position, abs=1e-6)


def test_blocks_are_picked_placed_and_stacked(world):
    world.reset(11)
    arm = ScriptedArm(world)
    stack_on_plate(arm, "red_block", "blue_block")
    objects = named(world)
    plate, red, blue = objects["plate"], objects["red_block"], objects["blue_block"]
    assert red.position[2] == pytest.approx(0.012 + BLOCK_EDGE_M / 2, abs=2e-3)
    assert blue.position[2] == pytest.approx(0.012 + 1.5 * BLOCK_EDGE_M, abs=3e-3)
    assert np.hypot(*np.subtract(red.position, plate.position)[:2]) < 0.015
    assert arm.touched == {"red_block", "blue_block"}


def test_the_width_between_the_fingers_tells_of_a_grasp(world):
    world.reset(12)
    arm = ScriptedArm(world)
    arm.pick(named(world)["green_block"])
    assert world.robot_state().gripper_width_m == pytest.approx(BLOCK_EDGE_M, abs=2e-3)
    assert world.contacts() == {"green_block"}
    assert named(world)["green_block"].position[2] > 0.2


def test_an_empty_grasp_closes_the_fingers(world):
    world.reset(12)
    world.grip(0.0, 20.0)
    world.step(1.0)
    assert world.robot_state().gripper_width_m < 1e-3


def test_a_grip_goes_to_its_width_and_can_be_stopped(world):
    world.reset(12)
    world.grip(0.05, 20.0)
    world.step(1.0)
    assert world.robot_state().gripper_width_m == pytest.approx(0.05, abs=1e-3)
    world.grip(0.0, 20.0)
    world.step(0.04)
    world.hold_grip(world.robot_state().gripper_width_m)
    world.step(0.5)
    assert 0.005 < world.robot_state().gripper_width_m < 0.05


@pytest.mark.parametrize("name", ["mug", "bowl"])
def test_hollow_things_are_lifted_by_their_rims(world, name):
    world.reset(3)
    arm = ScriptedArm(world)
    lift_by_rim(arm, named(world)[name])
    assert named(world)[name].position[2] > 0.15
    assert arm.touched == {name}


def test_a_block_falls_into_the_bowl_and_not_through_it(world):
    world.reset(3)
    x, y, _ = named(world)["bowl"].position
    world.move("red_block", (x, y, 0.12))
    world.step(1.0)
    block = named(world)["red_block"]
    assert block.position[2] == pytest.approx(0.005 + BLOCK_EDGE_M / 2, abs=4e-3)
    assert np.hypot(block.position[0] - x, block.position[1] - y) < 0.03


def test_the_drawer_is_pulled_open_by_its_handle_and_pushed_shut(world):
    world.reset(2)
    assert named(world)["drawer"].attributes["opening_m"] == pytest.approx(0.0, abs=2e-3)
    arm = ScriptedArm(world)
    closed = named(world)["drawer"]
    open_drawer(arm, closed, 0.12)
    opened = named(world)["drawer"]
    assert opened.attributes["opening_m"] == pytest.approx(0.12, abs=0.01)
    # The box reaches from the panel's outer face to the cabinet's front.
    assert opened.size[0] - closed.size[0] == pytest.approx(
        opened.attributes["opening_m"], abs=2e-3
    )
    front = [o.position[0] + o.size[0] / 2 for o in (closed, opened)]
    assert front[0] == pytest.approx(front[1], abs=1e-6)
    arm.push_shut(opened)
    assert named(world)["drawer"].attributes["opening_m"] < 0.01


def test_a_removed_thing_is_gone_until_it_is_put_back(world):
    world.reset(6)
    place = named(world)["mug"].position
    world.remove("mug")
    world.step(0.1)
    assert "mug" not in named(world)
    world.move("mug", place)
    world.step(0.5)
    assert named(world)["mug"].position == pytest.approx(place, abs=3e-3)


def test_only_movable_things_are_moved(world):
    with pytest.raises(SaySoError) as error:
        world.remove("cabinet")
    assert error.value.code is Code.INVALID
    assert "mug" in error.value.choices
