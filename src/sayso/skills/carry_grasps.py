"""Where the hand takes hold of things that stand about in a flat: from above, near their top.

Tall things would meet the palm if they were taken in their middle, so the fingers close around
the upper end, across the narrower side. Slanted approaches reach farther and higher than those
from straight above; only such as lean away from the robot are of use.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import SceneObject
from sayso.skills.boxes import UprightBox, upright_box
from sayso.skills.grasps import Grasp
from sayso.skills.mobile_settings import MobileSettings
from sayso.skills.poses import downward

_SPARE_M = 0.004
_SOFT_M = 0.05
"""By how much a thing's box may be wider than the hand where its top is rounded."""
_ROUND_SHARE = 0.15
_TOP_DEPTH_M = 0.030
_TILTS = (0.0, 0.35, 0.7, 1.0, 1.3)
_DEEPER_M = 0.03
"""How much farther below a thing's top the hand takes it from the side."""
_TURNS = tuple(float(a) for a in np.pi / 4 * np.arange(4))
_LOWEST_M = 0.006
_FEW_POINTS = 40
_STRAYS = 0.02
"""Share of the points of a thing that may stick out of it at each side."""
_SLICE_M = 0.05
_SLICES, _NARROWEST = 12, 3
"""Directions of closing that are looked at, and that are kept."""
_SHALLOWEST_M = 0.012
"""How far below a thing's top the tool is at least; longer fingers than the Panda's get around as
much of it with the tool higher."""
_BESIDE_JAW_M = 0.015
"""How far beside a thing a jaw comes down that does not move."""
_TIPS_M, _TALL_TIPS_M, _TALL_M = 0.07, 0.062, 0.13
"""How far below a thing's top long fingers reach, and below that of a tall one, whose top may be
narrower: a bottle's neck is, and fingers on both it and the body slip off."""
_SHORT_TIP_M = 0.009
_SHORTEST_M = 0.02


def carry_grasps(obj: SceneObject, settings: MobileSettings) -> tuple[Grasp, ...]:
    """Candidates in the arm's frame, best first.

    Raises:
        SaySoError: UNSUPPORTED if the thing is too wide, or too low, for the hand.
    """
    box = upright_box(obj)
    found = tuple(
        g for yaw, width in _closings(box, settings) for g in _across(box, yaw, width, settings)
    )
    if not found:
        tops = _narrow_tops(obj, box, settings)
        found = tuple(g for top in tops for g in _across(top, top.yaw, top.size[0], settings))
    if not found:
        size = " x ".join(f"{100 * s:.0f}" for s in box.size)
        wide = box.size[:2].min() >= settings.arm.open_width_m - _SPARE_M
        raise SaySoError(
            Code.UNSUPPORTED,
            f"{obj.name} ({size} cm) is too {'wide' if wide else 'low'} for the hand, which opens "
            f"{100 * settings.arm.open_width_m:.0f} cm and reaches "
            f"{100 * settings.arm.fingertip_m:.0f} cm below what it takes.",
            hint="stand it up, or put it where the hand gets around it.",
        )
    return tuple(sorted(found, key=lambda g: (g.rank, -_lean(g))))


def _lean(grasp: Grasp) -> float:
    """How squarely the fingers close across the direction from the arm's foot to the thing."""
    closing = rotation_matrix(grasp.tool.orientation)[:2, 1]
    out = np.asarray(grasp.tool.position[:2])
    return 1.0 - abs(float(closing @ out)) / max(float(np.linalg.norm(out)), 1e-9)


def _closings(box: UprightBox, settings: MobileSettings) -> Iterator[tuple[float, float]]:
    """Directions in which the fingers can close, with the width there."""
    widths = box.size[:2]
    room = settings.arm.open_width_m + _SOFT_M
    narrow = float(widths.min())
    if narrow > room:
        return
    if float(widths.max()) < narrow * (1 + _ROUND_SHARE):
        yield from ((box.yaw + turn, narrow) for turn in _TURNS)
        return
    for axis in np.argsort(widths):
        if widths[axis] < max(narrow + 1e-6, settings.arm.open_width_m - _SPARE_M):
            yield box.yaw + int(axis) * np.pi / 2, float(widths[axis])


def _narrow_tops(obj: SceneObject, box: UprightBox, settings: MobileSettings) -> list[UprightBox]:
    """Boxes around the upper end of a thing that leans or bulges, closed along their x axes.

    The box around a toy that leans on something is wider than the toy. What the fingers get
    around is what was seen within their length of its highest point.
    """
    points = obj.points.astype(float)
    if len(points) < _FEW_POINTS:
        return []
    high = float(np.quantile(points[:, 2], 1 - _STRAYS))
    top = points[points[:, 2] > high - _SLICE_M]
    found = []
    for yaw in np.arange(_SLICES) * np.pi / _SLICES:
        along = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        low, far = np.quantile(top[:, :2] @ along, (_STRAYS, 1 - _STRAYS), axis=0)
        width, length = (float(v) for v in far - low)
        if width < settings.arm.open_width_m:
            tall = high - box.low
            centre = np.array([*(along @ (low + far) / 2), box.low + tall / 2])
            found.append(UprightBox(centre, np.array([width, length, tall]), float(yaw)))
    return sorted(found, key=lambda b: float(b.size[0]))[:_NARROWEST]


def _across(box: UprightBox, yaw: float, width: float, settings: MobileSettings) -> Iterator[Grasp]:
    """Grasps that close in a direction, from above and leaning away from the robot."""
    fits = width < settings.arm.open_width_m - _SPARE_M
    depth = settings.grip_depth_m if fits else _TOP_DEPTH_M
    tips_m = _TALL_TIPS_M if box.size[2] > _TALL_M else _TIPS_M
    depth = min(depth, tips_m - settings.arm.fingertip_m)
    closing = np.array([np.cos(yaw), np.sin(yaw)])
    half_length = float(np.abs(np.array([-closing[1], closing[0]]) @ _axes(box)) @ box.size[:2]) / 2
    out = box.centre[:2] / max(float(np.linalg.norm(box.centre[:2])), 1e-9)
    for turn in (0.0, np.pi):
        across = np.array([-np.sin(yaw + turn), np.cos(yaw + turn)])
        lean = float(across @ out)
        for rank, tilt in enumerate(_TILTS):
            if tilt and abs(lean) < 0.5:
                continue
            grip = _grip(box, depth, half_length, tilt, settings)
            if grip is not None:
                shift, height = grip
                towards = -across * np.sign(lean) * shift
                position = np.array([*(box.centre[:2] + towards), height])
                tool = downward(position, yaw + turn, tilt if lean > 0 else -tilt)
                yield _beside_jaw(tool, width, rank, settings)


def _beside_jaw(tool: Pose, width: float, rank: int, settings: MobileSettings) -> Grasp:
    """At a tool pose, but such that a jaw that does not move comes down beside the thing."""
    jaw_m, open_m = settings.arm.jaw_m, settings.arm.open_width_m
    if not jaw_m:
        return Grasp(tool, open_m, rank=rank)
    gap_m = max(_BESIDE_JAW_M, jaw_m - width / 2)
    aside_m = width / 2 + gap_m - jaw_m
    return Grasp(tool @ Pose((0.0, -aside_m, 0.0)), open_m, rank=rank, gap_m=gap_m)


def _grip(
    box: UprightBox, depth: float, half_length: float, tilt: float, settings: MobileSettings
) -> tuple[float, float] | None:
    """How far from the middle towards the robot, and how high, the tool takes a thing.

    As deep as palm and floor allow: the nearer upper edge must not meet the palm. None where
    the fingers would not get around enough of it.
    """
    sine, cosine = float(np.sin(tilt)), float(np.cos(tilt))
    lowest = box.low + settings.arm.fingertip_m * cosine + _LOWEST_M + settings.arm.hand_m * sine
    for below in (depth + _DEEPER_M * sine, depth, 0.7 * depth):
        height = max(box.high - below, float(box.centre[2]), lowest)
        room = settings.arm.palm_m - (box.high - height) * cosine
        near = half_length if room >= half_length * sine else room / sine
        held = box.high - height + (settings.arm.fingertip_m - _SHORT_TIP_M) * cosine
        enough = held > _SHALLOWEST_M and near >= min(half_length, _SHORTEST_M)
        if enough and room > 0:
            return half_length - near, height
    return None


def _axes(box: UprightBox) -> Array:
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    return np.array([[c, -s], [s, c]])
