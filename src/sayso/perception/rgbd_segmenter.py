"""Table-top objects from colour and depth alone: no model weights, no ground truth.

The table's plane is estimated and taken away; what stands out of it by height, or by colour
where it is thin, is cut into pieces of one colour family without depth steps; pieces that
touch are put together and recognised by colour, shape and size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Vector3
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.perception.camera import Cloud, Floats, Mask, cloud
from sayso.perception.colors import FAMILIES, family_image, name_colors
from sayso.perception.grouping import Piece, group, stack
from sayso.perception.recognition import recognise
from sayso.perception.table import TablePlane, TableSearch, estimate_table

_TABLE_POINTS = 6000
_MEDIAN_PIXELS = 3


@dataclass(frozen=True)
class Workspace:
    """The part of the scene's frame in which objects are looked for [m]."""

    x: tuple[float, float] = (0.12, 0.95)
    y: tuple[float, float] = (-0.65, 0.65)
    height: tuple[float, float] = (-0.012, 0.60)


@dataclass(frozen=True)
class SegmenterConfig:
    """How a frame is cut.

    Attributes:
        stride: every how many pixels are looked at, along rows and columns.
        standing_m: height over the table from which a point belongs to an object, whatever
            its colour.
        thin_m: height that a thing of the table's own depth noise must have on average.
        step_m: depth step between neighbours that parts two things of one colour.
        gap_m: how far apart pieces of one thing may be.
        fewest: points of the smallest piece that counts.
    """

    stride: int = 2
    standing_m: float = 0.010
    thin_m: float = 0.003
    step_m: float = 0.03
    gap_m: float = 0.015
    fewest: int = 14
    workspace: Workspace = field(default_factory=Workspace)
    table: TableSearch = field(default_factory=TableSearch)


@dataclass(frozen=True)
class RgbdSegmenter:
    """`SceneSegmenter` by colour and depth; `appearances` says what things look like."""

    config: SegmenterConfig = SegmenterConfig()
    appearances: Appearances = field(default_factory=tabletop_appearances)

    def objects(self, frame: RgbdFrame) -> tuple[SceneObject, ...]:
        """The objects in one frame, unnamed, with their points in the scene's frame."""
        view = cloud(frame, self.config.stride)
        table = self._table(view)
        pieces = self._pieces(view, table)
        groups = group(pieces, self.config.gap_m)
        eye = frame.pose.position
        return tuple(self._recognise([pieces[i] for i in g], table, eye) for g in groups)

    def _table(self, view: Cloud) -> TablePlane:
        points = view.points[view.valid]
        points = points[:: max(1, len(points) // _TABLE_POINTS)]
        return estimate_table(points[within(points, self.config.workspace)], self.config.table)

    def _pieces(self, view: Cloud, table: TablePlane) -> list[Piece]:
        # Noise would speckle dark things with other hues; a median keeps the edges sharp.
        calm = cv2.medianBlur(np.ascontiguousarray(view.rgb), _MEDIAN_PIXELS)
        families = family_image(np.asarray(calm, np.uint8))
        height = table.height_above(view.points)
        candidates = self._candidates(view, families, height)
        labels = _components(families, candidates)
        all_points, all_rgb = view.points.reshape(-1, 3), view.rgb.reshape(-1, 3)
        pieces = []
        for index in _members(labels, self.config.fewest):
            if np.median(height.ravel()[index]) > self.config.thin_m:
                rgb = all_rgb[index]
                pieces.append(Piece(all_points[index], name_colors(rgb), rgb))
        return pieces

    def _candidates(self, view: Cloud, families: npt.NDArray[np.uint8], height: Floats) -> Mask:
        space, low = self.config.workspace, self.config.workspace.height[0]
        inside = view.valid & (height > low) & (height < space.height[1])
        inside &= within(view.points, space)
        on_table = families[inside & (np.abs(height) < self.config.standing_m / 2)]
        usual = np.bincount(on_table, minlength=len(FAMILIES)).argmax()
        stands_out = (height > self.config.standing_m) | (families != usual)
        found: Mask = inside & stands_out & ~_behind_a_step(view, self.config.step_m)
        return found

    def _recognise(self, pieces: list[Piece], table: TablePlane, eye: Vector3) -> SceneObject:
        points = stack([p.points for p in pieces])
        rgb = np.concatenate([p.rgb for p in pieces if p.rgb is not None])
        return recognise(points, name_colors(rgb), self.appearances, table, eye=eye)


def within(points: Floats, space: Workspace) -> Mask:
    """(...,) which points (..., 3) are over a workspace."""
    x, y = points[..., 0], points[..., 1]
    inside: Mask = (x > space.x[0]) & (x < space.x[1]) & (y > space.y[0]) & (y < space.y[1])
    return inside


def _behind_a_step(view: Cloud, step_m: float) -> Mask:
    """Pixels much farther away than a neighbour: the far side of an edge.

    Leaving out only the far side parts things of one colour without shrinking the near one,
    and takes away most of the mixed pixels that hang in the air between.
    """
    depth = np.where(view.valid, view.depth_m, np.float32(1e3))
    nearest = cv2.erode(depth, np.ones((3, 3), np.uint8))
    behind: Mask = view.depth_m - nearest > step_m
    return behind


def _components(families: npt.NDArray[np.uint8], candidates: Mask) -> npt.NDArray[np.int32]:
    """(h, w) labels from 1 of connected candidates of one family; 0 elsewhere."""
    labels = np.zeros(families.shape, np.int32)
    total = 0
    for index in range(len(FAMILIES)):
        mask = candidates & (families == index)
        if not mask.any():
            continue
        count, part = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
        labels = np.where(mask, part + total, labels)
        total += count - 1
    return labels


def _members(labels: npt.NDArray[np.int32], fewest: int) -> list[npt.NDArray[np.intp]]:
    """Flat pixel indices of every label with at least `fewest` pixels."""
    flat = labels.ravel()
    inside = np.flatnonzero(flat)
    order = inside[np.argsort(flat[inside], kind="stable")]
    counts = np.bincount(flat[inside])[1:]
    parts = np.split(order, np.cumsum(counts)[:-1]) if len(counts) else []
    return [part for part in parts if len(part) >= fewest]
