"""What a frame says about a place: something is there, it is looked through, or it is hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception.camera import see

_STRIDE = 2
_LEAST_SAMPLES = 3  # of a thing's width: of what is narrower, samples may miss it
_IN_VIEW = 0.6  # share of a thing's points inside the image for its place to be in view
_THROUGH = 0.4  # its back may stand at a wall, which is then seen where the back was
_HIDDEN = 0.3
_SHOWN = 0.3  # share of its surface that must be measured for a finder to find it


@dataclass(frozen=True, eq=False)
class View:
    """A frame without its picture, small enough to keep.

    Attributes:
        stamp_s: of the frame.
        pose: of the optical frame in the map.
        depth_m: (h, w) float16, every `stride`-th pixel.
    """

    stamp_s: float
    pose: Pose
    intrinsics: Intrinsics
    depth_m: npt.NDArray[np.float16]
    stride: int

    @staticmethod
    def of(frame: RgbdFrame, stride: int = _STRIDE) -> View:
        """The view of a frame."""
        deep = np.nan_to_num(frame.depth_m[::stride, ::stride], nan=0.0, posinf=0.0, neginf=0.0)
        depth = np.clip(deep, 0.0, 60.0).astype(np.float16)
        return View(frame.stamp_s, frame.pose, frame.intrinsics, depth, stride)


@dataclass(frozen=True)
class Look:
    """Shares of a thing's points, 0 to 1.

    Attributes:
        inside: in the image and within reach,
        there: of those, where the camera measured the very surface,
        through: where it saw beyond; the rest is hidden or without depth.
    """

    inside: float
    there: float
    through: float

    @property
    def shows(self) -> bool:
        """Whether the place is in view, with something at it."""
        return self.inside * self.there > _SHOWN

    @property
    def empty(self) -> bool:
        """Whether the camera looks through the place."""
        hidden = 1.0 - self.there - self.through
        return self.inside > _IN_VIEW and self.through > _THROUGH and hidden < _HIDDEN


def look_at(points: Array, view: View, reach_m: float, beyond_m: float) -> Look:
    """How a view sees points (N, 3) of the map that lie on a thing's surface."""
    pixels, depth, inside = see(points, view.pose, view.intrinsics)
    inside = inside & (depth < reach_m)
    if not inside.any() or _too_small(points, float(np.median(depth[inside])), view):
        return Look(0.0, 0.0, 0.0)
    rows, columns = view.depth_m.shape
    u, v = np.rint(pixels[inside] / view.stride).astype(int).T
    measured = view.depth_m[np.clip(v, 0, rows - 1), np.clip(u, 0, columns - 1)].astype(float)
    expected = depth[inside]
    known = measured > 0
    if not known.any():
        return Look(float(inside.mean()), 0.0, 0.0)
    slack = play(expected)
    same = np.abs(measured - expected)[known] < slack[known]
    through = measured[known] > (expected + np.maximum(beyond_m, slack))[known]
    return Look(float(inside.mean()), float(same.mean()), float(through.mean()))


def play(depth_m: Array) -> Array:
    """How far off a depth may be in another frame: poses and depths are noisy [m]."""
    return np.asarray(0.05 + 0.02 * depth_m)


def _too_small(points: Array, depth_m: float, view: View) -> bool:
    width = float(np.sort(np.ptp(points, axis=0))[1])
    return width * view.intrinsics.fx / depth_m < _LEAST_SAMPLES * view.stride
