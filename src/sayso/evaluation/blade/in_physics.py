"""The tasks at the play table in physics: how they begin, and what is true in the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sayso.core.geometry import Pose
from sayso.evaluation.table_run.play import SCENE, ArmTable
from sayso.learning.behaviours.learner import LearnedBehaviours
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.meddler import Meddler, arrange
from sayso.worlds.persons.play_sight import Sight
from sayso.worlds.table.onlooker import Onlooker
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld

_AT_END = 0.15
_APART_M = 0.1
_BESIDE_M = (0.04, 0.08)
_REACHES_IN_M = 0.004
"""By so much a block is in the way of the sliding door: as it stands beneath its bar."""


class PhysicalTable:
    """A table as a task begins, the arm that does it, and the true state in the end."""

    def __init__(
        self, seed: int, task: Mapping[str, Any], learned: LearnedBehaviours, scene: str = SCENE
    ) -> None:
        self._rng = np.random.default_rng((seed, 2))
        self._world = TableWorld(seed, NoiseModel(), scene=builtin_scene(scene))
        self._kitchen = scene != SCENE
        try:
            if self._kitchen:
                arrange(self._world, task["start"])
            else:
                self._begin(task["start"])
        except BaseException:
            self.close()
            raise
        look = Onlooker(self._world, np.random.default_rng((seed, 1))).look
        meddler = Meddler(self._world, task["upset"], lambda _: None) if "upset" in task else None
        watch = (lambda: None) if meddler is None else meddler.watch
        self.table = ArmTable(self._world, learned, look, watch)
        self._meddler = meddler

    def upset(self) -> bool | None:
        """Whether the task's upset came about; None where it has none."""
        return None if self._meddler is None else self._meddler.meddled

    def shows(self, goal: Mapping[str, Any]) -> bool:
        """Whether all of a task's goal is so, by the simulator's true state."""
        sight = Sight.of(self._world)
        if self._kitchen:
            return all(sight.shows(n, wanted) for n, wanted in goal.items())
        return all(_shown(sight, name, value) for name, value in goal.items())

    def close(self) -> None:
        self._world.close()

    def _begin(self, start: Mapping[str, Any]) -> None:
        """What the task says of drawer, door, lamps and blocks; all else is as it was drawn."""
        world = self._world
        for name in ("drawer", "slider", "switch"):
            if name in start:
                world.set_share(name, float(start[name]))
        world.step(0.02)
        if "led" in start and not Sight.of(world).shows("led", {"lit": start["led"]}):
            for share in (1.0, 0.9):
                world.set_share("button", share)
                world.step(0.004)
        loose = Sight.of(world).blocks
        for number, name in enumerate(loose):
            self._put(name, str(start.get(name, start.get("blocks", ""))), number)
        world.step(1.0)

    def _put(self, name: str, place: str, number: int) -> None:
        """Where it was drawn, on the table, unless it is said to be elsewhere."""
        world, sight = self._world, Sight.of(self._world)
        size, door = sight.things[name].size, sight.things["slider"]
        if place == "drawer":
            x, y, z = sight.things["drawer"].position
            world.put(name, Pose((x + (number - 1) * _APART_M, y, z)))
        elif place == "behind":
            room = sight.things["cabinet"]
            low = room.position[2] - room.size[2] / 2 + size[2] / 2
            world.put(name, Pose((door.position[0], room.position[1], low + 0.002)))
        elif place == "in the way":
            beside = door.size[0] / 2 + size[0] / 2 + float(self._rng.uniform(*_BESIDE_M))
            x = door.position[0] + (beside if sight.share("slider") < 0.5 else -beside)
            y = door.position[1] - (door.size[1] + size[1]) / 2 + _REACHES_IN_M
            world.put(name, Pose((x, y, sight.scene.table_height_m + size[2] / 2 + 0.001)))


def _shown(sight: Sight, name: str, value: object) -> bool:
    if name == "blocks":
        return all(place == value for place in sight.blocks.values())
    if name in sight.blocks:
        return sight.blocks[name] == value
    if name == "led":
        return sight.shows(name, {"lit": value})
    return abs(sight.share(name) - float(str(value))) < _AT_END
