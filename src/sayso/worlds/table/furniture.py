"""The bodies of the table world: table, blocks, dishes, and a cabinet with a drawer."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np

from sayso.core.geometry import Array, Vector3, quaternion_from_matrix
from sayso.worlds.table.lathe import lathe
from sayso.worlds.things import (
    CABINET,
    CABINET_POSITION,
    CABINET_RGBA,
    DRAWER_RGBA,
    HANDLE_RGBA,
    MOVABLES,
    CabinetShape,
    Rgba,
    Thing,
)

TABLE_RGBA: Rgba = (0.5, 0.5, 0.51, 1)
TABLE_CENTRE = (0.38, 0.0)
TABLE_SIZE = (1.2, 1.4)
FLOOR_Z = -0.74

_BOX = mujoco.mjtGeom.mjGEOM_BOX
_CYLINDER = mujoco.mjtGeom.mjGEOM_CYLINDER
_CAPSULE = mujoco.mjtGeom.mjGEOM_CAPSULE
_MESH = mujoco.mjtGeom.mjGEOM_MESH
_SHOWN, _HIDDEN = 1, 3  # geom groups; groups above 2 are not rendered
_RING = 20


def add_room(spec: mujoco.MjSpec) -> None:
    """Floor, table and lights."""
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.95, 0.93, 0.89],
        rgb2=[0.91, 0.89, 0.85],
        width=256,
        height=256,
    )
    floor = spec.add_material(
        name="floor", texrepeat=[4, 4], texuniform=True, reflectance=0.0, specular=0.0
    )
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.92, 0.94, 0.96],
        rgb2=[0.72, 0.76, 0.82],
        width=128,
        height=128,
    )
    world = spec.worldbody
    world.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[6, 6, 0.1],
        pos=[0, 0, FLOOR_Z],
        material="floor",
        group=_SHOWN,
    )
    _add_table(spec)
    sun = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    world.add_light(type=sun, pos=[0.2, -1.2, 2.6], dir=[0.15, 0.5, -1], diffuse=[0.38, 0.38, 0.37])
    world.add_light(
        type=sun,
        pos=[0.6, 1.4, 2.4],
        dir=[-0.3, -0.6, -1],
        diffuse=[0.2, 0.2, 0.21],
        castshadow=False,
    )


def _add_table(spec: mujoco.MjSpec) -> None:
    x, y = TABLE_CENTRE
    half = (TABLE_SIZE[0] / 2, TABLE_SIZE[1] / 2)
    table = spec.worldbody.add_body(name="table", pos=[x, y, 0.0])
    _box(table, (half[0], half[1], 0.02), (0, 0, -0.02), TABLE_RGBA, friction=0.8)
    leg_height = (-FLOOR_Z - 0.04) / 2
    for sx in (-1, 1):
        for sy in (-1, 1):
            at = (sx * (half[0] - 0.06), sy * (half[1] - 0.06), -0.04 - leg_height)
            _box(table, (0.03, 0.03, leg_height), at, (0.3, 0.3, 0.32, 1))


def add_things(spec: mujoco.MjSpec) -> None:
    """Every movable thing as a free body; its frame is at the centre of its box."""
    builders = {
        "block": _add_block,
        "coaster": _add_block,
        "plate": _add_plate,
        "bowl": _add_bowl,
        "mug": _add_mug,
    }
    for thing in MOVABLES:
        body = spec.worldbody.add_body(name=thing.name)
        body.add_freejoint(name=thing.name)
        builders[thing.category](spec, body, thing)
        _set_inertia(body, thing)


def _set_inertia(body: mujoco.MjsBody, thing: Thing) -> None:
    """That of the solid box: thin walls made of many boxes would overlap in mass."""
    x, y, z = thing.size
    m = thing.mass_kg
    body.mass = m
    body.ipos = [0, 0, 0]
    body.inertia = [m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y)]
    body.explicitinertial = True


def _add_block(spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: Thing) -> None:
    del spec
    x, y, z = thing.size
    _box(body, (x / 2, y / 2, z / 2), (0, 0, 0), thing.rgba)


def _add_plate(spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: Thing) -> None:
    radius, half = thing.size[0] / 2, thing.size[2] / 2
    profile = [(0, -half), (0.7 * radius, -half), (radius, half - 0.003), (radius, half), (0, half)]
    _surface(spec, body, thing, profile)
    body.add_geom(type=_CYLINDER, size=[radius, half, 0], friction=[0.8, 0.01, 0.0001], group=3)


def _add_bowl(spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: Thing) -> None:
    rim, half = thing.size[0] / 2, thing.size[2] / 2
    base, wall = 0.045, 0.005
    profile = [(0, -half), (base, -half), (rim, half), (rim - wall, half)]
    profile += [(base - 0.002, -half + wall), (0, -half + wall)]
    _surface(spec, body, thing, profile)
    body.add_geom(
        type=_CYLINDER, size=[base, wall / 2, 0], pos=[0, 0, -half + wall / 2], group=_HIDDEN
    )
    _wall(body, base, rim, half, wall)


def _add_mug(spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: Thing) -> None:
    radius, half = thing.size[0] / 2, thing.size[2] / 2
    wall, base = 0.005, 0.006
    profile = [(0, -half), (radius, -half), (radius, half), (radius - wall, half)]
    profile += [(radius - wall, -half + base), (0, -half + base)]
    _surface(spec, body, thing, profile)
    body.add_geom(
        type=_CYLINDER, size=[radius, base / 2, 0], pos=[0, 0, -half + base / 2], group=_HIDDEN
    )
    _wall(body, radius, radius, half, wall)
    _add_mug_handle(body, radius, thing)


def _add_mug_handle(body: mujoco.MjsBody, radius: float, thing: Thing) -> None:
    out, top, thick = radius + 0.030, 0.026, 0.005
    points = [(radius - 0.003, top), (out, top), (out, -top), (radius - 0.003, -top)]
    for (x0, z0), (x1, z1) in itertools.pairwise(points):
        body.add_geom(
            type=_CAPSULE,
            fromto=[x0, 0, z0, x1, 0, z1],
            size=[thick, 0, 0],
            rgba=thing.rgba,
            friction=[1.0, 0.01, 0.0001],
            group=_SHOWN,
        )


def _wall(body: mujoco.MjsBody, low: float, high: float, half: float, wall: float) -> None:
    """A ring of thin boxes from outer radius `low` at the bottom to `high` at the top."""
    lean = np.arctan2(high - low, 2 * half)
    length = np.hypot(high - low, 2 * half) / 2
    middle = (low + high) / 2 - wall / 2
    width = max(low, high) * np.tan(np.pi / _RING)
    for angle in 2 * np.pi * np.arange(_RING) / _RING:
        rotation = _about_z(angle) @ _about_y(lean)
        centre = _about_z(angle) @ np.array([middle, 0.0, 0.0])
        body.add_geom(
            type=_BOX,
            size=[wall / 2, width, length],
            pos=centre,
            quat=_wxyz(rotation),
            friction=[1.0, 0.01, 0.0001],
            group=_HIDDEN,
        )


def _surface(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: Thing, profile: list[tuple[float, float]]
) -> None:
    """What is seen of a turned thing; its collisions are with simpler shapes."""
    vertices, faces = lathe(profile)
    spec.add_mesh(
        name=thing.name,
        uservert=vertices.ravel(),
        userface=faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    body.add_geom(
        type=_MESH, meshname=thing.name, rgba=thing.rgba, contype=0, conaffinity=0, group=_SHOWN
    )


def add_cabinet(spec: mujoco.MjSpec, shape: CabinetShape = CABINET) -> None:
    """The cabinet, open at its front, and in it the drawer on a slide."""
    cabinet = spec.worldbody.add_body(name="cabinet", pos=CABINET_POSITION)
    d, w, t = shape.depth / 2, shape.width / 2, shape.wall / 2
    inner = w - 2 * t
    roof = shape.roof_thickness / 2
    height = shape.roof_top / 2 - roof
    for side in (-1, 1):
        _box(cabinet, (d, t, height), (d, side * (w - t), height), CABINET_RGBA)
    _box(cabinet, (t, inner, height), (2 * d - t, 0, height), CABINET_RGBA)
    _box(cabinet, (d, w, roof), (d, 0, shape.roof_top - roof), CABINET_RGBA)
    plinth = (shape.panel_bottom - 0.002) / 2
    _box(cabinet, (d - t, inner, plinth), (d - t, 0, plinth), CABINET_RGBA)
    _add_drawer(cabinet, shape)
    spec.add_exclude(bodyname1="cabinet", bodyname2="drawer")  # the slide alone guides it


def _add_drawer(cabinet: mujoco.MjsBody, shape: CabinetShape) -> None:
    drawer = cabinet.add_body(name="drawer")
    drawer.add_joint(
        name="drawer",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[-1, 0, 0],
        range=[0, shape.travel],
        damping=[6.0],
        frictionloss=1.5,
        armature=0.1,
    )
    half_height = (shape.panel_top - shape.panel_bottom) / 2
    panel = (shape.panel_thickness / 2, shape.panel_width / 2, half_height)
    _box(drawer, panel, (-panel[0], 0, shape.handle_height), DRAWER_RGBA)
    _add_tray(drawer, shape)
    _add_handle(drawer, shape)


def _add_tray(drawer: mujoco.MjsBody, shape: CabinetShape) -> None:
    d, t = shape.drawer_depth / 2, shape.drawer_wall / 2
    w = shape.width / 2 - shape.wall - 0.002
    floor = shape.panel_bottom + t
    half = (shape.drawer_rim - shape.panel_bottom) / 2
    middle = shape.panel_bottom + half
    _box(drawer, (d, w, t), (d, 0, floor), DRAWER_RGBA)
    _box(drawer, (t, w, half), (2 * d - t, 0, middle), DRAWER_RGBA)
    for side in (-1, 1):
        _box(drawer, (d, t, half), (d, side * (w - t), middle), DRAWER_RGBA)


def _add_handle(drawer: mujoco.MjsBody, shape: CabinetShape) -> None:
    x, z = -shape.panel_thickness - shape.handle_standoff, shape.handle_height
    end = shape.handle_length / 2
    bars = [((x, -end, z), (x, end, z))]
    bars += [((-shape.panel_thickness, y, z), (x, y, z)) for y in (-end, end)]
    for start, stop in bars:
        drawer.add_geom(
            type=_CAPSULE,
            fromto=[*start, *stop],
            size=[shape.handle_radius, 0, 0],
            rgba=HANDLE_RGBA,
            friction=[1.0, 0.01, 0.0001],
            group=_SHOWN,
        )


def _box(
    body: mujoco.MjsBody, half: Vector3, at: Vector3, rgba: Rgba, friction: float = 1.0
) -> None:
    body.add_geom(
        type=_BOX, size=half, pos=at, rgba=rgba, friction=[friction, 0.01, 0.0001], group=_SHOWN
    )


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _about_y(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def _wxyz(rotation: Array) -> list[float]:
    x, y, z, w = quaternion_from_matrix(rotation)
    return [w, x, y, z]
