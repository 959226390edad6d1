"""Generated tables as two noisy cameras see them: what is whose is known, where it is is not."""

from __future__ import annotations

from collections import defaultdict

import mujoco
import numpy as np

from sayso.core.ports import RgbdFrame
from sayso.core.scene import Scene, SceneObject
from sayso.perception.appearance import Appearance
from sayso.perception.camera import cloud
from sayso.perception.recognition import as_category
from sayso.perception.table import TablePlane
from sayso.worlds import cameras
from sayso.worlds.noise import CameraNoise, NoiseModel
from sayso.worlds.renderer import Renderer
from support.generated_tables import Placed, Table
from support.shaped_table import ShapedTable

_STRIDE = 2
_FEWEST = 14
_ROUND = ("mug", "bowl", "plate")
_FIXED = ("rack", "shelf", "sink", "tray")
_MOST_M = 0.45


def seen(table: Table, noise: NoiseModel) -> Scene:
    """The things of which enough is seen, each with its box fitted to its noisy points."""
    things = {t.name: t for t in table.things}
    mounts = [m for m in cameras.FIXED if m.sensor]
    world = ShapedTable({n: t.shape for n, t in things.items()}, mounts)
    for name, thing in things.items():
        world.put(name, thing.pose)
    mujoco.mj_forward(world.model, world.data)
    clouds = defaultdict(list)
    with Renderer(world.model, cameras.WIDTH, cameras.HEIGHT) as renderer:
        for mount in mounts:
            for name, points in _points(world, renderer, mount, CameraNoise(noise, table.rng)):
                clouds[name].append(points)
    merged = {n: np.concatenate(c) for n, c in clouds.items() if n in things}
    return Scene(0.0, tuple(_object(things[n], merged[n]) for n in things
                            if n in merged and len(merged[n]) >= _FEWEST))  # fmt: skip


def _points(world, renderer, mount, noise):
    rgb, depth = renderer.rgbd(world.data, mount.name)
    frame = RgbdFrame(
        mount.name, 0.0, rgb, noise.depth(depth), cameras.intrinsics(mount.fovy_deg), mount.pose
    )
    view = cloud(frame, _STRIDE)
    geoms = renderer.geoms(world.data, mount.name)[::_STRIDE, ::_STRIDE]
    bodies = np.where(geoms >= 0, world.model.geom_bodyid[geoms], 0)
    for body in np.unique(bodies[view.valid]):
        name = world.model.body(int(world.model.body_rootid[body])).name
        yield name, view.points[view.valid & (bodies == body)]


def _object(thing: Placed, points) -> SceneObject:
    family = thing.shape.family
    shape = "fixture" if family in _FIXED else "round" if family in _ROUND else "box"
    if family == "block":
        looks = Appearance(family, "cube", (0.015, 0.06), (0.015, 0.06), (0.015, 0.06))
    else:
        looks = Appearance(family, shape, (0.01, _MOST_M), (0.01, _MOST_M), (0.005, _MOST_M))
    fitted = as_category(points, "", looks, TablePlane())
    return SceneObject(
        thing.name, family, "", fitted.position, fitted.size, fitted.orientation,
        carried=thing.carried, points=fitted.points,
    )  # fmt: skip
