"""A detector that knows where things are, and a segmenter that takes whole boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sayso.core.ports import Detection

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class ScriptedDetector:
    """`Detector` that answers each query with the boxes and scores given for it."""

    answers: Mapping[str, Sequence[tuple[Box, float]]] = field(default_factory=dict)

    def detect(self, image: npt.NDArray[np.uint8], queries: Sequence[str]) -> tuple[Detection, ...]:
        """The script's detections, in the order of the queries."""
        return tuple(
            Detection(query, score, box)
            for query in queries
            for box, score in self.answers.get(query, ())
        )


@dataclass(frozen=True)
class BoxSegmenter:
    """`Segmenter` whose masks fill the boxes."""

    def segment(
        self, image: npt.NDArray[np.uint8], boxes: Sequence[Box]
    ) -> tuple[npt.NDArray[np.bool_], ...]:
        """(H, W) masks, one for each box."""
        rows, columns = np.indices(image.shape[:2]) + 0.5
        return tuple(
            (columns > left) & (columns < right) & (rows > top) & (rows < bottom)
            for left, top, right, bottom in boxes
        )
