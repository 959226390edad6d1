"""Frames and a map of a flat from places where the robot is put: a quick mapping tour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.mapping import Mapper
from sayso.worlds.flat.flat_world import FlatWorld

Start = tuple[float, float, float]


@dataclass(frozen=True)
class Toured:
    """What a tour leaves."""

    memory: FrameMemory
    mapper: Mapper


def tour(world: FlatWorld, places: Iterable[Start]) -> Toured:
    """Look from each place; the world is as its scene has it afterwards."""
    scene = world.scene
    sight = CameraSight(world)
    for seed, start in enumerate(places):
        world.scene = replace(scene, start=start)
        world.reset(seed)
        sight.look()
    world.scene = scene
    world.reset(0)
    return Toured(sight.memory, sight.mapper)
