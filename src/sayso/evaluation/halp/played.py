"""Taught skills done by the arm in physics: seen through its cameras, judged by the simulator.

Each is an operator of the robot's library. It is carried out as one: preconditions observed, every
setpoint through the gate, effects observed. Whether it was done the simulator knows; whether the
robot knew it is the verdict's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import SceneObject
from sayso.core.symbols import Action
from sayso.evaluation.cases import Case, Measure, Outcome
from sayso.evaluation.halp.judging import Judgement, judge_emptied, judge_end
from sayso.evaluation.halp.suite import TaughtSkills
from sayso.evaluation.halp.taught import Known, robot, shown_skill, taught_by
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.stepped_senses import SteppedSenses
from sayso.worlds.table.layout import Layout, Placement
from sayso.worlds.table.placed import Placed, placed
from sayso.worlds.table.shapes.pieces import Shape
from sayso.worlds.table.table_scene import PAINTS, TableScene, drawn_thing
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import CABINET_POSITION, Thing

SETTLING_S = 1.0
_SMALL = Thing("small_block", "block", "white", (0.02, 0.02, 0.02), PAINTS["white"], 0.006, 0.015)
"""What lies in a mug that is to be emptied."""


class PlayedSkills(TaughtSkills):
    """As `TaughtSkills`, by an arm in physics."""

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is what is true in the end, by the simulator."""
        task, shape = case.data["task"], case.data["shape"]
        knows = knowing(task, case.data["learner"], case.data["count"])
        things = placed(PLANS[task].families, shape, np.random.default_rng([shape, 1]))
        world = TableWorld(shape, NoiseModel(), scene=scene_of(task, things, shape))
        try:
            fill(task, things, world)
            began, clock_s = perf_counter(), world.time_s
            senses, gate, executor = robot(world, knows)
            code, said = _done(knows, task, senses, gate, executor)
            measures: dict[str, Measure] = {"robot s": world.time_s - clock_s}
            measures["wall s"] = perf_counter() - began
            senses.wait(SETTLING_S)
            judgement = _judged(task, things, world)
        finally:
            world.close()
        measures["verdict right"] = judgement.done == (code is Code.OK)
        return Outcome(judgement.done, code, measures, said or judgement.why)


@lru_cache(maxsize=1)
def knowing(task: str, learner: str, count: int) -> Known:
    """What the robot knows after so many demonstrations."""
    return taught_by(shown_skill(task, count, learner))


def scene_of(task: str, things: dict[str, Placed], seed: int) -> TableScene:
    """A bare table with things that stand, each of another colour."""
    drawn = tuple(
        drawn_thing(p.name, PLANS[task].families[parameter], seed, color)
        for (parameter, p), color in zip(things.items(), PAINTS, strict=False)
    )
    small = (_SMALL,) if PLANS[task].inside else ()
    return TableScene((*drawn, *small), False, Layout(_spots(things), CABINET_POSITION, 0.0))


def fill(task: str, things: Mapping[str, Placed], world: TableWorld) -> None:
    """Lays something small into the thing of a task in which it is to lie at first."""
    if holder := PLANS[task].inside:
        mug = things[holder]
        x, y, _ = mug.pose.position
        world.move(_SMALL.name, (x, y, mug.shape.size[2] / 2))
        world.step(SETTLING_S)


def _spots(things: dict[str, Placed]) -> dict[str, Placement]:
    spots = {}
    for p in things.values():
        (x, y, _), (_, _, sine, cosine) = p.pose.position, p.pose.orientation
        spots[p.name] = Placement(x, y, 2 * float(np.arctan2(sine, cosine)))
    return spots


def _done(
    knows: Known, task: str, senses: SteppedSenses, gate: MotionGate, executor: SkillExecutor
) -> tuple[Code, str]:
    """OK where the robot observed that it did it; else why not."""
    try:
        action = _action(knows, task, senses)
        with gate.authorised(()):
            executor.execute(action)
    except SaySoError as error:
        return error.code, error.message
    return Code.OK, ""


def _action(knows: Known, task: str, senses: SteppedSenses) -> Action:
    """The skill with the things of its categories. Raises OBJECT_LOST for one that is not seen."""
    seen = {o.category: o.name for o in senses.scene().objects}
    categories = tuple(knows.taught[task].parameters.values())
    lost = [c for c in categories if c not in seen]
    if lost:
        raise SaySoError(Code.OBJECT_LOST, f"no {lost[0]} is seen.")
    return knows.library.operators[task].ground(*(seen[c] for c in categories))


def _judged(task: str, things: dict[str, Placed], world: TableWorld) -> Judgement:
    truth = {o.name: o for o in world.truth()}
    poses = {name: o.pose for name, o in truth.items()}
    now = {
        p: Placed(t.name, t.shape.opened(_lid_rad(t.shape, truth[t.name])), poses[t.name])
        for p, t in things.items()
    }
    if PLANS[task].inside:
        return judge_emptied(poses[_SMALL.name].position, now["bin"])
    hand = world.robot_state()
    return judge_end(task, now, (hand.gripper, hand.gripper_width_m))


def _lid_rad(shape: Shape, truth: SceneObject) -> float:
    return (
        0.0 if shape.hinge is None else (truth.number("open_share") or 0.0) * shape.hinge.most_rad
    )
