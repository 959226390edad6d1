"""Whether cameras see what they should, from where they are said to be: judged from frames.

A wrong pose of a camera is seen in two ways: what is level (table or floor) appears raised or
tilted, and one camera looks through what another one sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sayso.core.diagnostics import Diagnostic, ok, warn, wrong
from sayso.core.ports import RgbdFrame
from sayso.perception.camera import Floats, Mask, cloud, see
from sayso.perception.table import TableSearch, estimate_table

_STRIDE = 4
_FAR_M, _NEAR_M = 50.0, 0.02
_WIDE = TableSearch(reach_m=0.5, bin_m=0.01, steepest=1.0)


@dataclass(frozen=True)
class LevelSurface:
    """What cameras see that is level at height 0: a table's top, or the floor.

    Attributes:
        name: in words.
        low, high: corners (x, y) of where it is looked for, in the scene's frame [m].
        off_m: height from which on perception does not find it.
    """

    name: str
    low: tuple[float, float]
    high: tuple[float, float]
    off_m: float = 0.05


def check_depth(frame: RgbdFrame, *, smallest_share: float = 0.05) -> Iterator[Diagnostic]:
    """Whether depth belongs to the colour image, is there, and is in metres."""
    part = f"camera {frame.camera}"
    sizes = (frame.rgb.shape[:2], frame.depth_m.shape)
    calibrated = (frame.intrinsics.height, frame.intrinsics.width)
    if len({*sizes, calibrated}) > 1:
        told = [f"{w} x {h}" for h, w in (*sizes, calibrated)]
        yield wrong(
            part,
            f"colour is {told[0]}, depth {told[1]}, the calibration {told[2]}",
            "publish depth that is aligned to colour, and the calibration of that resolution.",
        )
        return
    measured = frame.depth_m[np.isfinite(frame.depth_m) & (frame.depth_m > 0)]
    if len(measured) < smallest_share * frame.depth_m.size:
        yield wrong(
            part,
            f"only {100 * len(measured) / frame.depth_m.size:.0f} % of its pixels have depth",
            "see whether its lens is covered, its projector on, and what it looks at far enough.",
        )
        return
    middle = float(np.median(measured))
    if middle > _FAR_M or middle < _NEAR_M:
        yield wrong(
            part,
            f"half of what it sees is said to be {middle:.4g} m away and more",
            "publish depth as 16UC1 in millimetres, or as 32FC1 in metres (REP 118).",
        )
        return
    yield ok(part, f"half of what it sees is nearer than {middle:.2f} m")


def check_surface(frame: RgbdFrame, surface: LevelSurface) -> Iterator[Diagnostic]:
    """Whether what is level is seen level, and at its height."""
    part = f"camera {frame.camera}"
    cure = "calibrate where the camera is: its transform to the scene's frame is off."
    seen = _within(frame, surface)
    plane = estimate_table(seen, _WIDE)
    if plane.support < max(_WIDE.fewest, 0.1 * len(seen)):
        yield warn(
            part,
            f"it sees no level {surface.name} there",
            f"turn it to the {surface.name}; if it looks there, {cure}",
        )
        return
    middle = seen[:, :2].mean(axis=0)
    off_m = plane.at(float(middle[0]), float(middle[1]))
    tilt_deg = float(np.degrees(np.arctan(np.hypot(plane.slope_x, plane.slope_y))))
    told = (
        f"the {surface.name} appears {100 * off_m:+.1f} cm high, tilted by {tilt_deg:.1f} degrees"
    )
    if abs(off_m) > surface.off_m or tilt_deg > 3.0:
        yield wrong(part, told, cure)
    elif abs(off_m) > surface.off_m / 3 or tilt_deg > 1.0:
        yield warn(part, told, cure)
    else:
        yield ok(part, told)


def check_agreement(frames: Sequence[RgbdFrame], surface: LevelSurface) -> Iterator[Diagnostic]:
    """Whether cameras see the same things at the same places, and are not swapped.

    Args:
        frames: one of each camera, at about one time, of a scene at rest.
    """
    for one, other in combinations(frames, 2):
        contradicted = _contradicted(one, other, surface)
        if contradicted is None:
            continue
        part = f"cameras {one.camera}, {other.camera}"
        told = f"{100 * contradicted:.0f} % of what one sees the other one looks through"
        if contradicted < 0.2:
            yield ok(part, told)
            continue
        swapped = _contradicted(
            replace(one, pose=other.pose), replace(other, pose=one.pose), surface
        )
        if swapped is not None and swapped < contradicted / 3:
            cure = "they are swapped: exchange their topics, or their frames."
        else:
            cure = "calibrate where they are; let nothing move while this is checked."
        yield wrong(part, told, cure)


def _within(frame: RgbdFrame, surface: LevelSurface) -> Floats:
    """(N, 3) what a camera sees where the surface is looked for."""
    view = cloud(frame, _STRIDE)
    points = view.points[view.valid]
    inside = (points[:, :2] > surface.low) & (points[:, :2] < surface.high)
    kept: Floats = points[inside.all(axis=1)]
    return kept


def _contradicted(
    one: RgbdFrame, other: RgbdFrame, surface: LevelSurface, *, fewest: int = 50
) -> float | None:
    """Share of what stands on the surface, seen by one, that the other one looks through.

    Only that tells cameras apart which face one table from two sides; None where too little does.
    """
    shares = []
    for a, b in ((one, other), (other, one)):
        points = _within(a, surface)
        points = points[_stands_out(points)]
        pixels, depth, seen = see(points.astype(float), b.pose, b.intrinsics)
        column, row = np.rint(pixels[seen]).astype(int).T
        beyond = np.nan_to_num(b.depth_m[row, column]) - depth[seen]
        there = b.depth_m[row, column] > 0
        same, through = there & (np.abs(beyond) < 0.03), there & (beyond > 0.06)
        if same.sum() + through.sum() >= fewest:
            shares.append(float(through.sum() / (same.sum() + through.sum())))
    return max(shares, default=None)


def _stands_out(points: Floats) -> Mask:
    """(N,) which of the points are above what most of them lie on."""
    higher: Mask = estimate_table(points, _WIDE).height_above(points) > 0.03
    return higher
