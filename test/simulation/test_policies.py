"""A policy in the closed loop on the simulated table: through the gate, by what cameras see."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Operator
from sayso.evaluation.table_run.robot import build
from sayso.skills.policies import HOVER_M
from sayso.skills.skill import Terms
from sayso.worlds import things
from sayso.worlds.table.table_world import TableWorld

TABLE = load(builtin_path())
UNDER_HAND = Predicate(
    "under_hand",
    ("a",),
    lambda scene, a: scene.gripper_distance(a) < HOVER_M + 0.05,
    "the hand is over {0}",
    "the hand is not over {0}",
)
HOVER = Operator(
    "hover_over",
    ("?a",),
    preconditions=frozenset(),
    add=frozenset({Atom("under_hand", ("?a",))}),
    delete=frozenset(),
    skill="hover_over",
    english="hold the hand over {0}",
    types=("thing",),
)
LIBRARY = replace(
    TABLE,
    predicates={**TABLE.predicates, "under_hand": UNDER_HAND},
    operators={**TABLE.operators, "hover_over": HOVER},
)
BLOCK = "red_block"


class Rig:
    """A table whose block is moved, or whatever `disturb` does, once the arm is under way."""

    def __init__(self, *, perceive: bool) -> None:
        self.world = TableWorld(1)
        self.senses, self.gate, self.executor = build(self.world, perceive=perceive)
        self.executor.use(LIBRARY)
        self.gate.authorise(())
        self.disturb = lambda: None
        self._begin_s = self.world.time_s + 0.8
        self.senses.on_step = self._step

    def _step(self) -> None:
        if self.world.time_s >= self._begin_s:
            self._begin_s = np.inf
            self.disturb()

    def shift(self, by: tuple[float, float, float]) -> None:
        self.world.move(BLOCK, tuple(np.add(self.place(), by)))

    def place(self) -> np.ndarray:
        return np.array({o.name: o.position for o in self.world.truth()}[BLOCK])

    def tool(self) -> np.ndarray:
        return np.array(self.world.robot_state().gripper.position)

    def hover(self, **options):
        return self.executor.execute(HOVER.ground(BLOCK), **options)


@pytest.fixture(params=[False])
def rig(request):
    rig = Rig(perceive=request.param)
    yield rig
    rig.world.close()


@pytest.mark.parametrize("rig", [True], indirect=True)
def test_the_hand_follows_a_block_that_is_moved_on_by_what_cameras_see(rig):
    begun = rig.place()
    rig.disturb = partial(rig.shift, (0.03, -0.08, 0.0))
    (check,) = rig.hover()
    assert check.observed
    assert np.linalg.norm(rig.place() - begun) > 0.08
    assert rig.tool()[:2] == pytest.approx(rig.place()[:2], abs=0.01)
    assert rig.tool()[2] - rig.place()[2] == pytest.approx(HOVER_M + 0.022, abs=0.01)
    assert not rig.senses.touched


def test_a_stop_ends_it_and_the_arm_rests(rig):
    rig.disturb = lambda: rig.gate.stop("somebody said so")
    with pytest.raises(SaySoError) as error:
        rig.hover()
    assert error.value.code is Code.STOPPED
    rig.senses.wait(0.3)
    assert np.abs(rig.world.true_joint_velocities()).max() < 0.01
    assert np.linalg.norm((rig.tool() - rig.place())[:2]) > 0.01


def test_what_is_gone_meanwhile_is_said_to_be_lost(rig):
    def gone() -> None:
        rig.world.remove(BLOCK)
        rig.senses.scene_after(0.0, 1.0)

    rig.disturb = gone
    with pytest.raises(SaySoError, match=BLOCK) as error:
        rig.hover()
    assert error.value.code is Code.OBJECT_LOST


def test_what_must_not_be_touched_is_not_hovered_over(rig):
    with pytest.raises(SaySoError) as error:
        rig.hover(avoid=frozenset({BLOCK}))
    assert error.value.code is Code.VETO


def test_setpoints_into_the_table_are_refused_before_it_is_touched(rig):
    for thing in things.MOVABLES:
        rig.world.remove(thing.name)
    arm = rig.executor._work.arm
    task = rig.executor._work.job(Terms())
    over = Pose((0.5, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0))
    arm.go(arm.kinematics.inverse(over, arm.joints()), ())

    def down(seen):
        goal = arm.kinematics.inverse(replace(over, position=(0.5, 0.0, -0.005)), seen.command)
        return seen.towards(goal, arm.limits.scaled(0.3))

    with pytest.raises(SaySoError, match="the table") as error:
        arm.stream(down, lambda scene: replace(task, scene=scene).obstacles(0.0))
    assert error.value.code is Code.UNREACHABLE
    rig.senses.wait(0.5)
    assert 0.0 < rig.tool()[2] < 0.1
    assert not rig.senses.touched
