"""Any detector and any segmenter, joined into a finder of instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Detection, Detector, InstanceMask, RgbdFrame, Segmenter


@dataclass(frozen=True)
class DetectThenSegment:
    """`InstanceFinder`: boxes for what is asked for, duplicates dropped, then a mask in each.

    Attributes:
        detector, segmenter: what does the work.
        threshold: least score of a detection.
        overlap: share of their union from which on two boxes that answer the same query are one
            thing; the one with the better score is kept.
        most: the best so many of each query are kept.
        least_pixels: smallest mask that counts.

    Raises:
        SaySoError: CONFIG for a threshold or an overlap outside 0 to 1.
    """

    detector: Detector
    segmenter: Segmenter
    threshold: float = 0.1
    overlap: float = 0.5
    most: int = 20
    least_pixels: int = 20

    def __post_init__(self) -> None:
        if not (0 <= self.threshold <= 1 and 0 < self.overlap <= 1 and self.most >= 1):
            raise SaySoError(
                Code.CONFIG,
                f"threshold {self.threshold}, overlap {self.overlap} and most {self.most} do not"
                " make sense.",
                hint="give 0 <= threshold <= 1, 0 < overlap <= 1 and most >= 1.",
            )

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first."""
        wanted = tuple(dict.fromkeys(queries))
        if not wanted:
            return ()
        detections = self._kept(self.detector.detect(frame.rgb, wanted), wanted, frame)
        if not detections:
            return ()
        masks = self.segmenter.segment(frame.rgb, [d.box for d in detections])
        return tuple(
            InstanceMask(d.label, d.score, m)
            for d, m in zip(detections, masks, strict=True)
            if np.count_nonzero(m) >= self.least_pixels
        )

    def _kept(
        self, detections: Sequence[Detection], wanted: Sequence[str], frame: RgbdFrame
    ) -> list[Detection]:
        height, width = frame.rgb.shape[:2]
        inside = [
            Detection(d.label, d.score, box)
            for d in detections
            if d.score >= self.threshold and (box := _clipped(d.box, width, height)) is not None
        ]
        kept: list[Detection] = []
        for label in wanted:
            same = sorted((d for d in inside if d.label == label), key=lambda d: -d.score)
            kept += _without_duplicates(same, self.overlap)[: self.most]
        return sorted(kept, key=lambda d: -d.score)


def _clipped(
    box: tuple[float, float, float, float], width: int, height: int
) -> tuple[float, float, float, float] | None:
    """The part of a box inside the image; None if that is less than a pixel wide or high."""
    left, right = (float(np.clip(v, 0, width)) for v in (box[0], box[2]))
    top, bottom = (float(np.clip(v, 0, height)) for v in (box[1], box[3]))
    return (left, top, right, bottom) if right - left >= 1 and bottom - top >= 1 else None


def _without_duplicates(best_first: Sequence[Detection], overlap: float) -> list[Detection]:
    """Greedy non-maximum suppression."""
    boxes = np.array([d.box for d in best_first]).reshape(-1, 4)
    kept: list[int] = []
    for index in range(len(boxes)):
        if not kept or overlaps(boxes[index], boxes[kept]).max() < overlap:
            kept.append(index)
    return [best_first[i] for i in kept]


def overlaps(
    box: npt.NDArray[np.float64], boxes: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """(N,) intersection over union of a box (4,) and others (N, 4)."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    common = np.prod(np.clip(high - low, 0.0, None), axis=1)
    union = np.prod(box[2:] - box[:2]) + np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) - common
    return np.asarray(common / np.where(union > 0, union, 1.0))
