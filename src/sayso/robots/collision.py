"""Does an arm, in a given configuration, come too near to something? Answered with names.

The arm's convex collision meshes against a set of boxes and upright cylinders that is replaced
for every question, each with its own clearance; the arm against itself; and what the hand
holds against all of these. Bounding spheres sort out far pairs (vectorised); near pairs are
decided by MuJoCo's exact convex distance.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, rotation_matrix
from sayso.core.ports import Obstacle
from sayso.robots.description import Layout, collision_spec, layout
from sayso.robots.kinematics import joint_limits
from sayso.robots.profile import RobotProfile

Array = npt.NDArray[np.float64]

ITSELF = "the arm itself"
_SLOTS = 48
_HELD = "held"
_SELF_MARGIN_M = 0.005
_ROUNDING_M = 1e-4


@dataclass(frozen=True)
class _Slot:
    """One obstacle in the model: `geom` is its index, `inverse` maps world to its own axes."""

    obstacle: Obstacle
    geom: int
    inverse: Array
    half: Array


class ArmCollision:
    """A collision world around an arm with fully open fingers; not thread-safe: lock it.

    Attributes:
        limits: (J, 2) joint limits [rad].
        fixed: bodies of the description that no joint of the arm moves.
        lock: to be held from `arrange` to the last question about that arrangement.
    """

    def __init__(self, robot: RobotProfile) -> None:
        self.lock = threading.Lock()
        self._model = _model_with_slots(robot)
        self._data = mujoco.MjData(self._model)
        parts = layout(self._model, robot)
        parts.set(self._data.qpos, robot.home, robot.hand.open_at)
        self._qpos, self._tool = parts.arm, robot.hand.tool
        self._held_geom = self._model.geom(_HELD).id
        self._first_slot = self._model.geom("slot0").id
        still = (b for b, d in zip(parts.bodies, parts.depth, strict=True) if d == 0)
        self.fixed = tuple(str(self._model.body(int(b)).name) for b in still)
        depth = _depths(self._model, parts)
        lower = len(robot.joints) - 3
        self._moving = np.array([g for g in depth if depth[g] > 0])
        self._self_pairs = np.array(_self_pairs(depth))
        self._held_pairs = np.array([(g, self._held_geom) for g in depth if depth[g] <= lower])
        self.limits = joint_limits(self._model, parts.arm)
        self._slots: tuple[_Slot, ...] = ()
        self._held: Obstacle | None = None
        self._line = np.zeros(6)

    def arrange(self, obstacles: Sequence[Obstacle], held: Obstacle | None = None) -> None:
        """Replace the obstacles and what the hand holds (posed in the tool frame).

        Raises:
            SaySoError: LIMIT for more obstacles than the model has room for.
        """
        if len(obstacles) > _SLOTS:
            raise SaySoError(
                Code.LIMIT, f"{len(obstacles)} obstacles, but the motion planner takes {_SLOTS}."
            )
        self._slots = tuple(self._place(i, o) for i, o in enumerate(obstacles))
        self._stack_slots()
        self._held = held
        if held is not None:
            self._shape(self._held_geom, held, self._tool @ held.pose)

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """As arranged, with the margins that are still kept (`tolerate`)."""
        return tuple(slot.obstacle for slot in self._slots)

    def tolerate(self, joints: Array) -> None:
        """Shrink margins that this configuration already violates, so that it may be left.

        Whatever moves from here may then come no nearer than it is now.
        """
        self._pose(joints)
        for slot, parts in self._near_slots(self._parts()):
            nearest = min(self._distance(g, slot.geom, slot.obstacle.margin_m) for g in parts)
            # What stands just as near as it may would be too near by rounding alone.
            if nearest < slot.obstacle.margin_m + _ROUNDING_M:
                obstacle = replace(slot.obstacle, margin_m=nearest - 2e-3)
                index = self._slots.index(slot)
                slots = (*self._slots[:index], replace(slot, obstacle=obstacle))
                self._slots = (*slots, *self._slots[index + 1 :])
        self._stack_slots()

    def hit(self, joints: Array) -> str | None:
        """The name of what the arm is too near to in this configuration, or None."""
        self._pose(joints)
        for slot, parts in self._near_slots(self._parts()):
            margin = slot.obstacle.margin_m
            if any(self._distance(g, slot.geom, margin) < margin for g in parts):
                return slot.obstacle.name
        return ITSELF if self._hits_itself() else None

    def _pose(self, joints: Array) -> None:
        self._data.qpos[self._qpos] = joints
        mujoco.mj_kinematics(self._model, self._data)

    def _parts(self) -> Array:
        return self._moving if self._held is None else np.append(self._moving, self._held_geom)

    def _near_slots(self, parts: Array) -> list[tuple[_Slot, Array]]:
        """Slots with the moving parts whose bounding spheres are within the slot's margin."""
        if not self._slots:
            return []
        centres = self._data.geom_xpos[parts]
        local = np.einsum("nij,nmj->nmi", self._inverses, centres[None] - self._centres[:, None])
        outside = np.maximum(np.abs(local) - self._halves[:, None], 0.0)
        gap = np.sqrt((outside**2).sum(axis=2)) - self._model.geom_rbound[parts]
        near = gap < self._margins[:, None]
        return [(self._slots[i], parts[near[i]]) for i in np.flatnonzero(near.any(axis=1))]

    def _stack_slots(self) -> None:
        self._inverses = np.array([s.inverse for s in self._slots])
        self._centres = np.array([s.obstacle.pose.position for s in self._slots])
        self._halves = np.array([s.half for s in self._slots])
        self._margins = np.array([s.obstacle.margin_m for s in self._slots])

    def _hits_itself(self) -> bool:
        pairs = self._self_pairs
        if self._held is not None:
            pairs = np.concatenate([pairs, self._held_pairs])
        positions, radii = self._data.geom_xpos, self._model.geom_rbound
        gap = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
        near = pairs[gap < radii[pairs].sum(axis=1) + _SELF_MARGIN_M]
        return any(self._distance(a, b, _SELF_MARGIN_M) < _SELF_MARGIN_M for a, b in near)

    def _distance(self, a: int, b: int, margin_m: float) -> float:
        limit = max(margin_m, 0.0) + 0.001
        return float(
            mujoco.mj_geomDistance(self._model, self._data, int(a), int(b), limit, self._line)
        )

    def _place(self, index: int, obstacle: Obstacle) -> _Slot:
        geom = self._first_slot + index
        self._shape(geom, obstacle, obstacle.pose)
        inverse = rotation_matrix(obstacle.pose.orientation).T
        return _Slot(obstacle, geom, inverse, np.asarray(obstacle.size) / 2)

    def _shape(self, geom: int, obstacle: Obstacle, pose: Pose) -> None:
        half = np.asarray(obstacle.size) / 2
        model = self._model
        cylinder = obstacle.shape == "cylinder"
        kinds = mujoco.mjtGeom
        model.geom_type[geom] = kinds.mjGEOM_CYLINDER if cylinder else kinds.mjGEOM_BOX
        model.geom_size[geom] = (half[0], half[2], 0.0) if cylinder else half
        model.geom_rbound[geom] = np.linalg.norm(half[1:] if cylinder else half)
        model.geom_pos[geom] = pose.position
        x, y, z, w = pose.orientation
        model.geom_quat[geom] = (w, x, y, z)
        model.geom_sameframe[geom] = 0  # or kinematics would skip the pose just written


def _model_with_slots(robot: RobotProfile) -> mujoco.MjModel:
    spec = collision_spec(robot)
    box = mujoco.mjtGeom.mjGEOM_BOX
    spec.body(robot.hand.body).add_geom(name=_HELD, type=box, size=[0.01] * 3, pos=[0, 0, 0.1])
    for i in range(_SLOTS):
        spec.worldbody.add_geom(name=f"slot{i}", type=box, size=[0.01] * 3, pos=[0, 0, -9])
    return spec.compile()


def _depths(model: mujoco.MjModel, parts: Layout) -> dict[int, int]:
    """The robot's geoms with how many of the arm's joints move each; a hand's count one more.

    Of a body that has meshes only these, which cover its other shapes.
    """
    result: dict[int, int] = {}
    for body, depth in zip(parts.bodies, parts.depth, strict=True):
        geoms = [g for g in np.flatnonzero(model.geom_bodyid == body) if not _is_held(model, g)]
        meshes = [g for g in geoms if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]
        result |= {int(g): int(depth) for g in meshes or geoms}
    return result


def _is_held(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom(geom).name == _HELD)


def _self_pairs(depth: dict[int, int]) -> list[tuple[int, int]]:
    """Pairs of links far enough along the chain that touching is not by construction."""
    return [(a, b) for a in depth for b in depth if depth[a] + 3 <= depth[b]]
