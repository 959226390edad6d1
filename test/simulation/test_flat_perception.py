"""Perception of the simulated flat: what a tour shows, and what a hand takes away."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.scene import Scene
from sayso.perception.flat.live import LiveFlat
from sayso.perception.flat.memory import FrameMemory
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_scenes import ScriptedMobileArm, item, room, true

SCENE = room(
    item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi),
    item("desk", "table", (3.9, 3.3, 0.0), 0.0, "brown"),
    item("stool", "small_table", (2.95, 2.0, 0.0), color="white"),
    item("can", "can", (2.80, 2.0, 0.50)),
    item("toy", "plush_toy", (3.6, 1.0, 0.0)),
)
NOUNS = ("couch", "table", "small table", "can", "plush toy", "fridge")
TOUR = (
    (1.0, 2.0, 0.0), (1.0, 2.0, 0.5), (1.0, 2.0, -0.5), (2.0, 0.7, 0.1), (2.0, 3.2, -0.1),
    (4.4, 2.0, -0.4), (2.0, 0.8, 0.6), (1.2, 2.6, -0.3),
)  # fmt: skip
NAMES = {
    "blue_sofa": "sofa",
    "brown_table": "desk",
    "white_small_table": "stool",
    "red_can": "can",
    "green_plush_toy": "toy",
}


@pytest.fixture(scope="module")
def world() -> Iterator[FlatWorld]:
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield world
    world.close()


@pytest.fixture(scope="module")
def memory(world: FlatWorld, tmp_path_factory: pytest.TempPathFactory) -> FrameMemory:
    kept = FrameMemory()
    for seed, start in enumerate(TOUR):
        world.scene = replace(SCENE, start=start)
        world.reset(seed)
        kept.add(world.render("front", instances=True))
    folder: Path = tmp_path_factory.mktemp("tour")
    kept.save(folder)
    return FrameMemory.load(folder)


def look(world: FlatWorld, live: LiveFlat, times: int) -> Scene:
    for _ in range(times):
        world.step(0.2)
        for camera in ("front", "gripper"):
            live.see(world.render(camera, instances=True), world.robot_state())
    return live.scene(world.time_s, world.robot_state())


def test_a_flat_is_found_and_followed(world: FlatWorld, memory: FrameMemory) -> None:
    live = LiveFlat(memory, registry.create("instance_finder", "simulator"))
    found = {o.name: o for o in live.watch(NOUNS)}
    world.scene = replace(SCENE, start=(2.0, 2.0, 0.0))
    world.reset(9)
    assert sorted(found) == sorted(NAMES)
    for name, thing in found.items():
        real = true(world, NAMES[name])
        apart = np.linalg.norm(np.subtract(thing.position[:2], real.position[:2]))
        assert apart < (0.05 if max(real.size) < 0.3 else 0.10), name
        assert np.allclose(sorted(thing.size[:2]), sorted(real.size[:2]), atol=0.14), name

    arm = ScriptedMobileArm(world)
    look(world, live, 3)
    arm.pick(true(world, "can"), 0.0, closed=lambda: look(world, live, 2))
    assert carried(look(world, live, 3)) == ["red_can"]
    world.move("sofa", (5.3, 2.6, 0.4))
    world.drive(-0.5, 0.0, 0.3, 2.0)
    scene = look(world, live, 12)
    assert carried(scene) == ["red_can"]
    for name, limit in (("red_can", 0.04), ("blue_sofa", 0.15)):
        real = true(world, NAMES[name]).position
        assert np.linalg.norm(np.subtract(scene.by_name()[name].position, real)) < limit
    world.grip(0.08, 20.0)
    scene = look(world, live, 8)
    assert not carried(scene)
    assert sorted(scene.by_name()) == sorted(NAMES)
    fallen = scene.by_name()["red_can"].position
    assert np.linalg.norm(np.subtract(fallen, true(world, "can").position)) < 0.10


def carried(scene: Scene) -> list[str]:
    return [o.name for o in scene.objects if o.carried]
