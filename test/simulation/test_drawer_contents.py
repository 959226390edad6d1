"""A block in a drawer, seen by the cameras alone, all noise on: shut in, and taken out again."""

from __future__ import annotations

import pytest

from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Atom
from sayso.evaluation.table_run.robot import build
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld

LIBRARY = load(builtin_path())
INSIDE = Atom("in", ("green_block", "drawer"))


@pytest.fixture(scope="module")
def rig_and_executor():
    world = TableWorld(1, NoiseModel())
    rig, gate, executor = build(world, perceive=True)
    gate.authorise(())
    executor.go_home()
    yield rig, executor
    world.close()


def do(executor, name, *args):
    return executor.execute(LIBRARY.operators[name].ground(*args), frozenset({"mug"}))


def truth(rig, atom):
    return symbolic_state(rig.scene(), LIBRARY.predicates).truth(atom)


def apart_m(rig):
    """How far the block's remembered place is from where it really is."""
    known = rig.scene().by_name()["green_block"].position
    real = next(o.position for o in rig.world.truth() if o.name == "green_block")
    return max(abs(a - b) for a, b in zip(known, real, strict=True))


def test_a_block_goes_with_the_drawer_in_and_out(rig_and_executor):
    rig, executor = rig_and_executor
    do(executor, "open_drawer", "drawer")
    do(executor, "pick_from_table", "green_block")
    do(executor, "place_in", "green_block", "drawer")
    do(executor, "close_drawer", "drawer")
    executor.go_home()
    rig.wait(2.0)
    assert not rig.scene().by_name()["green_block"].visible
    assert truth(rig, INSIDE) is True
    assert truth(rig, Atom("closed", ("drawer",))) is True
    assert apart_m(rig) < 0.03

    do(executor, "open_drawer", "drawer")
    executor.go_home()
    rig.wait(1.0)
    assert rig.scene().by_name()["green_block"].visible
    assert truth(rig, INSIDE) is True
    assert apart_m(rig) < 0.015
    do(executor, "pick_out", "green_block", "drawer")
    assert truth(rig, Atom("holding", ("green_block",))) is True
