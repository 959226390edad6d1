"""A robot's description as a MuJoCo model: read from MJCF or URDF, a hand of its own attached."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.robots.profile import Attachment, RobotProfile

MODELS = Path(sys.prefix) / "share" / "sayso" / "models"
"""Where set-up lays the models of robots."""

_HAND = "hand_"


def robot_spec(robot: RobotProfile) -> mujoco.MjSpec:
    """A fresh spec of the robot at the origin, without lights and keyframes.

    Raises:
        SaySoError: MISSING_DEPENDENCY for a description that is not there, CONFIG for one that
            MuJoCo cannot read or that lacks what the profile names.
    """
    spec = _read(robot, robot.description)
    if robot.root:
        _leave_arm(robot, spec)
    if robot.hand.attached is not None:
        _attach(robot, spec, robot.hand.attached)
    _check_names(robot, spec)
    return spec


def collision_spec(robot: RobotProfile) -> mujoco.MjSpec:
    """The robot with collision shapes only and a site `tcp`: compiles in a fraction of the time."""
    spec = robot_spec(robot)
    for geom in list(spec.geoms):
        if not (geom.contype or geom.conaffinity):
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    x, y, z, w = robot.hand.tool.orientation
    hand = spec.body(robot.hand.body)
    hand.add_site(name="tcp", pos=robot.hand.tool.position, quat=[w, x, y, z])
    return spec


@dataclass(frozen=True)
class Layout:
    """Where a robot's parts are in a compiled model that contains it.

    Attributes:
        arm: (J,) indices of the arm's joints in qpos.
        arm_dof: (J,) the same in qvel.
        fingers, finger_dof: (F,) the same of the driven finger joints.
        follow: (M,) indices in qpos of what the fingers move; `factors` (M,) by how much.
        bodies: (B,) of the robot, root first.
        depth: (B,) how many of the arm's joints move each body; those of the hand one more.
    """

    arm: npt.NDArray[np.int64]
    arm_dof: npt.NDArray[np.int64]
    fingers: npt.NDArray[np.int64]
    finger_dof: npt.NDArray[np.int64]
    follow: npt.NDArray[np.int64]
    factors: Array
    bodies: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int64]

    def set(self, qpos: Array, joints: Array | Sequence[float], fingers: float | Array) -> None:
        """Write the arm's joints and the driven fingers' positions, with what these move."""
        qpos[self.arm] = joints
        qpos[self.fingers] = fingers
        qpos[self.follow] = self.factors * np.mean(fingers)


def layout(model: mujoco.MjModel, robot: RobotProfile, prefix: str = "") -> Layout:
    """Args: prefix: of the robot's names in the model."""
    joints = [model.joint(prefix + j.joint) for j in robot.joints]
    fingers = [model.joint(prefix + j) for j in robot.hand.fingers.values()]
    follow = [model.joint(prefix + j).qposadr[0] for j in robot.hand.follow]
    moved = [int(j.bodyid[0]) for j in joints]
    first = _root(model, moved[0], prefix)
    bodies = [b for b in range(model.nbody) if first in _line(model, b)]
    return Layout(
        arm=np.array([j.qposadr[0] for j in joints]),
        arm_dof=np.array([j.dofadr[0] for j in joints]),
        fingers=np.array([j.qposadr[0] for j in fingers]),
        finger_dof=np.array([j.dofadr[0] for j in fingers]),
        follow=np.array(follow, dtype=np.int64),
        factors=np.array(list(robot.hand.follow.values())),
        bodies=np.array(bodies),
        depth=np.array([_depth(model, b, moved) for b in bodies]),
    )


def _root(model: mujoco.MjModel, body: int, prefix: str) -> int:
    """The robot's outermost body: all of them carry the prefix."""
    *_, outermost = (b for b in _line(model, body) if model.body(b).name.startswith(prefix))
    return outermost


def _line(model: mujoco.MjModel, body: int) -> Iterator[int]:
    """A body and what carries it, without the world."""
    while body:
        yield body
        body = int(model.body_parentid[body])


def _depth(model: mujoco.MjModel, body: int, moved: Sequence[int]) -> int:
    count = sum(b in moved for b in _line(model, body))
    return count + (count == len(moved) and body != moved[-1])


def _read(robot: RobotProfile, description: str) -> mujoco.MjSpec:
    path = _find(robot, description)
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise SaySoError(
            Code.CONFIG, f"robot '{robot.name}': {path} is no description: {error}."
        ) from error
    for key in list(spec.keys):
        spec.delete(key)  # a keyframe's size would not fit once anything is added
    for light in list(spec.lights):
        spec.delete(light)
    for mesh in spec.meshes:  # a hand's are elsewhere than its arm's
        mesh.file = str(path.parent / spec.meshdir / mesh.file)
    return spec


def _find(robot: RobotProfile, description: str) -> Path:
    for folder in (Path(robot.folder), MODELS, *map(Path, sys.path)):
        if (path := folder / description).is_file():
            return path
    raise SaySoError(
        Code.MISSING_DEPENDENCY,
        f"robot '{robot.name}': there is no description {description} in {MODELS}.",
        hint="tools/setup.sh lays the models of SaySo's robots there, tools/extras.sh those of the "
        "extras.",
    )


def _leave_arm(robot: RobotProfile, spec: mujoco.MjSpec) -> None:
    """Take away what carries the arm in its description; its foot is at the origin then."""
    arm = _named(robot, spec, "body", robot.root)
    body = arm
    while body.name != "world":
        body.pos, body.quat = [0, 0, 0], [1, 0, 0, 0]
        above = body.parent
        for other in [b for b in above.bodies if b.name != body.name]:
            spec.delete(other)
        for part in [] if above.name == "world" else [*above.geoms, *above.joints]:
            spec.delete(part)
        above.mass, above.inertia, above.explicitinertial = 0.0, [0, 0, 0], False
        body = above


def _attach(robot: RobotProfile, spec: mujoco.MjSpec, at: Attachment) -> None:
    site = _named(robot, spec, "site", at.site)
    turn = [np.cos(at.turn_rad / 2), 0.0, 0.0, np.sin(at.turn_rad / 2)]
    mount = site.parent.add_frame(pos=site.pos, quat=_times(site.quat, turn))
    hand = _read(robot, at.description)
    # The arm's, or MuJoCo would warn that they differ.
    hand.option.cone, hand.option.impratio = spec.option.cone, spec.option.impratio
    hand.option.integrator, hand.option.timestep = spec.option.integrator, spec.option.timestep
    spec.attach(hand, frame=mount, prefix=_HAND)


def _times(a: Array, b: Sequence[float]) -> Array:
    product, left = np.zeros(4), np.array(a, dtype=float)
    mujoco.mju_mulQuat(product, left / np.linalg.norm(left), np.array(b))
    return product


def _check_names(robot: RobotProfile, spec: mujoco.MjSpec) -> None:
    for joint in (
        *(j.joint for j in robot.joints),
        *robot.hand.fingers.values(),
        *robot.hand.follow,
    ):
        _named(robot, spec, "joint", joint)
    for body in (robot.hand.body, *robot.hand.pads):
        _named(robot, spec, "body", body)
    for mesh in robot.hand.teeth:
        _named(robot, spec, "mesh", mesh)
    _named(robot, spec, "actuator", robot.hand.motor)


def _named(robot: RobotProfile, spec: mujoco.MjSpec, kind: str, name: str) -> mujoco.MjsElement:
    found = getattr(spec, kind)(name)
    if found is None:
        every = {
            "body": spec.bodies,
            "joint": spec.joints,
            "mesh": spec.meshes,
            "site": spec.sites,
        }
        raise SaySoError(
            Code.CONFIG,
            f"robot '{robot.name}': its description has no {kind} '{name}'.",
            choices=[e.name for e in every.get(kind, spec.actuators) if e.name],
        )
    return found
