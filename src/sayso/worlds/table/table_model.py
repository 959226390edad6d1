"""The whole table world as one MuJoCo model."""

from __future__ import annotations

from functools import lru_cache

import mujoco

from sayso.robots.profile import RobotProfile
from sayso.worlds import cameras
from sayso.worlds.arm_model import load_arm
from sayso.worlds.table import furniture
from sayso.worlds.table.fixtures import add_fixtures
from sayso.worlds.table.table_scene import TableScene

TIMESTEP_S = 0.002


@lru_cache(maxsize=4)
def compiled_model(robot: RobotProfile, scene: TableScene) -> mujoco.MjModel:
    """The model with a robot and the things of a scene; compiling takes a second.

    Copy it before changing it.
    """
    spec = load_arm(robot)
    spec.modelname = "sayso_table"
    spec.option.timestep = TIMESTEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    furniture.add_room(spec)
    furniture.add_things(spec, scene.things)
    if scene.cabinet:
        furniture.add_cabinet(spec)
    add_fixtures(spec, scene.fixtures)
    cameras.add_cameras(spec, cameras.mounts(robot, scene.cameras))
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 960
    spec.visual.headlight.ambient = [0.38, 0.38, 0.38]
    spec.visual.headlight.diffuse = [0.25, 0.25, 0.25]
    spec.visual.headlight.specular = [0.05, 0.05, 0.05]
    spec.visual.quality.shadowsize = 1024
    spec.stat.extent = 2.0
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 10.0
    return spec.compile()
