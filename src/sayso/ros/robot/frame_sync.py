"""Puts the parts of RGB-D frames together by their stamps, always for the newest frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KEEP = 6
"""Messages kept of each part; older ones are dropped."""

Parts = Mapping[str, Any]
"""The messages of one frame by the name of the part, such as `color` and `depth`."""


@dataclass
class _Camera:
    parts: dict[str, deque[tuple[int, Any]]]
    last_ns: int = -1
    heard_s: float = 0.0
    heard: dict[str, float] = field(default_factory=dict)


class FrameSync:
    """Collects parts and gives complete sets of frames, one for each camera.

    Args:
        cameras: names of the cameras; a set holds a frame of each.
        parts: what makes a frame complete; the first decides its stamp.
        slop_s: how far the stamps of one frame's parts may differ.
        skew_s: how far the stamps of one set's frames may differ.
        now_s: present time by the clock that tells who is silent.
    """

    def __init__(
        self,
        cameras: Sequence[str],
        parts: Sequence[str],
        slop_s: float,
        skew_s: float,
        now_s: float,
    ) -> None:
        self._parts = tuple(parts)
        self._slop_ns = round(slop_s * 1e9)
        self._skew_ns = round(skew_s * 1e9)
        self._cameras = {
            c: _Camera({p: deque(maxlen=KEEP) for p in parts}, heard_s=now_s) for c in cameras
        }

    def add(self, camera: str, part: str, stamp_ns: int, message: Any, now_s: float) -> None:
        """One message; a stamp far in the past means that time was set back (a reset)."""
        known = self._cameras[camera]
        queue = known.parts[part]
        if queue and stamp_ns < queue[-1][0]:
            queue.clear()
            known.last_ns = -1
        queue.append((stamp_ns, message))
        known.heard[part] = now_s
        if self._frame(known) is not None:
            known.heard_s = now_s

    def take(self) -> Mapping[str, tuple[int, Parts]] | None:
        """The newest frame of every camera with its stamp, if each is newer than the last taken.

        None while one is missing, or while they are too far apart in time.
        """
        frames: dict[str, tuple[int, Parts]] = {}
        for name, camera in self._cameras.items():
            frame = self._frame(camera)
            if frame is None:
                return None
            frames[name] = frame
        stamps = [stamp for stamp, _ in frames.values()]
        if max(stamps) - min(stamps) > self._skew_ns:
            return None
        for name, (stamp, _) in frames.items():
            self._cameras[name].last_ns = stamp
        return frames

    def silent(self, now_s: float, timeout_s: float) -> Mapping[str, str]:
        """Cameras without a complete frame for longer than the timeout, and what is missing."""
        return {
            name: self._missing(camera, now_s, timeout_s)
            for name, camera in self._cameras.items()
            if now_s - camera.heard_s > timeout_s
        }

    def _missing(self, camera: _Camera, now_s: float, timeout_s: float) -> str:
        parts = [p for p in self._parts if now_s - camera.heard.get(p, -1e9) > timeout_s]
        if not parts:
            return "its parts never carry the same stamp"
        return "no " + " and no ".join(parts)

    def _frame(self, camera: _Camera) -> tuple[int, Parts] | None:
        """The camera's newest complete frame after the last one taken."""
        first, *others = self._parts
        for stamp, message in reversed(camera.parts[first]):
            if stamp <= camera.last_ns:
                return None
            matches = {p: self._nearest(camera.parts[p], stamp) for p in others}
            if all(m is not None for m in matches.values()):
                return stamp, {first: message, **matches}
        return None

    def _nearest(self, queue: deque[tuple[int, Any]], stamp: int) -> Any:
        best = min(queue, key=lambda item: abs(item[0] - stamp), default=None)
        return best[1] if best is not None and abs(best[0] - stamp) <= self._slop_ns else None
