"""Table-top objects by Open3D: the table's plane, clusters, oriented boxes.

What is a thing's colour and kind is told as `RgbdSegmenter` tells it. Open3D finds the table by
RANSAC, takes away pixels that hang in the air, cuts what stands out into clusters of one colour
family by DBSCAN, and gives things of no known kind the smallest box around them, however it leans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt
import open3d

from sayso.core.geometry import quaternion_from_matrix
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.perception.camera import Cloud, Floats, Mask, cloud
from sayso.perception.colors import FAMILIES, family_image, name_colors
from sayso.perception.recognition import UNKNOWN, recognise
from sayso.perception.rgbd_segmenter import SegmenterConfig, within
from sayso.perception.table import TablePlane

_MEDIAN_PIXELS = 3
_SEED = 1


@dataclass(frozen=True)
class Open3dSettings:
    """What Open3D is asked with.

    Attributes:
        plane_m: points so near to a plane are of it.
        rounds: of RANSAC.
        lonely: points with fewer neighbours than this,
        lonely_m: within so much, hang in the air.
        dense: points within a cluster's reach that make a point one of its core.
    """

    plane_m: float = 0.006
    rounds: int = 300
    lonely: int = 6
    lonely_m: float = 0.012
    dense: int = 4


@dataclass(frozen=True)
class Open3dSegmenter:
    """`SceneSegmenter` by Open3D; `appearances` says what things look like."""

    config: SegmenterConfig = field(default_factory=SegmenterConfig)
    settings: Open3dSettings = field(default_factory=Open3dSettings)
    appearances: Appearances = field(default_factory=tabletop_appearances)

    def objects(self, frame: RgbdFrame) -> tuple[SceneObject, ...]:
        """The objects in one frame, unnamed, with their points in the scene's frame."""
        view = cloud(frame, self.config.stride)
        table = self._table(view)
        eye = frame.pose.position
        return tuple(
            smallest_box(recognise(points, color, self.appearances, table, eye=eye))
            for points, color in self._clusters(view, table)
        )

    def _table(self, view: Cloud) -> TablePlane:
        """The plane that most of the points about the table's height lie on."""
        search = self.config.table
        points = view.points[view.valid & within(view.points, self.config.workspace)]
        points = points[np.abs(points[:, 2] - search.prior_m) < search.reach_m]
        if len(points) < search.fewest:
            return TablePlane(search.prior_m)
        open3d.utility.random.seed(_SEED)
        (a, b, c, d), inliers = _cloud(points).segment_plane(
            self.settings.plane_m, 3, self.settings.rounds
        )
        if abs(c) < 1e-6 or max(abs(a / c), abs(b / c)) > search.steepest:
            return TablePlane(float(np.median(points[:, 2])), support=len(points))
        return TablePlane(-d / c, -a / c, -b / c, len(inliers))

    def _clusters(self, view: Cloud, table: TablePlane) -> Iterator[tuple[Floats, str]]:
        """Points (N, 3) of each thing, and the colour's name."""
        calm = cv2.medianBlur(np.ascontiguousarray(view.rgb), _MEDIAN_PIXELS)
        families = family_image(np.asarray(calm, np.uint8))
        height = table.height_above(view.points)
        stands_out = self._stands_out(view, families, height)
        for index in range(len(FAMILIES)):
            chosen = stands_out & (families == index)
            points, rgb, above = view.points[chosen], view.rgb[chosen], height[chosen]
            for members in self._members(points):
                if np.median(above[members]) > self.config.thin_m:
                    yield points[members], name_colors(rgb[members])

    def _stands_out(self, view: Cloud, families: npt.NDArray[np.uint8], height: Floats) -> Mask:
        """What is higher than the table's noise, or of another colour than the table."""
        low, high = self.config.workspace.height
        inside = view.valid & within(view.points, self.config.workspace)
        inside &= (height > low) & (height < high)
        on_table = families[inside & (np.abs(height) < self.config.standing_m / 2)]
        usual = np.bincount(on_table, minlength=len(FAMILIES)).argmax()
        found: Mask = inside & ((height > self.config.standing_m) | (families != usual))
        return found

    def _members(self, points: Floats) -> list[npt.NDArray[np.intp]]:
        """The indices of each cluster's points."""
        if len(points) < self.config.fewest:
            return []
        s = self.settings
        _, kept = _cloud(points).remove_radius_outlier(s.lonely, s.lonely_m)
        index = np.asarray(kept, np.intp)
        if len(index) < self.config.fewest:
            return []
        labels = np.asarray(_cloud(points[index]).cluster_dbscan(self.config.gap_m, s.dense))
        found = (index[labels == label] for label in range(int(labels.max(initial=-1)) + 1))
        return [members for members in found if len(members) >= self.config.fewest]


def _cloud(points: Floats) -> open3d.geometry.PointCloud:
    return open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points.astype(np.float64)))


def smallest_box(thing: SceneObject) -> SceneObject:
    """A thing of no known kind with the smallest box around what was seen of it."""
    if thing.category != UNKNOWN:
        return thing
    try:
        box = _cloud(thing.points).get_minimal_oriented_bounding_box(robust=True)
    except RuntimeError:  # what is as thin as a sheet has no hull
        return thing
    x, y, z = (float(v) for v in box.center)
    a, b, c = (max(float(v), 0.001) for v in box.extent)
    turned = quaternion_from_matrix(np.asarray(box.R))
    return replace(thing, position=(x, y, z), size=(a, b, c), orientation=turned)
