"""The bodies of the table world: table, blocks, dishes, and a cabinet with a drawer."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco

from sayso.core.geometry import Pose, Vector3
from sayso.worlds.table.shapes.bodies import SHOWN, add_box, add_rod, add_shape
from sayso.worlds.table.shapes.families import Block, Bowl, Family, Mug, Plate, draw
from sayso.worlds.table.shapes.pieces import Capsule, Shape
from sayso.worlds.things import (
    CABINET,
    CABINET_POSITION,
    CABINET_RGBA,
    DRAWER_RGBA,
    HANDLE_RGBA,
    CabinetShape,
    Rgba,
    Thing,
)

TABLE_RGBA: Rgba = (0.5, 0.5, 0.51, 1)
TABLE_CENTRE = (0.38, 0.0)
TABLE_SIZE = (1.2, 1.4)
FLOOR_Z = -0.74


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
        group=SHOWN,
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


def add_things(spec: mujoco.MjSpec, things: Iterable[Thing]) -> None:
    """Every movable thing as a free body; its frame is at the centre of its box."""
    for thing in things:
        add_shape(spec, thing.name, shape_of(thing), thing.rgba)


def shape_of(thing: Thing) -> Shape:
    """The shape of a thing: as it was drawn, or that of one of the table's own."""
    if thing.drawn is not None:
        return draw(*thing.drawn)
    if thing.boxes:
        return Shape(thing.category, thing.size, thing.mass_kg, thing.boxes)
    width, _, height = thing.size
    family: Family = Block(thing.size, thing.mass_kg)
    if thing.category == "plate":
        family = Plate(width / 2, height, thing.mass_kg)
    elif thing.category == "bowl":
        family = Bowl(width / 2, height, 0.6, 0.005, thing.mass_kg)
    elif thing.category == "mug":
        handle = ("square", 0.030, 0.026, 0.0, 0.005)
        family = Mug(width / 2, 1.0, height, 0.005, *handle, thing.mass_kg)
    return family.made()


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
        add_rod(drawer, Capsule("handle", start, stop, shape.handle_radius), HANDLE_RGBA)


def _box(
    body: mujoco.MjsBody, half: Vector3, at: Vector3, rgba: Rgba, friction: float = 1.0
) -> None:
    add_box(body, half, Pose(at), rgba, friction)
