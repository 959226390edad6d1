"""Things that stand on the floor or on furniture, cut out of one frame by geometry alone.

Above the floor, walls are whatever reaches up to `wall_m`; the rest falls into pieces where
depth jumps. Each level face of a piece is a top that smaller things stand on: what rises from it
is cut off and stands there by itself. Nothing is assumed of colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sayso.core.ports import RgbdFrame
from sayso.perception.camera import Cloud, Floats, Mask, cloud

_BIN_M = 0.02  # of the heights in which level faces are looked for
_APART_M = 0.06
_TOUCH_SHARE = 0.04  # of what surrounds it in the image
_HIDDEN_SHARE = 0.04  # of an outline that may be behind something by chance


@dataclass(frozen=True)
class StandingSettings:
    """How a frame is cut; metres.

    Attributes:
        stride: every how many pixels are looked at, along rows and columns.
        near_m, far_m: depths between which points count; nearer ones may be the robot's own.
        rise_m, rise_share: what a point must be above a level surface to stand on it: the first,
            and the second times the squared depth, as noise grows.
        gap_m, gap_share: largest step between neighbouring points of one piece, and its growth
            with depth.
        wall_m: what reaches higher is a wall, a door or a pillar, and is left out.
        cell_m: resolution in which walls are found.
        level_m2: least area of a face that things stand on.
        fewest: points of the smallest piece.
    """

    stride: int = 2
    near_m: float = 0.9
    far_m: float = 6.0
    rise_m: float = 0.012
    rise_share: float = 0.004
    gap_m: float = 0.03
    gap_share: float = 0.015
    wall_m: float = 1.97
    cell_m: float = 0.05
    level_m2: float = 0.03
    fewest: int = 25


@dataclass(frozen=True, eq=False)
class Standing:
    """One thing that stands on something.

    Attributes:
        pixels: (h, w) of the grid of every `stride`-th pixel, True on the thing.
        points: (N, 3) in the scene's frame.
        rgb: (N, 3) uint8.
        level_m: height of what it stands on; 0 for the floor.
        whole: False if the image's edge, something nearer or a wall may hide a part of it.
    """

    pixels: Mask
    points: Floats
    rgb: npt.NDArray[np.uint8]
    level_m: float
    whole: bool


def standing(frame: RgbdFrame, settings: StandingSettings) -> Iterator[Standing]:
    """Everything that stands in one frame, furniture first, then what is on it."""
    view = cloud(frame, settings.stride)
    usable = view.valid & (view.depth_m > settings.near_m) & (view.depth_m < settings.far_m)
    walls = usable & _tall(view, usable, settings)
    solid = usable & ~walls & _rises(view, 0.0, settings)
    up = _faces_up(view)
    for piece in _pieces(view, solid, settings):
        yield _thing(view, piece, 0.0, settings)
        for level in _levels(view, piece & up, settings):
            upper = piece & _rises(view, level, settings)
            for part in _pieces(view, upper, settings):
                yield _thing(view, part, level, settings)


def _rises(view: Cloud, level: float, settings: StandingSettings) -> Mask:
    least = settings.rise_m + settings.rise_share * view.depth_m**2
    if level == 0.0:
        least = least + settings.rise_m
    return np.asarray(view.points[..., 2] > level + least)


def _tall(view: Cloud, usable: Mask, settings: StandingSettings) -> Mask:
    """Points in or right beside a place that something tall stands at."""
    cells = np.floor(view.points[..., :2] / settings.cell_m).astype(np.int64)
    low = cells[usable].min(axis=0, initial=0) - 1
    cells = np.where(usable[..., None], cells - low, 0)
    size = cells.max(axis=(0, 1), initial=0) + 2
    tall = np.zeros(size, np.uint8)
    high = usable & (view.points[..., 2] > settings.wall_m)
    tall[cells[high][:, 0], cells[high][:, 1]] = 1
    tall = np.asarray(cv2.dilate(tall, np.ones((3, 3), np.uint8)), np.uint8)
    return np.asarray(tall[cells[..., 0], cells[..., 1]] > 0) & usable


def _faces_up(view: Cloud, step: int = 2) -> Mask:
    """Whether the surface at each point is level, from its neighbours two pixels away."""
    points = view.points
    across, down = np.zeros_like(points), np.zeros_like(points)
    across[:, step:-step] = points[:, 2 * step :] - points[:, : -2 * step]
    down[step:-step] = points[2 * step :] - points[: -2 * step]
    normal = np.cross(across, down)
    length = np.linalg.norm(normal, axis=-1)
    return np.asarray(np.abs(normal[..., 2]) > 0.8 * np.maximum(length, 1e-12))


def _pieces(view: Cloud, where: Mask, settings: StandingSettings) -> list[Mask]:
    """Connected parts of a mask, cut where neighbouring points are far apart, large ones first."""
    count = where.size
    index = np.arange(count).reshape(where.shape)
    limit = settings.gap_m + settings.gap_share * view.depth_m
    starts, ends = [], []
    for a, b in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        apart = np.linalg.norm(view.points[a] - view.points[b], axis=-1)
        joined = where[a] & where[b] & (apart < limit[a])
        starts.append(index[a][joined])
        ends.append(index[b][joined])
    start, end = np.concatenate(starts), np.concatenate(ends)
    graph = coo_matrix((np.ones(len(start), np.int8), (start, end)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1].reshape(where.shape)
    names, sizes = np.unique(labels[where], return_counts=True)
    large = names[sizes >= settings.fewest][np.argsort(-sizes[sizes >= settings.fewest])]
    return [labels == n for n in large]


def _levels(view: Cloud, flat: Mask, settings: StandingSettings) -> list[float]:
    """Heights of the level faces of a piece, from the points of it that face up, highest first."""
    points = view.points[flat]
    if len(points) < settings.fewest:
        return []
    bins = np.floor(points[:, 2] / _BIN_M).astype(int)
    cells = np.floor(points[:, :2] / settings.cell_m).astype(int)
    covered = np.unique(np.column_stack([bins - bins.min(), cells]), axis=0)[:, 0]
    areas = np.convolve(np.bincount(covered), np.ones(2), "same") * settings.cell_m**2
    found: list[float] = []
    for i in np.argsort(-areas):
        level = (i + bins.min()) * _BIN_M
        if areas[i] < settings.level_m2:
            break
        if all(abs(level - f) > _APART_M for f in found):
            near = np.abs(points[:, 2] - level) < _APART_M / 2
            found.append(float(np.median(points[near, 2])))
    return sorted(found, reverse=True)


def _thing(view: Cloud, pixels: Mask, level: float, settings: StandingSettings) -> Standing:
    whole = not (
        _at_the_edge(pixels)
        or _behind_something(view, pixels, settings)
        or _touches(view, pixels, level, settings)
    )
    return Standing(pixels, view.points[pixels], view.rgb[pixels], level, whole)


def _at_the_edge(pixels: Mask) -> bool:
    rim = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    return any(bool(side.any()) for side in rim)


def _touches(view: Cloud, pixels: Mask, level: float, settings: StandingSettings) -> bool:
    """Whether something else that rises from the same level adjoins it at its own depth."""
    wide = np.ones((5, 5), np.uint8)
    mine = np.where(pixels, view.depth_m, np.float32(0.0))
    around = (cv2.dilate(pixels.astype(np.uint8), wide) > 0) & ~pixels & view.valid
    step = 2 * (settings.gap_m + settings.gap_share * view.depth_m)
    close = around & (np.abs(cv2.dilate(mine, wide) - view.depth_m) < step)
    return bool((close & _rises(view, level, settings)).sum() > _TOUCH_SHARE * around.sum())


def _behind_something(view: Cloud, pixels: Mask, settings: StandingSettings) -> bool:
    """Whether something nearer adjoins it in the image, or it goes on beyond the depths used."""
    depth = np.where(view.valid & ~pixels, view.depth_m, np.float32(np.inf))
    nearest = cv2.erode(np.nan_to_num(depth, posinf=1e3), np.ones((3, 3), np.uint8))
    step = 2 * (settings.gap_m + settings.gap_share * view.depth_m)
    hidden = pixels & (nearest < view.depth_m - step)
    outline = pixels & (cv2.erode(pixels.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    cut_off = view.depth_m[pixels].max() > settings.far_m - _APART_M
    return bool(cut_off or hidden.sum() > _HIDDEN_SHARE * outline.sum())
