"""Perception watching the simulated table, all noise on; truth is used to compare only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld

FAR_M = 0.012
LOOK_EVERY_S = 0.25


@dataclass
class Watcher:
    """Looks at the world every quarter of a second of its time."""

    world: TableWorld
    perception: ScenePerception
    scene: Scene

    def look(self) -> Scene:
        frames = [self.world.render(c) for c in ("left", "right")]
        self.scene = self.perception.observe(frames, self.world.robot_state())
        return self.scene

    def wait(self, seconds: float) -> None:
        until = self.world.time_s + seconds
        while self.world.time_s < until - 1e-6:
            self.world.step(min(LOOK_EVERY_S, until - self.world.time_s))
            self.look()
            self.check()

    def check(self) -> None:
        """Every object is known by its name, and where it is."""
        seen = self.scene.by_name()
        truth = {o.name: o for o in self.world.truth()}
        assert set(seen) == set(truth)
        far = {
            name: round(float(np.linalg.norm(np.subtract(seen[name].position, o.position))), 3)
            for name, o in truth.items()
        }
        assert max(far.values()) < FAR_M, far

    def holds(self, predicate: str, *args: str) -> bool | None:
        view = SceneView(self.scene, load(builtin_path()).predicates)
        return view.truth(Atom(predicate, args))


def watch(seed: int) -> Watcher:
    perception = ScenePerception(RgbdSegmenter(), RobotSelfFilter())
    watcher = Watcher(TableWorld(seed, NoiseModel()), perception, Scene(0.0, ()))
    watcher.look()
    return watcher
