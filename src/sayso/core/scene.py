"""The observed scene: objects with poses, sizes and categories, and the robot's state.

All positions are metres in the frame `Scene.frame` (default `world`, z up, x forward
from the robot's base, y to its left).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import IDENTITY, Array, Pose, Quaternion, Vector3, rotation_matrix
from sayso.core.occupied import Occupied

AttributeValue = bool | float | str
"""A truth, a number, or words; a colour is the word for it."""
_SIGNS = np.array(list(product((-1, 1), repeat=3)))  # of the corners of a box


@dataclass(frozen=True, eq=False)
class Picture:
    """The part of one camera's frame that shows a thing. Not to be changed.

    Attributes:
        rgb: (h, w, 3) 8-bit red, green, blue.
        depth_m: (h, w) along the optical axis, 32-bit; 0 where none was measured.
        mask: (h, w) which pixels are of the thing.
    """

    rgb: npt.NDArray[np.uint8]
    depth_m: npt.NDArray[np.float32]
    mask: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SceneObject:
    """One tracked object.

    Attributes:
        name: unique and stable while the object is tracked, such as `red_block`.
        category: what kind of thing it is, such as `block`.
        color: its colour's name, or '' if none was recognised.
        position: centre of the 3D box [m].
        orientation: of the box's axes (x, y, z, w).
        size: extent of the box along its own axes [m].
        confidence: of the category, 0 to 1.
        last_seen_s: stamp of the last frame that showed it.
        visible: False while hidden (then the pose is remembered, not observed).
        carried: True while the pose is inferred from the gripper that holds it.
        let_go: True from when the gripper let go of it until it is seen: it was where its pose says
            then, and where it came to lie was not observed.
        living: whether it is a person or an animal, which goes where it wants.
        velocity: when it was seen last [m/s]; zero for what stood or was not followed.
        off_m: how far its place may be off: two standard deviations; 0 where nobody told.
        attributes: what else was observed of it, by name, such as `opening_m` of a drawer or
            `lit` of a lamp; a library declares them (`vocabulary.Attribute`). What is not there
            was not observed. Not to be changed.
        points: (N, 3) surface points in the scene's frame, for grasping; may be empty.
        picture: what a camera shows of it now, where predicates are decided that ask for it.
    """

    name: str
    category: str
    color: str
    position: Vector3
    size: Vector3
    orientation: Quaternion = IDENTITY
    confidence: float = 1.0
    last_seen_s: float = 0.0
    visible: bool = True
    carried: bool = False
    let_go: bool = False
    living: bool = False
    velocity: Vector3 = (0.0, 0.0, 0.0)
    off_m: float = 0.0
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict, hash=False)
    points: npt.NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 3), np.float32), compare=False, repr=False
    )
    picture: Picture | None = field(default=None, compare=False, repr=False)

    @property
    def pose(self) -> Pose:
        return Pose(self.position, self.orientation)

    def number(self, attribute: str) -> float | None:
        """An attribute that is a number; None where it was not observed."""
        value = self.attributes.get(attribute)
        return None if value is None else float(value)

    def distance_to(self, point: Vector3 | Array) -> float:
        """Distance from a point of the scene's frame to the box; 0 inside [m]."""
        offset = [float(p) - c for p, c in zip(point, self.position, strict=True)]
        local = (offset @ rotation_matrix(self.orientation)).tolist()
        return math.hypot(
            *(max(abs(c) - s / 2, 0.0) for c, s in zip(local, self.size, strict=True))
        )

    def distances_to(self, points: Array) -> Array:
        """As `distance_to`, of many points (..., 3): (...) [m]."""
        local = (points - np.asarray(self.position)) @ rotation_matrix(self.orientation)
        outside = np.maximum(np.abs(local) - np.asarray(self.size) / 2, 0.0)
        return np.asarray(np.linalg.norm(outside, axis=-1))

    def corners(self) -> Array:
        """The (8, 3) corners of the box in the scene's frame; nobody can write into them."""
        return self._corners

    @cached_property
    def _corners(self) -> Array:
        local = _SIGNS * np.asarray(self.size) / 2
        corners: Array = local @ rotation_matrix(self.orientation).T + np.asarray(self.position)
        corners.setflags(write=False)
        return corners


@dataclass(frozen=True)
class RobotState:
    """What the robot reports of itself.

    Attributes:
        stamp_s: time of the joint reading.
        joint_positions: arm joints, base to tip [rad].
        gripper_width_m: distance between the fingers.
        gripper_max_width_m: that distance when the gripper is open.
        gripper: pose of the tool centre point (between the fingertips; z is the approach
            direction, y the direction in which the fingers close).
        base: pose of a mobile base's centre; None for an arm that stands still.
    """

    stamp_s: float = 0.0
    joint_positions: tuple[float, ...] = ()
    gripper_width_m: float = 0.08
    gripper: Pose = Pose((0.3, 0.0, 0.5))
    base: Pose | None = None
    gripper_max_width_m: float = 0.08

    @property
    def finite(self) -> bool:
        """Whether every reading is a number."""
        poses = (self.gripper,) if self.base is None else (self.gripper, self.base)
        numbers = [self.gripper_width_m, *self.joint_positions]
        for pose in poses:
            numbers += (*pose.position, *pose.orientation)
        return all(map(math.isfinite, numbers))


@dataclass(frozen=True)
class Scene:
    """Everything observed at one time.

    Attributes:
        stamp_s: stamp of the newest camera frame that contributed.
        objects: tracked objects, names unique.
        robot: the robot's state nearest to the stamp.
        table_height_m: observed height of the table's plane.
        occupied: what a map says stands on the floor; None where there is no map. Nodes take it
            from the map itself: it is no part of a scene's message.
    """

    stamp_s: float
    objects: tuple[SceneObject, ...]
    robot: RobotState = RobotState()
    table_height_m: float = 0.0
    frame: str = "world"
    occupied: Occupied | None = field(default=None, compare=False, repr=False)

    @property
    def finite(self) -> bool:
        """Whether places, how far these may be off, sizes, velocities, and numbers among
        attributes, are finite, and the robot's too."""
        things = (
            (*o.position, o.off_m, *o.size, *o.orientation, *o.velocity, *_numbers(o))
            for o in self.objects
        )
        return self.robot.finite and all(map(math.isfinite, chain.from_iterable(things)))

    def by_name(self) -> Mapping[str, SceneObject]:
        return {o.name: o for o in self.objects}

    def categories(self) -> Mapping[str, str]:
        """What kind of thing each is, by its name."""
        return {o.name: o.category for o in self.objects}


def _numbers(thing: SceneObject) -> Iterator[float]:
    return (v for v in thing.attributes.values() if not isinstance(v, str))
