"""Maps as values, and the folder in which they are kept.

Frame `map`: z up, the floor at z = 0, metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import yaml

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array

FREE, OCCUPIED, UNKNOWN = 0, 100, -1
"""Values of a floor plan's cells, those of nav_msgs/OccupancyGrid."""

FORMAT = 1
"""Of the files; another one is not read."""


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
        leans: (N, 4) where in each voxel they lie and from where they were seen; see
            `voxels.VoxelStore`. All 0 where that is not known.
    """

    centres: Array
    hits: npt.NDArray[np.int64]
    colors: npt.NDArray[np.uint8]
    leans: npt.NDArray[np.float32]


def has_map(folder: Path) -> bool:
    """Whether something that should be a map is in a folder."""
    return (folder / "map.yaml").exists() or (folder / "map.npz").exists()


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
        leans=voxels.leans,
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
    # Maps of older versions do not say where in its voxels the points lie.
    leans = arrays.get("leans", np.zeros((n, 4), np.float32))
    if leans.shape != (n, 4) or not np.isfinite(leans).all():
        raise _corrupt(folder, "where its voxels lean is missing")
    return plan, VoxelMap(arrays["centres"], arrays["hits"], arrays["colors"], leans)


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
            arrays = {name: file[name] for name in ("cells", "centres", "hits", "colors")}
            return arrays | {"leans": file["leans"]} if "leans" in file else arrays
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
