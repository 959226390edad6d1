"""Where the hand can take hold of a thing: geometric candidates, best first.

Compact things are taken across their faces from above; hollow ones (mug, bowl) by the rim, one
finger inside and one outside; drawers by the bar of their handle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.skills.poses import downward, looking, yaw_of
from sayso.skills.settings import SkillSettings

BY_THE_RIM = frozenset({"mug", "bowl"})
_RIM_DIRECTIONS = 12
_RIM_WALL_M = 0.003
_RIM_DEPTH_M = 0.012
_HANDLE_OPENING_M = 0.036
_HANDLE_CLEAR_RAD = 0.6
_TILTS = (0.0, 0.35, -0.35)
_SPARE_M = 0.01
"""By so much the open hand is wider than what it takes."""
_OFF_TABLE_M = _OFF_PALM_M = 0.004
_SHALLOWEST_M = 0.012
"""How far below a thing's top the tool is at least."""
_LAYER_M = 0.01
_FEW_POINTS, _STRAYS = 12, 0.02
"""Fewer tell nothing of how wide a layer is; this share of them may stick out at each side."""


@dataclass(frozen=True)
class Grasp:
    """A way to take hold of something.

    Attributes:
        tool: pose of the tool centre point when the fingers close.
        opening_m: width of the hand during the approach.
        hold_m: expected width when it is held, or None if any will do.
        rank: lower ones are better; among equals the one that is reached soonest.
        gap_m: between the thing and a jaw that does not move, as the hand comes down.
    """

    tool: Pose
    opening_m: float
    hold_m: float | None = None
    rank: int = 0
    gap_m: float = 0.0


class GraspFinder(Protocol):
    """Says where the hand may take hold of a thing; whether the arm gets there, and strikes
    nothing on the way, is asked of the motion planner afterwards."""

    def grasps(self, obj: SceneObject, scene: Scene, settings: SkillSettings) -> tuple[Grasp, ...]:
        """Candidates, best first. Raises UNSUPPORTED if there are none."""


class Geometric:
    """Grasp finder by the shapes of things' boxes and clouds: see `grasps`."""

    def grasps(self, obj: SceneObject, scene: Scene, settings: SkillSettings) -> tuple[Grasp, ...]:
        return grasps(obj, scene, settings)


def grasps(obj: SceneObject, scene: Scene, settings: SkillSettings) -> tuple[Grasp, ...]:
    """Candidates for an object. Raises UNSUPPORTED if the hand cannot hold such a thing."""
    if obj.category in BY_THE_RIM:
        return tuple(_rim_grasps(obj, settings))
    found = tuple(_face_grasps(obj, scene, settings))
    if not found:
        size = " x ".join(f"{100 * s:.0f}" for s in obj.size[:2])
        raise SaySoError(
            Code.UNSUPPORTED,
            f"{obj.name} ({size} cm) is too wide for the hand, which opens "
            f"{100 * settings.open_width_m:.0f} cm.",
        )
    return found


def handle_grasps(drawer: SceneObject, settings: SkillSettings) -> tuple[Grasp, ...]:
    """Around the handle's bar, from in front and above at several slants."""
    r = rotation_matrix(drawer.orientation)
    inward = r[:, 0]
    up = np.array([0.0, 0.0, 1.0])
    face = np.asarray(drawer.position) - inward * drawer.size[0] / 2
    bar = face - inward * settings.handle_standoff_m
    found = []
    for rank, slant in enumerate(np.radians([45.0, 35.0, 55.0, 25.0])):
        approach = inward * np.sin(slant) - up * np.cos(slant)
        closing = inward * np.cos(slant) + up * np.sin(slant)
        for sign in (1.0, -1.0):
            tool = looking(approach, sign * closing, bar)
            found.append(Grasp(tool, _HANDLE_OPENING_M, rank=rank))
    return tuple(found)


def _face_grasps(obj: SceneObject, scene: Scene, settings: SkillSettings) -> Iterator[Grasp]:
    """Across the faces of a box that are near enough, from both sides, upright first.

    A tall thing is taken near its top, as deep as the palm lets it in.
    """
    top = obj.position[2] + obj.size[2] / 2
    lowest = scene.table_height_m + settings.fingertip_m + _OFF_TABLE_M
    yaw, inside = yaw_of(obj.pose), max(obj.position[2], lowest)
    for rank, tilt in enumerate(_TILTS):
        for axis in (0, 1):
            height = max(inside, top - settings.palm_m + _OFF_PALM_M)
            middle, widths = _across(obj, height - settings.fingertip_m, top)
            height = max(inside, top - _room_m(tilt, float(widths[1 - axis]) / 2, settings))
            shallow = height > inside and top - height < _SHALLOWEST_M
            if widths[axis] > settings.open_width_m - _SPARE_M or shallow:
                continue
            tips, pads = height - settings.fingertip_m, height + settings.fingertip_m
            hold_m = float(_across(obj, tips, pads)[1][axis])
            for turn in (0.0, np.pi):
                tool = downward(np.array([*middle, height]), yaw + axis * np.pi / 2 + turn, tilt)
                yield Grasp(tool, settings.open_width_m, hold_m, rank)


def _room_m(tilt: float, near_m: float, settings: SkillSettings) -> float:
    """How far below a thing's top the tool may be, for the upper edge towards which the hand leans
    not to meet the palm.

    Args:
        near_m: from the thing's middle to that edge.
    """
    room_m = settings.palm_m - _OFF_PALM_M - near_m * abs(np.sin(tilt))
    return float(room_m / np.cos(tilt))


def _across(obj: SceneObject, low: float, high: float) -> tuple[Array, Array]:
    """Middle (2,) and largest widths (2,) along its own axes of what was seen of a thing between
    two heights; of all of it where little was seen there, or they take in most of it."""
    middle, widths = np.asarray(obj.position)[:2], np.asarray(obj.size)[:2]
    if not len(obj.points) or low < obj.position[2] - obj.size[2] / 4:
        return middle, widths
    points = obj.points.astype(float)
    local = obj.pose.inverse().transform(points)[:, :2]
    layers = np.floor((points[:, 2] - low) / _LAYER_M)
    seen = [
        np.quantile(local[layers == n], (_STRAYS, 1 - _STRAYS), axis=0)
        for n in range(int(np.ceil((high - low) / _LAYER_M)))
        if (layers == n).sum() >= _FEW_POINTS
    ]
    if not seen:
        return middle, widths
    near, far = np.min([s[0] for s in seen], axis=0), np.max([s[1] for s in seen], axis=0)
    centre = np.array([[*((near + far) / 2), 0.0]])
    return obj.pose.transform(centre)[0, :2], np.minimum(far - near, widths)


def _rim_grasps(obj: SceneObject, settings: SkillSettings) -> Iterator[Grasp]:
    """Across the wall of a round hollow thing, away from its handle if that was seen."""
    centre = np.asarray(obj.position)
    radius = min(obj.size[0], obj.size[1]) / 2 - _RIM_WALL_M
    height = centre[2] + obj.size[2] / 2 - _RIM_DEPTH_M
    handle = _handle_direction(obj)
    for angle in 2 * np.pi * np.arange(_RIM_DIRECTIONS) / _RIM_DIRECTIONS:
        if handle is not None and abs(_wrapped(angle - handle)) < _HANDLE_CLEAR_RAD:
            continue
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        position = np.array([*(centre + radius * out)[:2], height])
        for turn in (0.0, np.pi):
            yield Grasp(downward(position, angle + turn), settings.open_width_m)


def _handle_direction(obj: SceneObject) -> float | None:
    """The direction in which the object's points reach beyond its round body, if any do."""
    if not len(obj.points):
        return None
    out: Array = obj.points[:, :2].astype(float) - np.asarray(obj.position)[:2]
    far = out[np.linalg.norm(out, axis=1) > min(obj.size[:2]) / 2 + 0.008]
    if len(far) < 5:
        return None
    x, y = far.mean(axis=0)
    return float(np.arctan2(y, x))


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
