"""Tasks in the simulated flat that somebody upsets once, with physics and the robot's own cameras.

Simulated: the flat, its sensors with their noise, and the finder, which is the simulator's own
segmentation. The robot knows the flat of a tour of looks from places where it was put.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.run import FlatRun
from sayso.evaluation.flat_run.tour import Toured, tour
from sayso.evaluation.limp.seeing import places, true_name
from sayso.evaluation.upsets.runs import UpsetRun, UpsetTask, failures_of, repairs_of
from sayso.worlds.flat.disturbances import Disturbance
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.flat.upsets import UPSETS, FlatMeddler, make
from sayso.worlds.true_state import robot_at, true_scene

SCENE = "family_flat"
CARRYING = (
    UpsetTask("Bring the can to the kitchen counter. Never go near the lamp.", untouched=("lamp",)),
    UpsetTask("Bring the bottle to the trash bin."),
    UpsetTask("Bring the mug to the brown table. Never go near the fridge.", untouched=("fridge",)),
    UpsetTask("Go to the fridge, then bring the can to the white table."),
    UpsetTask("Bring the bottle to the white table. Never go near the sofa.", untouched=("sofa",)),
)
DRIVING = (
    UpsetTask(
        "Go to the sofa, then the kitchen counter. Never go near the lamp.", untouched=("lamp",)
    ),
    UpsetTask("Go to the fridge, then the brown table."),
)
OF_THE_WAY = ("doors_shut", "way_blocked")
"""These can upset any step, the others only those that take or carry something."""
MOST_LATE_OF_THE_WAY_S, MOST_LATE_S = 5.0, 1.0
"""An upset comes at most so long after a step began: what the hand is at is soon taken or left."""


def run(upset: str, seed: int) -> UpsetRun:
    """One task with one upset; the seed draws noise, task, moment and what is done."""
    rng = random.Random(seed)
    tasks = (*CARRYING, *DRIVING) if upset in OF_THE_WAY else CARRYING
    task = tasks[seed % len(tasks)]
    world = FlatWorld(fixed(SCENE), seed, FlatNoise())
    known = _toured()
    sight = CameraSight(world, None, copy.deepcopy(known.memory), copy.deepcopy(known.mapper))
    meddling = _Meddling(world, upset, task, rng)

    def before(action: Action) -> None:
        meddling.before(of_true_things(action, flat.robot.senses.scene(), world.truth()))

    flat = FlatRun(world, sight, seed=seed, on_step=meddling.step, before=before)
    try:
        result = flat.perform(task.instruction)
        events = list(result.events)
        done, broken = bool(result.truly_done), tuple(v.clause for v in result.violations)
        return UpsetRun(
            task.instruction, result.outcome, meddling.upset_at, done, done, broken,
            repairs_of(events), (*map(str, meddling.made), *failures_of(events)),
        )  # fmt: skip
    finally:
        world.close()


def of_true_things(action: Action, seen: Scene, truth: Sequence[SceneObject]) -> Action:
    """An action with what its things are truly called; "" for what is not where it is seen."""
    things = {o.name: o for o in seen.objects}
    found = (true_name(things[n], truth) if n in things else "" for n in action.args)
    return replace(action, args=tuple(found))


@lru_cache(maxsize=1)
def _toured() -> Toured:
    world = FlatWorld(fixed(SCENE), 0, FlatNoise())
    try:
        return tour(world, places(world.scene))
    finally:
        world.close()


class _Meddling:
    """Upsets the task once, a while after a step began that can be upset."""

    def __init__(self, world: FlatWorld, upset: str, task: UpsetTask, rng: random.Random) -> None:
        self.upset_at: Action | None = None
        self.made: tuple[Disturbance, ...] = ()
        self._world, self._forbidden = world, task.untouched
        self._upset = UPSETS[upset]
        self._rng = rng
        self._to_begin = rng.randrange(2) if upset in OF_THE_WAY else 0
        most_s = MOST_LATE_OF_THE_WAY_S if upset in OF_THE_WAY else MOST_LATE_S
        self._late_s = rng.uniform(0.0, most_s)
        self._action: Action | None = None
        self._due_s = 0.0
        self._handy = {i.name for i in world.scene.items if i.movable}

    def before(self, action: Action) -> None:
        """An action comes next, about true things."""
        self._action = action if self._to_begin <= 0 else None
        self._due_s = self._world.time_s + self._late_s
        self._to_begin -= 1

    def step(self) -> None:
        """Time has passed."""
        action = self._action
        if self.made or action is None or self._world.time_s < self._due_s:
            return
        meddler = FlatMeddler(self._world, action, self._held(), self._rng, self._forbidden)
        self.made = self._upset(meddler)
        self._due_s += 1.0  # where there was nothing to be done: again, later in this step
        for disturbance in self.made:
            self.upset_at = action
            make(self._world, disturbance)

    def _held(self) -> str:
        world = self._world
        robot = robot_at(world.true_base(), world.robot_state())
        scene = true_scene(0.0, world.truth(), robot, self._handy)
        return next((o.name for o in scene.objects if o.carried), "")
