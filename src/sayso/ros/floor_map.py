"""The newest map of the floor, from `/map`."""

from __future__ import annotations

import threading

from nav_msgs.msg import OccupancyGrid as OccupancyGridMsg
from rclpy.node import Node

from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.ros.boundary import receiving
from sayso.ros.maps import grid_from_msg
from sayso.ros.qos import LATCHED


class FloorMap:
    """Keeps the newest map; safe to ask from any thread."""

    def __init__(self, node: Node, topic: str = "/map") -> None:
        self._lock = threading.Lock()
        self._grid: OccupancyGrid | None = None
        node.create_subscription(OccupancyGridMsg, topic, receiving(topic, self._take), LATCHED)

    def grid(self) -> OccupancyGrid:
        """Raises STALE if there is no map yet."""
        with self._lock:
            if self._grid is None:
                raise SaySoError(
                    Code.STALE,
                    "there is no map of the floor yet.",
                    hint="see whether the mapper runs, and map the flat first.",
                )
            return self._grid

    def _take(self, message: OccupancyGridMsg) -> None:
        grid = grid_from_msg(message)
        with self._lock:
            self._grid = grid
