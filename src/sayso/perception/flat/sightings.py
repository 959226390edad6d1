"""From a mask to what it shows: points in the map, a colour, and how much is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.core.ports import InstanceMask, RgbdFrame
from sayso.perception.camera import Mask, rays
from sayso.perception.colors import Image
from sayso.perception.flat.settings import LookSettings

_THIN_PX = 60  # masks with fewer pixels are not eroded: nothing would be left
_PIECE = 0.05  # share of a mask below which a piece that is cut off by depth edges counts as stray
_APART_M = 0.35  # and how far a larger piece may lie from the largest one
_SAME_MASK = 0.7  # overlap over the smaller mask from which on two are of one thing
_COLOR_PIXELS = 400
_BORDER_PX = 2
_JUMP_M = 0.02


@dataclass(frozen=True, eq=False)
class Sighting:
    """One instance in one frame.

    Attributes:
        noun: what it was found as.
        score: of the finder.
        points: (N, 3) in the map.
        rgb: (M, 3) uint8, some of its pixels.
        frame: which frame, counted by the caller.
        stamp_s: of the frame.
        eye: where the camera was, (3,).
        distance_m: median depth.
        cut: True where the image's border cuts it off.
    """

    noun: str
    score: float
    points: Array
    rgb: Image
    frame: int
    stamp_s: float
    eye: Array
    distance_m: float
    cut: bool

    @property
    def low(self) -> Array:
        return np.asarray(self.points.min(axis=0))

    @property
    def high(self) -> Array:
        return np.asarray(self.points.max(axis=0))

    @property
    def diagonal_m(self) -> float:
        return float(np.linalg.norm(self.high - self.low))


def sightings(
    frame: RgbdFrame, masks: Sequence[InstanceMask], number: int, settings: LookSettings
) -> list[Sighting]:
    """What some masks of a frame show, best first; masks that double a better one are left out."""
    depth = np.nan_to_num(frame.depth_m, nan=0.0, posinf=0.0, neginf=0.0)
    usable = (depth > settings.near_m) & (depth < settings.reach_m)
    found = []
    for mask in _distinct([m for m in masks if m.score >= settings.least_score]):
        sighting = _sighting(frame, depth, usable, mask, number, settings)
        if sighting is not None:
            found.append(sighting)
    return found


def _distinct(masks: Sequence[InstanceMask]) -> list[InstanceMask]:
    """Without masks that mostly cover a better one of the same noun."""
    kept: list[InstanceMask] = []
    for mask in sorted(masks, key=lambda m: -m.score):
        area = int(mask.mask.sum())
        rivals = (k for k in kept if k.label == mask.label)
        if area and not any(
            (mask.mask & k.mask).sum() > _SAME_MASK * min(area, int(k.mask.sum())) for k in rivals
        ):
            kept.append(mask)
    return kept


def _sighting(
    frame: RgbdFrame,
    depth: npt.NDArray[np.float32],
    usable: Mask,
    found: InstanceMask,
    number: int,
    settings: LookSettings,
) -> Sighting | None:
    window = _window(found.mask)
    own = _solid(found.mask[window], depth[window], usable[window], settings)
    if int(own.sum()) < settings.least_points:
        return None
    directions = rays(frame.intrinsics)[window][own].astype(float)
    deep = depth[window][own].astype(float)
    points = frame.pose.transform(directions * deep[:, None])
    few = _few(points, settings)
    pixels = frame.rgb[window][own]
    step = -(-len(pixels) // _COLOR_PIXELS)
    return Sighting(
        found.label,
        float(found.score),
        points[few],
        pixels[::step],
        number,
        frame.stamp_s,
        np.asarray(frame.pose.position, float),
        float(np.median(deep)),
        _cut(found.mask),
    )


def _window(mask: Mask) -> tuple[slice, slice]:
    """The part of the image around a mask that is not empty."""
    rows, columns = (np.flatnonzero(mask.any(axis=a)) for a in (1, 0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _cut(mask: Mask) -> bool:
    b = _BORDER_PX
    return bool(mask[:b].any() or mask[-b:].any() or mask[:, :b].any() or mask[:, -b:].any())


def _solid(
    mask: Mask, depth: npt.NDArray[np.float32], usable: Mask, settings: LookSettings
) -> Mask:
    """Pixels of a mask whose depth is its own: off its rim, off depth edges, no stray pieces."""
    inner = mask
    if settings.erode_px and int(mask.sum()) > _THIN_PX:
        size = 2 * settings.erode_px + 1
        framed = np.pad(mask.astype(np.uint8), 1)
        inner = cv2.erode(framed, np.ones((size, size), np.uint8))[1:-1, 1:-1] > 0
        if int(inner.sum()) < settings.least_points:
            inner = mask
    inner = inner & usable
    smooth = inner & ~_edges(depth, inner, settings.edge_jump_m)
    if int(smooth.sum()) < max(settings.least_points, 0.3 * int(inner.sum())):
        return inner
    return _without_strays(smooth, depth)


def _edges(depth: npt.NDArray[np.float32], own: Mask, jump: float) -> Mask:
    """Pixels of the mask at which depth jumps.

    Over a plane the inverse of depth is linear in the image, however flat it is seen; so a jump
    is where the inverse differs from the middle of its neighbours' on either side.
    """
    found = np.zeros(own.shape, bool)
    inverse = np.where(own, 1.0 / np.where(own, depth, 1.0), 0.0)
    for axis in (0, 1):
        if own.shape[axis] < 3:
            continue
        before, here, after = (
            np.moveaxis(inverse, axis, 0)[i : own.shape[axis] - 2 + i] for i in (0, 1, 2)
        )
        all_own = np.moveaxis(own, axis, 0)
        all_own = all_own[:-2] & all_own[1:-1] & all_own[2:]
        bend = np.abs(before - 2 * here + after) > jump * here + _JUMP_M * here**2
        np.moveaxis(found, axis, 0)[1:-1] |= bend & all_own
    return found


def _without_strays(own: Mask, depth: npt.NDArray[np.float32]) -> Mask:
    """Without small pieces, and larger ones far behind or before the largest."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(own.astype(np.uint8), connectivity=8)
    if count <= 2:
        return own
    areas = stats[:, cv2.CC_STAT_AREA].astype(float)
    areas[0] = 0
    main = int(areas.argmax())
    low, high = np.percentile(depth[labels == main], (2, 98))
    kept = np.zeros(count, bool)
    for i in np.flatnonzero(areas >= _PIECE * areas[main]):
        middle = float(np.median(depth[labels == i]))
        kept[i] = i == main or low - _APART_M < middle < high + _APART_M
    kept[0] = False
    return np.asarray(kept[labels])


def _few(points: Array, settings: LookSettings) -> npt.NDArray[np.intp]:
    """Indices of points spread evenly over the surface: one of each small cube."""
    low = points.min(axis=0)
    diagonal = float(np.linalg.norm(points.max(axis=0) - low))
    voxel = float(np.clip(diagonal / 30, 0.004, settings.voxel_m))
    cells = np.floor((points - low) / voxel).astype(np.int64)
    keys = (cells[:, 0] << 40) | (cells[:, 1] << 20) | cells[:, 2]
    # The middle one of the pixels in a cube: the first would always be its upper rim.
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(keys[order]) > 0])
    ends = np.r_[starts[1:], len(order)]
    chosen = np.sort(order[(starts + ends) // 2])
    step = len(chosen) / settings.points
    if step <= 1:
        return np.asarray(chosen)
    return np.asarray(chosen[(np.arange(settings.points) * step).astype(int)])
