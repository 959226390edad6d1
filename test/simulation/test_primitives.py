"""Skills that need no symbols, on the simulated table: what they do, and what the hand can tell."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.table_run.robot import build
from sayso.skills.primitives import FELT, PRIMITIVES
from sayso.worlds.table.table_world import TableWorld


@pytest.fixture(scope="module")
def robot():
    rig, gate, executor = build(TableWorld(1))
    gate.authorise(())
    return rig, executor


@pytest.fixture
def rig(robot):
    return robot[0]


@pytest.fixture
def body(robot):
    return robot[1]


def code(body, *step) -> Code:
    with pytest.raises(SaySoError) as error:
        body.attempt(step[0], step[1:])
    return error.value.code


def centre(rig, name):
    return next(o for o in rig.world.truth() if o.name == name).position


def test_what_the_hand_cannot_do_is_felt_and_moves_nothing(rig, body):
    before = centre(rig, "red_block")
    assert code(body, "place_on_table", "red_block") in FELT
    assert code(body, "pick_up", "plate") in FELT
    assert code(body, "pick_up") is Code.INVALID
    assert code(body, "juggle", "red_block") is Code.INVALID
    assert code(body, "place_first_on_second", "mug", "mug") is Code.INVALID
    assert centre(rig, "red_block") == pytest.approx(before, abs=1e-3)
    assert set(PRIMITIVES) == {"pick_up", "place_on_table", "place_first_on_second"}


def test_a_block_is_put_on_the_middle_of_the_plate_where_then_no_other_fits(rig, body):
    body.attempt("pick_up", ("red_block",))
    assert code(body, "pick_up", "blue_block") is Code.EXECUTION
    assert code(body, "place_on_table", "blue_block") is Code.EXECUTION
    body.attempt("place_first_on_second", ("red_block", "plate"))
    assert centre(rig, "red_block")[:2] == pytest.approx(centre(rig, "plate")[:2], abs=0.01)
    body.attempt("pick_up", ("blue_block",))
    assert code(body, "place_first_on_second", "blue_block", "plate") is Code.UNREACHABLE
    body.attempt("place_first_on_second", ("blue_block", "red_block"))
    assert code(body, "pick_up", "red_block") is Code.UNREACHABLE
    x, y, z = centre(rig, "blue_block")
    assert (x, y) == pytest.approx(centre(rig, "red_block")[:2], abs=0.012)
    assert z > centre(rig, "red_block")[2] + 0.04
