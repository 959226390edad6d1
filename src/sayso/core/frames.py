"""A tree of coordinate frames over time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Quaternion


def interpolate(a: Pose, b: Pose, fraction: float) -> Pose:
    """The pose between `a` (fraction 0) and `b` (1): straight line and shortest rotation.

    The rotation is Shoemake's slerp (Animating Rotation with Quaternion Curves, 1985).
    """
    position = np.asarray(a.position) * (1 - fraction) + np.asarray(b.position) * fraction
    x, y, z = (float(v) for v in position)
    return Pose((x, y, z), _slerp(a.orientation, b.orientation, fraction))


def _slerp(a: Quaternion, b: Quaternion, fraction: float) -> Quaternion:
    qa = np.asarray(a) / np.linalg.norm(a)
    qb = np.asarray(b) / np.linalg.norm(b)
    cosine = float(qa @ qb)
    if cosine < 0:  # q and -q are the same rotation; take the nearer one
        qb, cosine = -qb, -cosine
    angle = float(np.arccos(min(1.0, cosine)))
    if angle < 1e-6:
        q = qa * (1 - fraction) + qb * fraction
    else:
        q = (np.sin((1 - fraction) * angle) * qa + np.sin(fraction * angle) * qb) / np.sin(angle)
    x, y, z, w = (float(v) for v in q / np.linalg.norm(q))
    return (x, y, z, w)


@dataclass
class _Edge:
    parent: str
    static: bool
    stamps: deque[float] = field(default_factory=deque)
    poses: deque[Pose] = field(default_factory=deque)


class FrameTree:
    """Remembers where each frame was in its parent, for a few seconds.

    Args:
        keep_s: how long poses of moving frames are remembered.
    """

    def __init__(self, keep_s: float = 10.0) -> None:
        self._keep_s = keep_s
        self._edges: dict[str, _Edge] = {}

    def insert(
        self, parent: str, child: str, pose: Pose, stamp_s: float, static: bool = False
    ) -> None:
        """The pose of `child` in `parent` at a time; a static one holds always.

        A stamp far before the newest one means that time was set back: the past is forgotten.
        Raises INVALID for a pose or a stamp that is not a number.
        """
        if not all(map(math.isfinite, (stamp_s, *pose.position, *pose.orientation))):
            raise SaySoError(
                Code.INVALID, f"the frame '{child}' is told to be where no number says."
            )
        edge = self._edges.get(child)
        if edge is None or edge.parent != parent or static or edge.static:
            edge = self._edges[child] = _Edge(parent, static)
        if edge.stamps and stamp_s <= edge.stamps[-1]:
            if stamp_s > edge.stamps[-1] - self._keep_s:
                return
            edge.stamps.clear()
            edge.poses.clear()
        edge.stamps.append(stamp_s)
        edge.poses.append(pose)
        while edge.stamps[0] < stamp_s - self._keep_s:
            edge.stamps.popleft()
            edge.poses.popleft()

    def lookup(self, target: str, source: str, stamp_s: float, tolerance_s: float = 0.2) -> Pose:
        """The pose of frame `source` in frame `target` at a time.

        Between two reports it is interpolated; outside them the nearest report counts if it is
        within `tolerance_s`.

        Raises:
            SaySoError: STALE if a frame is unknown, not connected, or has no report near the time.
        """
        target_root, target_pose = self._to_root(target, stamp_s, tolerance_s)
        source_root, source_pose = self._to_root(source, stamp_s, tolerance_s)
        if target_root != source_root:
            raise SaySoError(
                Code.STALE,
                f"frame '{source}' is not connected to '{target}'.",
                hint="check that the robot's and the cameras' transforms are published.",
            )
        return target_pose.inverse() @ source_pose

    def _to_root(self, frame: str, stamp_s: float, tolerance_s: float) -> tuple[str, Pose]:
        pose, seen = Pose(), {frame}
        while (edge := self._edges.get(frame)) is not None:
            pose = _at(edge, frame, stamp_s, tolerance_s) @ pose
            frame = edge.parent
            if frame in seen:
                raise SaySoError(Code.STALE, f"the transforms of '{frame}' form a loop.")
            seen.add(frame)
        return frame, pose


def _at(edge: _Edge, frame: str, stamp_s: float, tolerance_s: float) -> Pose:
    if edge.static:
        return edge.poses[-1]
    index = bisect_right(edge.stamps, stamp_s)
    if 0 < index < len(edge.stamps):
        before, after = edge.stamps[index - 1], edge.stamps[index]
        fraction = (stamp_s - before) / (after - before)
        return interpolate(edge.poses[index - 1], edge.poses[index], fraction)
    nearest = min(index, len(edge.stamps) - 1)
    if abs(edge.stamps[nearest] - stamp_s) > tolerance_s:
        raise SaySoError(
            Code.STALE,
            f"frame '{frame}' was last reported {abs(edge.stamps[nearest] - stamp_s):.2f} s "
            "away from the asked time.",
            hint="check that its transforms are published with the same clock as the images.",
        )
    return edge.poses[nearest]
