"""A scene as SDF 1.9, the format of Gazebo worlds: the same shapes, masses and door joints.

The robot is not part of it: Gazebo spawns one of its own. Doors hang on joints; people and
cats stand still where their round begins.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import numpy as np

from sayso.worlds.flat.colors import rgba
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.model import TIMESTEP_S, door_parts, wall_box
from sayso.worlds.flat.parts import Part
from sayso.worlds.flat.scene import Door, FlatScene, Item, Walker, wall_pieces

_FRICTION = "1.0"


def to_sdf(scene: FlatScene) -> str:
    """The scene as an SDF document."""
    root = ET.Element("sdf", version="1.9")
    world = ET.SubElement(root, "world", name=scene.name)
    physics = ET.SubElement(world, "physics", name="physics", type="ode")
    _text(physics, "max_step_size", TIMESTEP_S)
    _text(physics, "real_time_factor", 1.0)
    _add_light(world)
    _add_floor(world)
    _add_walls(world, scene)
    for item in scene.items:
        _add_item(world, item)
    for door in scene.doors:
        _add_door(world, door)
    for walker in scene.walkers:
        _add_walker(world, walker)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _text(parent: ET.Element, tag: str, value: object) -> ET.Element:
    child = ET.SubElement(parent, tag)
    child.text = str(value)
    return child


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{v:.6g}" for v in values)


def _pose(parent: ET.Element, at: Iterable[float], pitch: float = 0.0, yaw: float = 0.0) -> None:
    _text(parent, "pose", _numbers((*at, 0.0, pitch, yaw)))


def _model(
    world: ET.Element, name: str, at: tuple[float, float, float], yaw: float, *, static: bool
) -> ET.Element:
    """A model with its one link; the link is returned."""
    model = ET.SubElement(world, "model", name=name)
    _text(model, "static", str(static).lower())
    _pose(model, at, yaw=yaw)
    return ET.SubElement(model, "link", name="link")


def _add_light(world: ET.Element) -> None:
    sun = ET.SubElement(world, "light", name="sun", type="directional")
    _pose(sun, (0.0, 0.0, 10.0))
    _text(sun, "cast_shadows", "true")
    _text(sun, "diffuse", "0.8 0.8 0.8 1")
    _text(sun, "direction", "0.25 0.35 -1")


def _add_floor(world: ET.Element) -> None:
    link = _model(world, "floor", (0.0, 0.0, 0.0), 0.0, static=True)
    for tag in ("collision", "visual"):
        element = ET.SubElement(link, tag, name=tag)
        plane = ET.SubElement(ET.SubElement(element, "geometry"), "plane")
        _text(plane, "normal", "0 0 1")
        _text(plane, "size", "60 60")
    _paint(link[-1], (0.80, 0.74, 0.65, 1))


def _add_walls(world: ET.Element, scene: FlatScene) -> None:
    for i, wall in enumerate(wall_pieces(scene)):
        (x0, y0), (x1, y1) = wall.start, wall.end
        yaw = float(np.arctan2(y1 - y0, x1 - x0))
        middle = ((x0 + x1) / 2, (y0 + y1) / 2, 0.0)
        link = _model(world, f"wall_{i + 1}_of_{scene.name}", middle, yaw, static=True)
        _add_parts(link, [wall_box(float(np.hypot(x1 - x0, y1 - y0)))])


def _add_item(world: ET.Element, item: Item) -> None:
    link = _model(world, item.name, item.position, item.yaw, static=not item.movable)
    if item.movable:
        _add_inertia(link, kind(item.kind).mass_kg, item.size)
    _add_parts(link, item.parts())


def _add_inertia(link: ET.Element, mass: float, size: tuple[float, float, float]) -> None:
    """Of the solid box around a thing that stands on its frame."""
    x, y, z = size
    inertial = ET.SubElement(link, "inertial")
    _text(inertial, "mass", mass)
    _pose(inertial, (0.0, 0.0, z / 2))
    inertia = ET.SubElement(inertial, "inertia")
    for axis, value in (("xx", y * y + z * z), ("yy", x * x + z * z), ("zz", x * x + y * y)):
        _text(inertia, f"i{axis}", f"{mass * value / 12:.6g}")


def _add_door(world: ET.Element, door: Door) -> None:
    leaf = door.leaf(door.opening)
    yaw = 2 * float(np.arctan2(leaf.orientation[2], leaf.orientation[3]))
    link = _model(world, door.name, leaf.position, yaw, static=False)
    _text(link, "gravity", "false")
    _add_inertia(link, 15.0, (door.width, 0.04, 2.0))
    _add_parts(link, door_parts(door))
    _add_joint(world[-1], door)


def _add_joint(model: ET.Element, door: Door) -> None:
    hinged = door.motion == "hinged"
    joint = ET.SubElement(model, "joint", name="hang", type="revolute" if hinged else "prismatic")
    _text(joint, "parent", "world")
    _text(joint, "child", "link")
    axis = ET.SubElement(joint, "axis")
    _text(axis, "xyz", "0 0 1" if hinged else "-1 0 0")
    full = np.pi / 2 if hinged else door.width * 0.97
    limit = ET.SubElement(axis, "limit")
    _text(limit, "lower", f"{-door.opening * full:.6g}")
    _text(limit, "upper", f"{(1 - door.opening) * full:.6g}")


def _add_walker(world: ET.Element, walker: Walker) -> None:
    shape = kind(walker.kind)
    x, y = walker.path[0]
    link = _model(world, walker.name, (x, y, 0.0), 0.0, static=True)
    _add_parts(link, shape.build(shape.size, rgba(walker.color)))


def _add_parts(link: ET.Element, parts: Iterable[Part]) -> None:
    for i, part in enumerate(parts):
        if part.solid:
            _add_shape(link, "collision", f"collision_{i}", part)
        if part.seen:
            _paint(_add_shape(link, "visual", f"visual_{i}", part), part.rgba)


def _add_shape(link: ET.Element, tag: str, name: str, part: Part) -> ET.Element:
    element = ET.SubElement(link, tag, name=name)
    _pose(element, part.at, pitch=part.pitch)
    shape = ET.SubElement(ET.SubElement(element, "geometry"), part.shape)
    x, y, z = part.size
    if part.shape == "box":
        _text(shape, "size", _numbers((x, y, z)))
    elif part.shape == "ellipsoid":
        _text(shape, "radii", _numbers((x / 2, y / 2, z / 2)))
    else:
        _text(shape, "radius", f"{x / 2:.6g}")
        if part.shape == "cylinder":
            _text(shape, "length", f"{z:.6g}")
    if tag == "collision":
        friction = ET.SubElement(ET.SubElement(element, "surface"), "friction")
        ode = ET.SubElement(friction, "ode")
        _text(ode, "mu", _FRICTION)
        _text(ode, "mu2", _FRICTION)
    return element


def _paint(visual: ET.Element, color: tuple[float, float, float, float]) -> None:
    material = ET.SubElement(visual, "material")
    for tag in ("ambient", "diffuse"):
        _text(material, tag, _numbers(color))
    if color[3] < 1:
        _text(visual, "transparency", f"{1 - color[3]:.3g}")
