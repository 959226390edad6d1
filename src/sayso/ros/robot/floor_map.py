"""The newest map of the floor, from `/map`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nav_msgs.msg import OccupancyGrid as OccupancyGridMsg
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from sayso.core.errors import Code, SaySoError
from sayso.core.occupied import Occupied
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.maps import grid_from_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.calls import LOOK_S

MAP_TIMEOUT_S = 20.0


class FloorMap:
    """Keeps the newest map; safe to ask from any thread.

    Args:
        meanwhile: called again and again while a map is waited for; what it raises ends that.
    """

    def __init__(
        self, node: Node, topic: str = "map", meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        self._meanwhile = meanwhile
        self._changed = threading.Condition()
        self._newest: tuple[OccupancyGrid, float] | None = None
        node.create_subscription(
            OccupancyGridMsg,
            topic,
            receiving(topic, self._take),
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def grid(self) -> OccupancyGrid:
        """Raises STALE if there is no map yet."""
        return self._known()[0]

    def occupied(self) -> Occupied | None:
        """What it shows to stand on the floor; None if there is no map yet."""
        with self._changed:
            return None if self._newest is None else self._newest[0].occupied

    @property
    def stamp_s(self) -> float:
        """Of the newest frame in the map. Raises STALE if there is no map yet."""
        return self._known()[1]

    def wait_after(self, stamp_s: float) -> None:
        """Wait for a map that shows what was seen after a time. Raises STALE if none comes."""

        def newer() -> bool:
            return self._newest is not None and self._newest[1] > stamp_s

        end_s = time.monotonic() + MAP_TIMEOUT_S
        while True:
            self._meanwhile()
            with self._changed:
                if self._changed.wait_for(newer, LOOK_S):
                    return
            if time.monotonic() > end_s:
                raise SaySoError(
                    Code.STALE,
                    f"no new map for {MAP_TIMEOUT_S:g} s.",
                    hint="see whether the mapper and the front camera run.",
                )

    def _known(self) -> tuple[OccupancyGrid, float]:
        with self._changed:
            if self._newest is None:
                raise SaySoError(
                    Code.STALE,
                    "there is no map of the floor yet.",
                    hint="see whether the mapper runs, and map the flat first.",
                )
            return self._newest

    def _take(self, message: OccupancyGridMsg) -> None:
        newest = grid_from_msg(message), time_from_msg(message.header.stamp)
        with self._changed:
            self._newest = newest
            self._changed.notify_all()
