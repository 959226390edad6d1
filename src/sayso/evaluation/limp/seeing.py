"""What a robot knows of a flat after a tour with its camera: a map, and the things asked for.

The tour is not driven: the robot is put at places all over the floor and looks around at each,
with the noise of its senses on. Everything else is as in a real tour: the map comes from depth,
the things from masks in the stored frames. The finder is by default the *simulator's own
segmentation*, not a vision model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.core.ports import InstanceFinder, RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.evaluation.limp.knowledge import Knowledge
from sayso.evaluation.limp.scenes import Stage
from sayso.perception.flat.looking import look_for
from sayso.perception.mapping import Mapper, MappingSettings
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise

SPACING_M = 1.8
HEADINGS = 6
"""From how densely spread places, and in how many directions, the robot looks."""

_SAME_M = 0.4
"""How far a thing that was found may be from one that is there, to be that one."""


def seen(stage: Stage, nouns: Sequence[str], seed: int, finder: InstanceFinder) -> Knowledge:
    """What a tour's frames tell, asked for some nouns. Raises INVALID where nothing was seen."""
    mapper, frames = Mapper(MappingSettings(stride=4)), []
    for frame, base in survey(stage.scene, seed):
        mapper.add(frame)
        mapper.stand(base)
        frames.append(frame)
    plan = mapper.floor_plan()
    grid = OccupancyGrid(plan.cells, plan.origin, plan.resolution_m)
    things = look_for(frames, nouns, finder)
    x, y = stage.start
    scene = Scene(0.0, things, RobotState(base=Pose((x, y, 0.0))), frame="map")
    return Knowledge(grid, scene, {t.name: true_name(t, stage.objects) for t in things})


def survey(scene: FlatScene, seed: int) -> Iterator[tuple[RgbdFrame, Pose]]:
    """Frames from places all over a flat, with where the robot believes it stands."""
    world = FlatWorld(scene, seed, FlatNoise())
    try:
        for number, start in enumerate(places(scene)):
            world.scene = replace(scene, start=start)
            world.reset(seed + number)
            yield world.render("front", instances=True), world.localisation()
    finally:
        world.close()


def places(scene: FlatScene) -> Iterator[tuple[float, float, float]]:
    """(x, y, yaw) all over the floor that the robot can reach; the first is its start."""
    space = FreeSpace(scene)
    free: Array = np.argwhere(space.free) * CELL_M + space.origin
    point = np.array(scene.start[:2])
    away = np.full(len(free), np.inf)
    number = 0
    while True:
        for k in range(HEADINGS):
            turn = 2 * np.pi * (k + (number % 2) / 2) / HEADINGS
            yield float(point[0]), float(point[1]), turn
        away = np.minimum(away, np.linalg.norm(free - point, axis=1))
        if away.max(initial=0.0) < SPACING_M:
            return
        point, number = free[away.argmax()], number + 1


def true_name(found: SceneObject, objects: Sequence[SceneObject]) -> str:
    """What was found, really; "" where there is nothing of about its place and size.

    For carrying plans out in the simulator and for scoring: nothing that plans sees it.
    """
    apart = [
        float(np.linalg.norm(np.subtract(found.position, o.position)))
        + 0.5 * float(np.linalg.norm(np.subtract(sorted(found.size), sorted(o.size))))
        for o in objects
    ]
    best = int(np.argmin(apart))
    near = objects[best].distance_to(found.position) <= _SAME_M
    return objects[best].name if near else ""
