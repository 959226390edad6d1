"""Objects from a *simulator's own* segmentation: a reference, not perception.

The simulator says which pixels belong to which thing and what it is; poses and sizes still
come from depth. Real cameras have no such images.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.perception.camera import Cloud, Floats, cloud
from sayso.perception.recognition import as_category, recognise
from sayso.perception.table import TablePlane, TableSearch, estimate_table


@dataclass(frozen=True)
class SimulatorSegmenter:
    """`SceneSegmenter` from `RgbdFrame.instances`.

    Attributes:
        stride: every how many pixels are looked at, along rows and columns.
        fewest: points of the smallest object that counts.
    """

    stride: int = 2
    fewest: int = 14
    table: TableSearch = field(default_factory=TableSearch)
    appearances: Appearances = field(default_factory=tabletop_appearances)

    def objects(self, frame: RgbdFrame) -> tuple[SceneObject, ...]:
        """The labelled objects in one frame, unnamed.

        Raises:
            SaySoError: CONFIG if the frame carries no simulator segmentation.
        """
        if frame.instances is None:
            raise SaySoError(
                Code.CONFIG,
                f"camera '{frame.camera}' has no simulator segmentation.",
                hint="use the segmenter 'rgbd', which needs none.",
            )
        view = cloud(frame, self.stride)
        table = estimate_table(view.points[view.valid], self.table)
        return tuple(
            self._object(points, frame.instance_labels[i], table, frame.pose.position)
            for i, points in self._instances(view, frame.instances, frame.instance_labels)
        )

    def _instances(
        self, view: Cloud, instances: npt.NDArray[np.int32], labels: Mapping[int, str]
    ) -> Iterator[tuple[int, Floats]]:
        ids = np.where(view.valid, instances[:: self.stride, :: self.stride], 0)
        for i in sorted(labels):
            points = view.points[ids == i]
            if len(points) >= self.fewest:
                yield i, points

    def _object(self, points: Floats, label: str, table: TablePlane, eye: Vector3) -> SceneObject:
        color, _, category = label.rpartition(" ")
        appearance = self.appearances.get(category)
        if appearance is None:
            return recognise(points, color, self.appearances, table, eye=eye)
        known = as_category(points, color, appearance, table, eye=eye)
        return replace(known, confidence=1.0)
