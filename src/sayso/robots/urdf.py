"""A robot's description as URDF, made from its MuJoCo model: what RViz shows it by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from sayso.core.geometry import IDENTITY, Array, Pose, roll_pitch_yaw, turn_from_z
from sayso.robots.description import robot_spec
from sayso.robots.profile import RobotProfile

Numbers: TypeAlias = "Array | tuple[float, ...]"
SEEN = 2
"""The group of geoms that are there to be seen, as in MuJoCo Menagerie."""
_KINDS = {mujoco.mjtJoint.mjJNT_HINGE: "revolute", mujoco.mjtJoint.mjJNT_SLIDE: "prismatic"}


def robot_urdf(robot: RobotProfile, base: mujoco.MjSpec | None = None) -> str:
    """A robot's description, with meshes and the names of frames and joints as over ROS.

    Args:
        base: what a mobile robot's arm stands on: the first body of this model.
    """
    frames, spec = robot.frames, robot_spec(robot)
    names = {j.joint: j.name for j in robot.joints} | {j: n for n, j in robot.hand.fingers.items()}
    described = _Urdf(robot.name, frames.of, lambda joint: names.get(joint, joint))
    root, on = spec.worldbody.first_body(), None
    if base is not None:
        stand = base.worldbody.first_body()
        described.add_tree(base, stand, name=stand.name)
        on = stand.name, robot.require_base().mount
    if frames.of(root.name) != frames.base:
        described.add_frame(frames.base, on)
        on = frames.base, _pose(root)
    described.add_tree(spec, root, on)
    return described.text()


class _Urdf:
    """Links and joints, added tree by tree.

    Args:
        frame: of a body's name: the link's name, which is its frame on /tf.
        joint: of a joint's name in the model: its name in /joint_states.
    """

    def __init__(self, name: str, frame: Callable[[str], str], joint: Callable[[str], str]) -> None:
        self._robot = Element("robot", name=name)
        self._frame, self._joint = frame, joint

    def text(self) -> str:
        """The whole description."""
        ElementTree.indent(self._robot)
        return ElementTree.tostring(self._robot, encoding="unicode", xml_declaration=True)

    def add_tree(
        self,
        spec: mujoco.MjSpec,
        body: mujoco.MjsBody,
        on: tuple[str, Pose] | None = None,
        name: str = "",
    ) -> None:
        """Add a body and all that hangs on it.

        Args:
            on: the link that it is fixed on, and where; None for the first one of a robot.
            name: of its link; by default that of its frame.
        """
        link = self.add_frame(name or self._frame(body.name), on)
        for geom in body.geoms:
            if geom.group == SEEN:
                _add_visual(link, spec, geom)
        for child in body.bodies:
            self.add_tree(spec, child)
            self._hang(body, child)

    def add_frame(self, name: str, on: tuple[str, Pose] | None) -> Element:
        """Add a link, fixed on another one as in `add_tree`."""
        link = SubElement(self._robot, "link", name=name)
        if on is not None:
            parent, mount = on
            self._add_joint(parent, name, mount.position, mount.orientation)
        return link

    def _hang(self, parent: mujoco.MjsBody, child: mujoco.MjsBody) -> None:
        names = self._frame(parent.name), self._frame(child.name)
        pose, moving = _pose(child), child.joints[0] if child.joints else None
        if moving is not None and np.any(moving.pos):  # URDF has links' origins at their joints
            x, y, z = (float(v) for v in moving.pos)
            pivot = f"{names[1]}_pivot"
            self.add_frame(pivot, None)
            self._add_joint(pivot, names[1], (-x, -y, -z), IDENTITY)
            names, pose = (names[0], pivot), pose @ Pose((x, y, z))
        joint = self._add_joint(*names, pose.position, pose.orientation)
        if moving is not None:
            joint.set("type", _KINDS[moving.type])
            joint.set("name", self._joint(moving.name))
            SubElement(joint, "axis", xyz=_numbers(moving.axis))
            low, high = moving.range
            # What it may do at most is in the profile of the robot; URDF wants some numbers here.
            SubElement(
                joint, "limit", lower=f"{low:g}", upper=f"{high:g}", effort="0", velocity="0"
            )

    def _add_joint(
        self, parent: str, child: str, position: Numbers, orientation: Numbers
    ) -> Element:
        joint = SubElement(self._robot, "joint", name=f"{parent}_to_{child}", type="fixed")
        SubElement(joint, "parent", link=parent)
        SubElement(joint, "child", link=child)
        _add_origin(joint, position, orientation)
        return joint


def _pose(body: mujoco.MjsBody) -> Pose:
    """In its parent's frame; a hand that was attached has others between."""
    pose, between = _placed(body), body.frame
    while between is not None:
        pose, between = _placed(between) @ pose, between.frame
    return pose


def _placed(element: mujoco.MjsBody | mujoco.MjsFrame) -> Pose:
    px, py, pz = (float(v) for v in element.pos)
    w, x, y, z = (float(v) for v in element.quat)
    return Pose((px, py, pz), (x, y, z, w))


def _add_visual(link: Element, spec: mujoco.MjSpec, geom: mujoco.MjsGeom) -> None:
    visual = SubElement(link, "visual")
    shape = SubElement(visual, "geometry")
    w, x, y, z = geom.quat
    position, orientation, size = geom.pos, np.array([x, y, z, w]), geom.size
    if not np.isnan(geom.fromto[0]):
        position, orientation, size = _between(geom)
    _add_origin(visual, position, orientation)
    if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = spec.mesh(geom.meshname)
        file = Path(spec.modelfiledir, spec.meshdir, mesh.file).resolve()
        SubElement(shape, "mesh", filename=file.as_uri(), scale=_numbers(mesh.scale))
    elif geom.type == mujoco.mjtGeom.mjGEOM_BOX:
        SubElement(shape, "box", size=_numbers(2 * size))
    else:  # a capsule, less its rounded ends
        SubElement(shape, "cylinder", radius=f"{size[0]:g}", length=f"{2 * size[1]:g}")
    rgba = spec.material(geom.material).rgba if geom.material else geom.rgba
    paint = SubElement(visual, "material", name="rgba_" + "_".join(f"{c:.3g}" for c in rgba))
    SubElement(paint, "color", rgba=_numbers(rgba))


def _between(geom: mujoco.MjsGeom) -> tuple[Array, Array, Array]:
    """Position, orientation (x, y, z, w) and size of a geom that is given by its two ends."""
    one, other = geom.fromto[:3], geom.fromto[3:]
    length = float(np.linalg.norm(other - one))
    turn = np.array(turn_from_z(tuple(other - one)))
    return (one + other) / 2, turn, np.array([geom.size[0], length / 2, 0.0])


def _add_origin(parent: Element, position: Numbers, orientation: Numbers) -> None:
    x, y, z, w = map(float, orientation)
    angles = _numbers(roll_pitch_yaw((x, y, z, w)))
    SubElement(parent, "origin", xyz=_numbers(position), rpy=angles)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)
