"""Does the Panda, in a given configuration, come too near to something? Answered with names.

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

from sayso.adapters.robots.panda import collision_spec
from sayso.adapters.robots.panda_facts import TOOL_OFFSET_M
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import rotation_matrix
from sayso.core.ports import Obstacle

Array = npt.NDArray[np.float64]

ITSELF = "the arm itself"
_SLOTS = 48
_HELD = "held"
_CHAIN = ("link0", "link1", "link2", "link3", "link4", "link5", "link6", "link7", "hand")
_SELF_MARGIN_M = 0.005


@dataclass(frozen=True)
class _Slot:
    """One obstacle in the model: `geom` is its index, `inverse` maps world to its own axes."""

    obstacle: Obstacle
    geom: int
    inverse: Array
    half: Array


class PandaCollision:
    """A collision world around the Panda with fully open fingers; not thread-safe: lock it.

    Attributes:
        limits: (7, 2) joint limits [rad].
        lock: to be held from `arrange` to the last question about that arrangement.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._model = _model_with_slots()
        self._data = mujoco.MjData(self._model)
        self._data.qpos[7:9] = 0.04
        self._held_geom = self._model.geom(_HELD).id
        self._first_slot = self._model.geom("slot0").id
        self._moving = np.array(_moving_geoms(self._model))
        self._self_pairs = np.array(_self_pairs(self._model))
        lower_arm = [g for g in _robot_geoms(self._model) if _link_number(self._model, g) <= 4]
        self._held_pairs = np.array([(g, self._held_geom) for g in lower_arm])
        self.limits = np.asarray(self._model.jnt_range[:7], dtype=float)
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
            lifted = np.array([0.0, 0.0, TOOL_OFFSET_M])
            self._shape(self._held_geom, held, np.asarray(held.pose.position) + lifted)

    def tolerate(self, joints: Array) -> None:
        """Shrink margins that this configuration already violates, so that it may be left.

        Whatever moves from here may then come no nearer than it is now.
        """
        self._pose(joints)
        for slot, parts in self._near_slots(self._parts()):
            nearest = min(self._distance(g, slot.geom, slot.obstacle.margin_m) for g in parts)
            if nearest < slot.obstacle.margin_m:
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
        self._data.qpos[:7] = joints
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
        self._shape(geom, obstacle, np.asarray(obstacle.pose.position))
        inverse = rotation_matrix(obstacle.pose.orientation).T
        return _Slot(obstacle, geom, inverse, np.asarray(obstacle.size) / 2)

    def _shape(self, geom: int, obstacle: Obstacle, position: Array) -> None:
        half = np.asarray(obstacle.size) / 2
        model = self._model
        cylinder = obstacle.shape == "cylinder"
        kinds = mujoco.mjtGeom
        model.geom_type[geom] = kinds.mjGEOM_CYLINDER if cylinder else kinds.mjGEOM_BOX
        model.geom_size[geom] = (half[0], half[2], 0.0) if cylinder else half
        model.geom_rbound[geom] = np.linalg.norm(half[1:] if cylinder else half)
        model.geom_pos[geom] = position
        x, y, z, w = obstacle.pose.orientation
        model.geom_quat[geom] = (w, x, y, z)
        model.geom_sameframe[geom] = 0  # or kinematics would skip the pose just written


def _model_with_slots() -> mujoco.MjModel:
    spec = collision_spec()
    box = mujoco.mjtGeom.mjGEOM_BOX
    spec.body("hand").add_geom(name=_HELD, type=box, size=[0.01] * 3, pos=[0, 0, 0.1])
    for i in range(_SLOTS):
        spec.worldbody.add_geom(name=f"slot{i}", type=box, size=[0.01] * 3, pos=[0, 0, -9])
    return spec.compile()


def _link_number(model: mujoco.MjModel, geom: int) -> int:
    """Place in the chain of the link that carries a geom; fingers count as the hand."""
    name = model.body(model.geom_bodyid[geom]).name
    return _CHAIN.index(name) if name in _CHAIN else len(_CHAIN) - 1


def _robot_geoms(model: mujoco.MjModel) -> list[int]:
    """Geoms of the arm and hand; of the fingers only the hull, which covers the pads."""
    return [g for g in range(model.ngeom) if model.geom_bodyid[g] > 0 and not _skipped(model, g)]


def _skipped(model: mujoco.MjModel, geom: int) -> bool:
    finger = "finger" in model.body(model.geom_bodyid[geom]).name
    is_mesh = model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH
    return model.geom(geom).name == _HELD or (finger and not is_mesh)


def _moving_geoms(model: mujoco.MjModel) -> list[int]:
    """All but the base, which stands where it stands."""
    return [g for g in _robot_geoms(model) if _link_number(model, g) > 0]


def _self_pairs(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Pairs of links far enough along the chain that touching is not by construction."""
    geoms = _robot_geoms(model)
    return [
        (a, b) for a in geoms for b in geoms if _link_number(model, a) + 3 <= _link_number(model, b)
    ]
