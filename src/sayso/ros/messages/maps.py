"""Floor maps to `nav_msgs/OccupancyGrid` and back."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt
from geometry_msgs.msg import Point, Pose, Quaternion
from nav_msgs.msg import MapMetaData, OccupancyGrid

from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation import grid as floor
from sayso.ros.messages.conversions import header, time_to_msg

_FREE_UP_TO, _OCCUPIED_FROM = 25, 65
"""Percent; what is between is not known. As map_server has it."""


def cells_to_msg(
    cells: npt.NDArray[np.int8],
    origin: tuple[float, float],
    resolution_m: float,
    stamp_s: float = 0.0,
    frame: str = "map",
) -> OccupancyGrid:
    """Cells (rows, columns), rows along y, with the outer corner of cell (0, 0) at `origin`."""
    rows, columns = cells.shape
    corner = Point(x=float(origin[0]), y=float(origin[1]))
    return OccupancyGrid(
        header=header(stamp_s, frame),
        info=MapMetaData(
            map_load_time=time_to_msg(stamp_s),
            resolution=float(resolution_m),
            width=columns,
            height=rows,
            origin=Pose(position=corner, orientation=Quaternion(w=1.0)),
        ),
        data=array("b", np.ascontiguousarray(cells, np.int8).tobytes()),
    )


def grid_to_msg(
    grid: floor.OccupancyGrid, stamp_s: float = 0.0, frame: str = "map"
) -> OccupancyGrid:
    return cells_to_msg(grid.cells, grid.origin, grid.resolution_m, stamp_s, frame)


def grid_from_msg(msg: Any) -> floor.OccupancyGrid:
    """Cells that are likely free or occupied as such, all others as unknown.

    Raises:
        SaySoError: INVALID for a map without cells, of another size than it says, or without a
            resolution; UNSUPPORTED for one that is turned.
    """
    info, q = msg.info, msg.info.origin.orientation
    cells = np.array(msg.data, np.int8)
    if cells.size != info.height * info.width:
        raise SaySoError(
            Code.INVALID,
            f"the map says {info.height} x {info.width} cells, but has {cells.size}.",
            hint="map the flat again.",
        )
    if max(abs(q.x), abs(q.y), abs(q.z)) > 1e-6:
        raise SaySoError(
            Code.UNSUPPORTED,
            "the map is turned against its frame.",
            hint="publish it with an origin that is not rotated.",
        )
    known = np.full(cells.shape, floor.UNKNOWN, np.int8)
    known[(cells >= 0) & (cells <= _FREE_UP_TO)] = floor.FREE
    known[cells >= _OCCUPIED_FROM] = floor.OCCUPIED
    corner = info.origin.position
    shaped = known.reshape(info.height, info.width)
    # A float32 of 0.05 is not quite 0.05: over a hundred metres that would be a cell.
    size = round(float(info.resolution), 6)
    return floor.OccupancyGrid(shaped, (float(corner.x), float(corner.y)), size)
