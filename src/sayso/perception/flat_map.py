"""What is kept of a flat: its map, the frames of the tour, and the way that the robot took.

In a folder: `map.yaml` and `map.npz`, `trail.csv`, and `frames/` where frames are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.map_files import load_map, save_map
from sayso.perception.mapping import Mapper, MappingSettings

FRAMES, TRAIL = "frames", "trail.csv"
_STEP_M = 0.1
"""The trail gets a point after so much."""


@dataclass
class FlatMap:
    """A map under way. Not safe for threads.

    Attributes:
        frames: None where no frames are to be kept.
        trail: where the base was, (x, y) [m, frame `map`].
    """

    mapper: Mapper = field(default_factory=Mapper)
    frames: FrameMemory | None = None
    trail: list[tuple[float, float]] = field(default_factory=list)

    def add(
        self, frame: RgbdFrame, base: Pose | None = None, moving: Sequence[SceneObject] = ()
    ) -> int:
        """Take one frame in, as `Mapper.add` does; the number of points that it gave."""
        points = self.mapper.add(frame, moving, base)
        if base is not None:
            self._follow(base)
        if self.frames is not None and points:
            self.frames.add(frame)
        return points

    def route(self) -> Array:
        """(N, 2) the trail [m]."""
        return np.asarray(self.trail, float).reshape(-1, 2)

    def save(self, folder: Path) -> None:
        """Write everything into a folder, which is made.

        Raises:
            SaySoError: INVALID where there is nothing to map yet; CONFIG where the folder cannot
                be written.
        """
        plan, voxels = self.mapper.floor_plan(), self.mapper.voxels()
        try:
            save_map(folder, plan, voxels)
            np.savetxt(folder / TRAIL, self.route(), "%.3f", ",", header="x,y")
            if self.frames:
                self.frames.save(folder / FRAMES)
        except OSError as error:
            raise SaySoError(
                Code.CONFIG,
                f"the map cannot be written to {folder}: {error}",
                hint="name a folder that can be written, with room on its disk.",
            ) from error

    def _follow(self, base: Pose) -> None:
        x, y, _ = base.position
        if not self.trail or np.hypot(x - self.trail[-1][0], y - self.trail[-1][1]) > _STEP_M:
            self.trail.append((float(x), float(y)))


def load_flat_map(
    folder: Path, settings: MappingSettings | None = None, keep_frames: bool = True
) -> FlatMap:
    """What was saved, to go on with.

    Args:
        keep_frames: whether the tour's frames are loaded, and more kept.

    Raises:
        SaySoError: CONFIG where there is no map, or one of another size of voxels; CORRUPT where
            a file is damaged.
    """
    mapper = Mapper.of_map(*load_map(folder), settings)
    frames = None
    if keep_frames:
        saved = (folder / FRAMES).exists()
        frames = FrameMemory.load(folder / FRAMES) if saved else FrameMemory()
    return FlatMap(mapper, frames, _load_trail(folder / TRAIL))


def _load_trail(path: Path) -> list[tuple[float, float]]:
    if not path.exists():
        return []
    try:
        points = np.loadtxt(path, delimiter=",", ndmin=2).reshape(-1, 2)
    except (OSError, ValueError) as error:
        raise SaySoError(
            Code.CORRUPT, f"the trail {path} cannot be read: {error}", hint="delete it."
        ) from error
    return [(float(x), float(y)) for x, y in points]
