"""The frames of a mapping tour, kept so that things can be found in them afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, rotation_matrix
from sayso.core.ports import RgbdFrame
from sayso.perception.flat import memory_files as files
from sayso.perception.flat.memory_files import Packed

_LEAST_DEPTH = 0.02
"""Share of the pixels that must have depth for a frame to have any."""


@dataclass(frozen=True)
class MemorySettings:
    """Which frames are worth keeping.

    Attributes:
        moved_m, turned_rad: a camera's frame is kept if it was moved or turned by more than this
            from every kept one that looks the same way from the same place.
        most: frames in all; beyond, the one most like another goes.
    """

    moved_m: float = 0.25
    turned_rad: float = float(np.deg2rad(15.0))
    most: int = 600

    def __post_init__(self) -> None:
        if self.moved_m < 0 or self.turned_rad < 0 or self.most < 1:
            raise SaySoError(
                Code.CONFIG, "a memory of frames needs moved_m, turned_rad >= 0 and most >= 1."
            )


class FrameMemory:
    """Frames with poses in the map, compressed; iterating gives them oldest first.

    Colour is kept as JPEG, depth in whole millimetres, the simulator's segmentation as it is.

    Args:
        settings: which frames are kept, and how many.
    """

    def __init__(self, settings: MemorySettings | None = None) -> None:
        self.settings = settings or MemorySettings()
        self._kept: list[Packed] = []
        self._offered = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[RgbdFrame]:
        for packed in list(self._kept):
            yield packed.frame()

    @property
    def offered(self) -> int:
        """How many frames were given, kept or not."""
        return self._offered

    def add(self, frame: RgbdFrame) -> bool:
        """Keep a frame if it shows a new view; whether it was kept.

        Raises:
            SaySoError: INVALID where picture and depth do not belong together.
        """
        if frame.depth_m.shape != frame.rgb.shape[:2] or frame.depth_m.ndim != 2:
            raise SaySoError(
                Code.INVALID,
                f"camera '{frame.camera}' gave colour of shape {frame.rgb.shape[:2]}, but depth "
                f"of shape {frame.depth_m.shape}.",
                hint="record the tour with depth aligned to colour.",
            )
        self._offered += 1
        if not _has_depth(frame) or not self._is_new(frame):
            return False
        self._kept.append(Packed.of(frame))
        if len(self._kept) > self.settings.most:
            del self._kept[self._least_needed()]
        return True

    def renew(self, frame: RgbdFrame) -> None:
        """Keep a frame in place of those that showed the same view: it shows how it is now."""
        if _has_depth(frame):
            self._kept = [p for p in self._kept if not self._alike(p, frame)]
            self.add(frame)

    def check(self) -> None:
        """Returns if there is something to look at.

        Raises:
            SaySoError: INVALID for an empty tour, or one without depth.
        """
        if not self._kept:
            raise SaySoError(
                Code.INVALID,
                "no frame of the tour has depth." if self._offered else "the tour has no frame.",
                hint="drive the tour again with the colour and depth camera on.",
            )

    def save(self, folder: Path) -> None:
        """Write all frames; a tour that was in the folder is replaced.

        Raises:
            SaySoError: INVALID for an empty tour, or one without depth.
        """
        self.check()
        files.save(folder, self._kept)

    @staticmethod
    def load(folder: Path, settings: MemorySettings | None = None) -> FrameMemory:
        """What `save` wrote; pictures are read from the folder when they are needed.

        Raises:
            SaySoError: CONFIG where there is no tour; CORRUPT, naming the file, where one is
                damaged, missing or of another format; INVALID for an empty tour.
        """
        memory = FrameMemory(settings)
        memory._kept = files.load(folder)
        memory._offered = len(memory._kept)
        memory.check()
        return memory

    def _is_new(self, frame: RgbdFrame) -> bool:
        return not any(self._alike(p, frame) for p in self._kept)

    def _alike(self, packed: Packed, frame: RgbdFrame) -> bool:
        if packed.camera != frame.camera:
            return False
        apart = np.linalg.norm(np.subtract(packed.pose.position, frame.pose.position))
        if apart > self.settings.moved_m:
            return False
        turn = rotation_matrix(packed.pose.orientation).T @ rotation_matrix(frame.pose.orientation)
        return angle(turn) <= self.settings.turned_rad

    def _least_needed(self) -> int:
        """The frame that is most like a later one."""
        places = np.array([p.pose.position for p in self._kept])
        turns = np.array([rotation_matrix(p.pose.orientation)[:, 2] for p in self._kept])
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) / max(
            self.settings.moved_m, 1e-3
        )
        facing = np.clip(turns @ turns.T, -1.0, 1.0)
        unlike = apart + np.arccos(facing) / max(self.settings.turned_rad, 1e-3)
        unlike[np.tril_indices(len(unlike))] = np.inf
        return int(unlike.min(axis=1).argmin())


def angle(rotation: Array) -> float:
    """The angle of a (3, 3) rotation [rad]."""
    return float(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1.0, 1.0)))


def _has_depth(frame: RgbdFrame) -> bool:
    return bool((np.nan_to_num(frame.depth_m[::4, ::4]) > 0).mean() > _LEAST_DEPTH)
