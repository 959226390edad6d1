"""A flat scene as one MuJoCo model, built from the parts of its items."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from sayso.core.geometry import Pose, Quaternion
from sayso.robots.loading import MOBILE, load_robot
from sayso.robots.profile import RobotProfile
from sayso.worlds.cameras import CameraMount, add_cameras, look_at
from sayso.worlds.flat import robot
from sayso.worlds.flat.colors import PALETTE, rgba
from sayso.worlds.flat.furniture import lid_slats
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.parts import Part, box, slab
from sayso.worlds.flat.scene import (
    DOOR_HEIGHT_M,
    WALL_HEIGHT_M,
    WALL_THICKNESS_M,
    Door,
    FlatScene,
    Item,
    Walker,
    about_z,
    wall_pieces,
)
from sayso.worlds.things import Rgba

TIMESTEP_S = 0.002
TOP_VIEW = "top"
CHASE_VIEW = "chase"
_SHOWN, _HIDDEN = 1, 3
_ROLLING_M = 0.004
"""Rolling friction of what is round: real fruit is not round enough to roll off a table, and a can
that fell comes to rest."""
_WALL_RGBA: Rgba = (0.86, 0.84, 0.80, 1)
_SKIRTING_RGBA: Rgba = (0.62, 0.58, 0.52, 1)
_POSTERS = ("red", "blue", "green", "orange")
_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


def compile_scene(scene: FlatScene, profile: RobotProfile | None = None) -> mujoco.MjModel:
    """The model of a checked scene, the robot in it. Bodies have the names of the scene."""
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    profile = profile or load_robot(MOBILE)
    _options(spec, profile)
    _add_floor(spec, scene)
    _add_walls(spec, scene)
    for item in scene.items:
        _add_item(spec, item)
    for door in scene.doors:
        _add_door(spec, door)
    for walker in scene.walkers:
        _add_walker(spec, walker)
    robot.add_robot(spec, profile)
    add_cameras(spec, views(scene))
    return spec.compile()


def views(scene: FlatScene) -> tuple[CameraMount, ...]:
    """The views for people: from straight above, and over the robot's shoulder."""
    (x0, y0), (x1, y1) = scene.bounds
    x, y, fovy = (x0 + x1) / 2, (y0 + y1) / 2, 40.0
    half = max((y1 - y0) / 2 + 0.4, ((x1 - x0) / 2 + 0.4) * 0.75)
    high = half / np.tan(np.radians(fovy) / 2) + WALL_HEIGHT_M
    # North up: a view straight down has no horizon, so it looks down a hair from the south.
    top = look_at((x, y - 0.001, float(high)), (x, y, 0.0))
    chase = look_at((-1.9, 0.0, 3.0), (1.1, 0.0, 0.2))
    return (
        CameraMount(TOP_VIEW, "world", top, fovy, sensor=False),
        CameraMount(CHASE_VIEW, robot.BODY, chase, 62.0, sensor=False),
    )


def _options(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    spec.option.timestep = TIMESTEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # With less of it what the hand holds creeps out by millimetres a second: at 100, a packet by
    # 5 mm/s between Spot's slanted jaws, however firm the grip. (The solver's other remedy,
    # iterations without slip, lets things stick to a hand that opens.)
    spec.option.impratio = 1000.0 if len(profile.hand.fingers) == 1 else 100.0
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 960
    spec.visual.headlight.ambient = [0.42, 0.42, 0.42]
    spec.visual.headlight.diffuse = [0.22, 0.22, 0.22]
    spec.visual.headlight.specular = [0.03, 0.03, 0.03]
    spec.visual.quality.shadowsize = 0  # no picture has shadows
    spec.stat.extent = 4.0
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 12.0


def _add_floor(spec: mujoco.MjSpec, scene: FlatScene) -> None:
    spec.add_texture(
        name="floor", type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.80, 0.74, 0.65], rgb2=[0.77, 0.71, 0.62], width=256, height=256,
    )  # fmt: skip
    material = spec.add_material(
        name="floor", texrepeat=[1, 1], texuniform=True, reflectance=0.0, specular=0.0
    )
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.92, 0.94, 0.96], rgb2=[0.78, 0.82, 0.87], width=128, height=128,
    )  # fmt: skip
    world = spec.worldbody
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    world.add_geom(name="floor", type=plane, size=[30, 30, 0.1], material="floor", group=_SHOWN)
    sun = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    (x0, y0), (x1, y1) = scene.bounds
    at = [(x0 + x1) / 2, (y0 + y1) / 2, 6.0]
    world.add_light(type=sun, pos=at, dir=[0.25, 0.35, -1], diffuse=[0.36, 0.36, 0.35])
    world.add_light(
        type=sun, pos=at, dir=[-0.5, -0.4, -1], diffuse=[0.16, 0.16, 0.17], castshadow=False
    )


def _add_walls(spec: mujoco.MjSpec, scene: FlatScene) -> None:
    body = spec.worldbody.add_body(name="walls")
    for wall in wall_pieces(scene):
        start, end = np.array(wall.start), np.array(wall.end)
        x, y = (start + end) / 2
        dx, dy = end - start
        turn = about_z(float(np.arctan2(dy, dx)))
        # Walls that meet overlap by half their thickness, so that corners are closed.
        length = float(np.hypot(dx, dy)) + WALL_THICKNESS_M * 0.98
        for part in _wall_parts(length):
            _add_part(body, part, at=(float(x), float(y)), turn=turn)


def _wall_parts(length: float) -> list[Part]:
    skirting = (length - 0.004, WALL_THICKNESS_M + 0.02, 0.08)
    return [wall_box(length), slab(skirting, (0, 0, 0), _SKIRTING_RGBA, solid=False)]


def wall_box(length: float) -> Part:
    """A straight wall in its own frame: the middle of its foot, x along it."""
    return slab((length, WALL_THICKNESS_M, WALL_HEIGHT_M), (0, 0, 0), _WALL_RGBA)


def _add_item(spec: mujoco.MjSpec, item: Item) -> None:
    """Its body's frame is at the centre of its box, as true objects are told."""
    body = spec.worldbody.add_body(name=item.name, pos=item.centre, quat=_wxyz(about_z(item.yaw)))
    if item.movable:
        body.add_freejoint(name=item.name)
        _set_inertia(body, item)
    if kind(item.kind).lidded:
        _add_lid(spec, item)
    for part in item.parts():
        shine = spec.add_material(name=shine_of(item.name)).name if part.shines else ""
        _add_part(body, part, lift=-item.size[2] / 2, material=shine)


def _add_lid(spec: mujoco.MjSpec, item: Item) -> None:
    """Each slat by itself, since it moves apart from the others."""
    slats = lid_slats(item.size, rgba(item.color), item.lid)
    for i, (part, pose) in enumerate(zip(slats, lid_poses(item, item.lid), strict=True)):
        body = spec.worldbody.add_body(
            name=slat_of(item.name, i),
            pos=pose.position,
            quat=_wxyz(pose.orientation),
            mocap=True,
        )
        _add_part(body, replace(part, at=(0.0, 0.0, 0.0), pitch=0.0))


def lid_poses(item: Item, opening: float) -> list[Pose]:
    """Where the slats of a lid are, from the front on, in the map."""
    foot = Pose(item.position, about_z(item.yaw))
    slats = lid_slats(item.size, rgba(item.color), opening)
    return [foot @ Pose(part.at, _pitched(part.pitch)) for part in slats]


def slat_of(item: str, number: int) -> str:
    """The name of the body of one slat of an item's lid."""
    return f"{item}/slat_{number}"


def shine_of(item: str) -> str:
    """The name of the material of the part that shines while an item is on."""
    return f"{item}_shine"


def _set_inertia(body: mujoco.MjsBody, item: Item) -> None:
    """That of the solid box around it."""
    x, y, z = item.size
    m = kind(item.kind).mass_kg
    body.mass, body.ipos = m, [0, 0, 0]
    body.inertia = [m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y)]
    body.explicitinertial = True


def door_parts(door: Door) -> list[Part]:
    """The leaf in its own frame: the hinge side's foot, x along the leaf."""
    color, width = rgba(door.color), door.width - 0.04
    thick = 0.04
    middle = (door.width / 2, 0.0, 0.02)
    parts = [slab((width, thick, DOOR_HEIGHT_M), middle, color)]
    for side in (-1, 1):
        knob = (door.width - 0.12, side * 0.05, 1.0)
        parts.append(box((0.10, 0.04, 0.03), knob, PALETTE["metal"], solid=False))
        for i in range(door.posters):
            at = (0.38 + 0.36 * (i % 2), side * (thick / 2 + 0.003), 1.45 - 0.62 * (i // 2))
            paint = PALETTE[_POSTERS[i % len(_POSTERS)]]
            parts.append(box((0.30, 0.006, 0.44), at, paint, solid=False))
            parts.append(
                box((0.22, 0.008, 0.12), (at[0], at[1], at[2] + 0.1), PALETTE["white"], solid=False)
            )
    return parts


def _add_door(spec: mujoco.MjSpec, door: Door) -> None:
    pose = door.leaf(door.opening)
    body = spec.worldbody.add_body(
        name=door.name, pos=pose.position, quat=_wxyz(pose.orientation), mocap=True
    )
    for part in door_parts(door):
        _add_part(body, part)


def _add_walker(spec: mujoco.MjSpec, walker: Walker) -> None:
    x, y = walker.path[0]
    body = spec.worldbody.add_body(name=walker.name, pos=[x, y, 0.0], mocap=True)
    shape = kind(walker.kind)
    for part in shape.build(shape.size, rgba(walker.color)):
        _add_part(body, part)


def _add_part(
    body: mujoco.MjsBody,
    part: Part,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    turn: Quaternion = (0.0, 0.0, 0.0, 1.0),
    lift: float = 0.0,
    material: str = "",
) -> None:
    x, y, z = part.at
    body.add_geom(
        type=_TYPES[part.shape],
        size=_half_sizes(part),
        pos=[at[0] + x, at[1] + y, z + lift],
        quat=_wxyz(_pitched(part.pitch) if part.pitch else turn),
        rgba=part.rgba,
        material=material,
        friction=[1.0, 0.01, _ROLLING_M],
        condim=3 if part.shape == "box" else 6,
        group=_SHOWN if part.seen else _HIDDEN,
        contype=int(part.solid),
        conaffinity=int(part.solid),
        mass=0.0,
    )


def _pitched(angle: float) -> Quaternion:
    return (0.0, float(np.sin(angle / 2)), 0.0, float(np.cos(angle / 2)))


def _half_sizes(part: Part) -> list[float]:
    x, y, z = (s / 2 for s in part.size)
    return [x, z, 0.0] if part.shape == "cylinder" else [x, y, z]


def _wxyz(q: Quaternion) -> list[float]:
    x, y, z, w = q
    return [w, x, y, z]
