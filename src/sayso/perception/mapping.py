"""A map of the flat from depth pictures and poses: voxels, and the floor plan that they make.

Frame `map`: z up, the floor at z = 0, metres.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import yaml

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import RgbdFrame
from sayso.perception.camera import cloud

FREE, OCCUPIED, UNKNOWN = 0, 100, -1
"""Values of a floor plan's cells, those of nav_msgs/OccupancyGrid."""

FORMAT = 1
"""Of the files; another one is not read."""

_Keys = npt.NDArray[np.int64]
_SHORT = 2
"""Voxels before its end that a ray stops: the rest may be the surface itself, seen flat."""
_LOW_M = 0.2
"""How far above `low_m` a ray may pass and still show that nothing stands on the floor."""
_BITS = 20
_HALF = 1 << (_BITS - 1)
"""Voxels are counted from the middle of this many along each axis: 26 km at 5 cm."""


@dataclass(frozen=True)
class MappingSettings:
    """How a map is made.

    Attributes:
        voxel_m: side of a voxel, and of a cell of the floor plan.
        low_m, high_m: what is between these heights is in the way of the robot.
        floor_m: what is lower than this is floor.
        reach_m: depths beyond are not trusted.
        near_m: depths closer are the robot itself.
        hits: points that a voxel needs before it counts as there.
        stride: every how-manieth pixel is used.
        cleared: in how many frames rays must have passed a voxel, for each frame in which one
            ended there, to clear it.
    """

    voxel_m: float = 0.05
    low_m: float = 0.1
    high_m: float = 1.4
    floor_m: float = 0.05
    reach_m: float = 6.0
    near_m: float = 0.2
    hits: int = 3
    stride: int = 2
    cleared: float = 1.0

    def __post_init__(self) -> None:
        if not (self.voxel_m > 0 and self.floor_m <= self.low_m < self.high_m):
            raise SaySoError(
                Code.CONFIG,
                "a map needs voxel_m > 0 and floor_m <= low_m < high_m.",
                hint="correct the mapping settings.",
            )


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """Cells of the floor: (rows, columns) int8 of FREE, OCCUPIED, UNKNOWN, rows along y.

    Attributes:
        origin: (x, y) of the outer corner of cell (0, 0) [m].
    """

    cells: npt.NDArray[np.int8]
    origin: tuple[float, float]
    resolution_m: float


@dataclass(frozen=True, eq=False)
class VoxelMap:
    """Points gathered in voxels.

    Attributes:
        centres: (N, 3) [m].
        hits: (N,) how many points fell into each.
        colors: (N, 3) uint8, their mean.
    """

    centres: Array
    hits: npt.NDArray[np.int64]
    colors: npt.NDArray[np.uint8]


@dataclass
class _Tally:
    """How often each key was added."""

    keys: _Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, keys: _Keys) -> None:
        """Count some distinct keys once more."""
        weights = np.r_[self.counts, np.ones(len(keys), np.int64)]
        self.keys, inverse = np.unique(np.concatenate((self.keys, keys)), return_inverse=True)
        self.counts = np.bincount(inverse, weights, len(self.keys)).astype(np.int64)

    def of(self, keys: _Keys) -> npt.NDArray[np.int64]:
        """The counts of some keys; 0 for those that were never added."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)


@dataclass
class Mapper:
    """Gathers frames of a tour; ask for the maps at any time."""

    settings: MappingSettings = field(default_factory=MappingSettings)
    _keys: _Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _hits: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    _colors: Array = field(default_factory=lambda: np.zeros((0, 3)))
    _struck: _Tally = field(default_factory=_Tally)
    _gone: _Tally = field(default_factory=_Tally)
    _passed: _Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _frames: int = 0

    def add(self, frame: RgbdFrame) -> int:
        """Take one frame in; the number of points that it gave.

        Raises:
            SaySoError: INVALID where picture and depth do not belong together.
        """
        if frame.depth_m.shape != frame.rgb.shape[:2] or frame.depth_m.ndim != 2:
            raise SaySoError(
                Code.INVALID,
                f"camera {frame.camera} gave {frame.rgb.shape[1]} x {frame.rgb.shape[0]} pixels "
                f"of colour, but depth of shape {frame.depth_m.shape}.",
                hint="record the tour with depth aligned to colour.",
            )
        self._frames += 1
        seen = cloud(frame, self.settings.stride)
        good = seen.valid & (seen.depth_m < self.settings.reach_m)
        good &= seen.depth_m > self.settings.near_m
        points, colors = seen.points[good].astype(float), seen.rgb[good]
        if len(points):
            self._gather(points, colors)
            struck = np.unique(self._voxels_of(points))
            self._clear(np.asarray(frame.pose.position, float), struck)
        return len(points)

    def voxels(self) -> VoxelMap:
        """All voxels with hits enough.

        Raises:
            SaySoError: INVALID where no frame gave a point.
        """
        kept = self._there()
        hits = self._hits[kept]
        centres: Array = (_unpack(self._keys[kept]).astype(float) + 0.5) * self.settings.voxel_m
        colors = np.rint(self._colors[kept] / hits[:, None]).astype(np.uint8)
        return VoxelMap(centres, hits, colors)

    def floor_plan(self) -> FloorPlan:
        """The cells that were seen: occupied where something stands in the robot's way.

        A cell is free where floor was seen or a ray went low over it, and nothing stands there;
        unknown where neither: what hides below a ray over a table top is not known.

        Raises:
            SaySoError: INVALID where no frame gave a point.
        """
        kept = self._there()
        s = self.settings
        z = (_unpack(self._keys)[:, 2] + 0.5) * s.voxel_m
        solid = _flat(self._keys[kept & (z > s.low_m) & (z < s.high_m)])
        floor = _flat(self._keys[kept & (z < s.floor_m)])
        passed = _flat(self._passed)
        every = np.concatenate((solid, floor, passed))
        low, high = every.min(axis=0), every.max(axis=0)
        columns, rows = (int(v) for v in high - low + 1)
        cells = np.full((rows, columns), UNKNOWN, np.int8)
        cells[_place(floor - low)] = FREE
        cells[_place(passed - low)] = FREE
        cells[_place(solid - low)] = OCCUPIED
        x, y = (float(v) * s.voxel_m for v in low)
        return FloorPlan(cells, (x, y), s.voxel_m)

    def _voxels_of(self, points: Array) -> _Keys:
        return _pack(np.floor(points / self.settings.voxel_m).astype(np.int64))

    def _gather(self, points: Array, colors: npt.NDArray[np.uint8]) -> None:
        keys = self._voxels_of(points)
        merged = np.concatenate((self._keys, keys))
        self._keys, inverse = np.unique(merged, return_inverse=True)
        n, old = len(self._keys), len(self._hits)
        hits = np.r_[self._hits, np.ones(len(keys), np.int64)]
        self._hits = np.bincount(inverse, hits, n).astype(np.int64)
        sums = np.concatenate((self._colors[:old], colors.astype(float)))
        self._colors = np.stack([np.bincount(inverse, sums[:, i], n) for i in range(3)], axis=1)

    def _clear(self, eye: Array, struck: _Keys) -> None:
        """Follow a ray to each voxel that a frame struck, as OctoMap does (Hornung et al. 2013):
        what it passes is free at that height, and a voxel that it passes may be gone."""
        s = self.settings
        ends = (_unpack(struck) + 0.5) * s.voxel_m
        length = np.linalg.norm(ends - eye, axis=1)
        count = np.maximum((length / s.voxel_m).astype(int) - _SHORT, 0)
        which = np.repeat(np.arange(len(ends)), count)
        rank = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        share = (rank + 0.5) / (count[which] + _SHORT)
        on_ray = eye + share[:, None] * (ends[which] - eye)
        kept = on_ray[(on_ray[:, 2] > s.low_m) & (on_ray[:, 2] < s.high_m)]
        passed = np.unique(_pack(np.floor(kept / s.voxel_m).astype(np.int64)))
        self._struck.add(struck)
        passed = np.setdiff1d(passed, struck, assume_unique=True)
        self._gone.add(np.intersect1d(passed, self._keys, assume_unique=True))
        floor = _unpack(passed)
        floor = floor[(floor[:, 2] + 0.5) * s.voxel_m < s.low_m + _LOW_M]
        floor[:, 2] = 0
        self._passed = np.union1d(self._passed, _pack(floor))

    def _there(self) -> npt.NDArray[np.bool_]:
        """(N,) which voxels count: hit often enough, and not seen through more often since."""
        gone, struck = self._gone.of(self._keys), self._struck.of(self._keys)
        kept = (self._hits >= self.settings.hits) & (gone <= self.settings.cleared * struck)
        if not kept.any():
            raise self._empty()
        return np.asarray(kept)

    def _empty(self) -> SaySoError:
        why = f"{self._frames} frames gave no depth" if self._frames else "there was no frame"
        return SaySoError(
            Code.INVALID,
            f"no map can be made of this tour: {why}.",
            hint="drive the tour again with the depth camera on.",
        )


def map_frames(frames: Iterable[RgbdFrame], settings: MappingSettings | None = None) -> Mapper:
    """A mapper that has taken in all frames."""
    mapper = Mapper(settings or MappingSettings())
    for frame in frames:
        mapper.add(frame)
    return mapper


def save_map(folder: Path, plan: FloorPlan, voxels: VoxelMap) -> None:
    """Write `map.yaml`, which map_server's readers know most keys of, and `map.npz`."""
    folder.mkdir(parents=True, exist_ok=True)
    header = {
        "format": FORMAT,
        "image": "map.npz",
        "resolution": plan.resolution_m,
        "origin": [*plan.origin, 0.0],
        "frame": "map",
    }
    np.savez_compressed(
        folder / "map.npz",
        cells=plan.cells,
        centres=voxels.centres,
        hits=voxels.hits,
        colors=voxels.colors,
    )
    (folder / "map.yaml").write_text(yaml.safe_dump(header, sort_keys=False), encoding="utf-8")


def load_map(folder: Path) -> tuple[FloorPlan, VoxelMap]:
    """What `save_map` wrote.

    Raises:
        SaySoError: CONFIG where a file is missing; CORRUPT, naming the part, where one is
            damaged, empty or of another format.
    """
    header = _header(folder / "map.yaml")
    arrays = _arrays(folder / str(header["image"]))
    cells = arrays["cells"]
    if cells.ndim != 2 or not cells.size or not np.isin(cells, (FREE, OCCUPIED, UNKNOWN)).all():
        raise _corrupt(folder, "its cells are not free, occupied or unknown")
    if not (cells == FREE).any():
        raise _corrupt(folder, "it has no free cell")
    n = len(arrays["centres"])
    if arrays["centres"].shape != (n, 3) or arrays["colors"].shape != (n, 3):
        raise _corrupt(folder, "its voxels have no positions or colours")
    x, y = (float(v) for v in header["origin"][:2])
    plan = FloorPlan(cells.astype(np.int8), (x, y), float(header["resolution"]))
    return plan, VoxelMap(arrays["centres"], arrays["hits"], arrays["colors"])


def _header(path: Path) -> dict[str, Any]:
    try:
        header = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"there is no map at {path}.", hint="map the flat first."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _corrupt(path, "it cannot be read") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _corrupt(path, f"it is not of format {FORMAT}")
    resolution, origin = header.get("resolution"), header.get("origin")
    numbers = (resolution, *origin) if isinstance(origin, list) and len(origin) >= 2 else ()
    if not numbers or not all(isinstance(v, (int, float)) and np.isfinite(v) for v in numbers):
        raise _corrupt(path, "its resolution or origin is missing")
    if not numbers[0] > 0 or Path(str(header.get("image"))).name != header.get("image"):
        raise _corrupt(path, "its resolution or the name of its image is wrong")
    return header


def _arrays(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in ("cells", "centres", "hits", "colors")}
    except FileNotFoundError as error:
        raise SaySoError(
            Code.CONFIG, f"the map's file {path} is missing.", hint="map the flat again."
        ) from error
    except (BadZipFile, OSError, ValueError, KeyError, EOFError) as error:
        raise _corrupt(path, "it cannot be read") from error


def _corrupt(path: Path, why: str) -> SaySoError:
    return SaySoError(
        Code.CORRUPT, f"the map at {path} is damaged: {why}.", hint="map the flat again."
    )


def _pack(cells: _Keys) -> _Keys:
    shifted = cells + _HALF
    return np.asarray((shifted[:, 0] << 2 * _BITS) | (shifted[:, 1] << _BITS) | shifted[:, 2])


def _unpack(keys: _Keys) -> _Keys:
    mask = (1 << _BITS) - 1
    parts = (keys >> 2 * _BITS, (keys >> _BITS) & mask, keys & mask)
    return np.stack(parts, axis=1) - _HALF


def _flat(keys: _Keys) -> _Keys:
    return _unpack(keys)[:, :2]


def _place(cells: _Keys) -> tuple[_Keys, _Keys]:
    """Cells (x, y) as an index of rows and columns."""
    return cells[:, 1], cells[:, 0]
