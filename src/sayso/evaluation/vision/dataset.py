"""Rendered pictures on disk: one file for each flat, written once, read many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.evaluation.vision.pictures import CAMERA, photograph

WIDTH, HEIGHT = 320, 240
"""What the network looks at [px]: every second pixel of the robot's pictures."""
_MILLI = 1000.0
_FARTHEST_M = 60.0


@dataclass(frozen=True, eq=False)
class Album:
    """The pictures of one flat.

    Attributes:
        seed: of the flat.
        rgb: (N, H, W, 3) uint8.
        depth_mm: (N, H, W) uint16; 0 where missing.
        kinds, instances: (N, H, W) uint8, what is true: as `pictures.Picture`.
        poses: (N, 4, 4) of the optical frame in the map.
        lens: (4,) fx, fy, cx, cy [px].
    """

    seed: int
    rgb: npt.NDArray[np.uint8]
    depth_mm: npt.NDArray[np.uint16]
    kinds: npt.NDArray[np.uint8]
    instances: npt.NDArray[np.uint8]
    poses: npt.NDArray[np.float64]
    lens: npt.NDArray[np.float64]

    def frame(self, index: int) -> RgbdFrame:
        """What the camera gave, without what is true."""
        height, width = self.rgb.shape[1:3]
        metres = self.depth_mm[index].astype(np.float32) / np.float32(_MILLI)
        lens = Intrinsics(width, height, *(float(v) for v in self.lens))
        pose = Pose.from_matrix(self.poses[index])
        return RgbdFrame(CAMERA, 0.0, self.rgb[index], metres, lens, pose)


def render_album(seed: int, views: int, width: int = WIDTH, height: int = HEIGHT) -> Album:
    """Pictures of the flat of a seed. Raises NO_PLAN where the seed gives no flat."""
    pictures = list(photograph(seed, views, width, height))
    frames = [p.frame for p in pictures]
    lens = frames[0].intrinsics
    depths = [_millimetres(f.depth_m) for f in frames]
    return Album(
        seed,
        np.stack([f.rgb for f in frames]),
        np.stack(depths),
        np.stack([p.kinds for p in pictures]),
        np.stack([np.asarray(f.instances, np.uint8) for f in frames]),
        np.stack([f.pose.matrix() for f in frames]),
        np.array([lens.fx, lens.fy, lens.cx, lens.cy]),
    )


def _millimetres(depth_m: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """0 where there is no depth, or one farther than any camera measures."""
    known = np.isfinite(depth_m) & (depth_m < _FARTHEST_M)
    return np.rint(np.where(known, depth_m, 0.0) * _MILLI).astype(np.uint16)


def render_missing(folder: Path, seeds: Iterable[int], views: int) -> Iterator[Path]:
    """The files of the flats of some seeds, those that are not there yet rendered now.

    A seed that gives no flat is passed over. Raises CONFIG for a file of more or fewer pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        path = folder / f"{seed}.npz"
        if not path.exists():
            try:
                _write(path, render_album(seed, views))
            except SaySoError as error:
                if error.code is not Code.NO_PLAN:
                    raise
                continue
        elif (there := len(read(path).rgb)) != views:
            raise SaySoError(
                Code.CONFIG,
                f"'{path}' holds {there} pictures of its flat, not {views}.",
                hint=f"ask for --views {there}, or name another folder.",
            )
        yield path


def read(path: Path) -> Album:
    """The album in a file. Raises CONFIG for one that is no album."""
    try:
        with np.load(path) as arrays:
            return Album(int(path.stem), **{name: arrays[name] for name in arrays.files})
    except (OSError, EOFError, ValueError, TypeError, BadZipFile) as error:
        raise SaySoError(
            Code.CONFIG,
            f"'{path}' holds no pictures of a flat: {error}.",
            hint="remove it; it is rendered again.",
        ) from error


def _write(path: Path, album: Album) -> None:
    """Whole or not at all."""
    arrays = {name: value for name, value in vars(album).items() if name != "seed"}
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.rename(path)
