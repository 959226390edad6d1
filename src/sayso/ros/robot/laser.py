"""The newest sweep of a laser, in the map, from `sensor_msgs/LaserScan`."""

from __future__ import annotations

import threading

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import LaserScan

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.mission.laser_obstacles import Sweep, sweep_of
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.qos import SENSOR
from sayso.ros.robot.mobile_frames import BaseLocalisation
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.streams import streams_of

MOST_INVALID = 0.5
"""Share of beams without a measurement up to which a scan counts."""


class Laser:
    """Keeps the newest sweep; safe to ask from any thread.

    Args:
        where: tells where base and laser are.
        topic: of the scans; their `frame_id` is the laser's frame, x ahead at the angle 0.
        footprint_m: length and width of the base.
    """

    def __init__(
        self, node: Node, where: BaseLocalisation, topic: str, footprint_m: tuple[float, float]
    ) -> None:
        self._footprint_m = footprint_m
        self._where = where
        self._topic = topic
        self._lock = threading.Lock()
        self._newest: Sweep | None = None
        node.create_subscription(
            LaserScan,
            topic,
            receiving(topic, self._take),
            SENSOR,
            callback_group=streams_of(node),
        )

    def sweep(self) -> Sweep:
        """The newest. Raises STALE if there is none yet."""
        with self._lock:
            if self._newest is None:
                raise SaySoError(
                    Code.STALE,
                    f"nothing came from the laser on {self._topic} yet.",
                    hint="see whether the laser runs, or start without one (laser:='').",
                )
            return self._newest

    def _take(self, message: LaserScan) -> None:
        stamp_s = time_from_msg(message.header.stamp)
        base = self._where.base(stamp_s)
        laser = self._where.frame(message.header.frame_id, stamp_s)
        ranges = ranges_of(message)
        angles = message.angle_min + message.angle_increment * np.arange(len(ranges))
        sweep = sweep_of(stamp_s, base, laser, angles, ranges, self._footprint_m)
        with self._lock:
            self._newest = sweep


def ranges_of(message: LaserScan) -> Array:
    """(N,) of a scan's beams [m]; infinite where nothing was met (REP 117).

    What is too near to be measured is as near as can be. Raises INVALID for a scan of which most
    beams measured nothing (NaN): a blinded laser sees no obstacle either.
    """
    ranges = np.asarray(message.ranges, float)
    if np.isnan(ranges).mean() > MOST_INVALID:
        raise SaySoError(
            Code.INVALID,
            "most beams of the laser are not a number.",
            hint="see whether the laser is dirty or covered.",
        )
    ranges = np.where(np.isneginf(ranges), message.range_min, ranges)
    seen = (ranges >= message.range_min) & (ranges <= message.range_max)
    return np.asarray(np.where(seen, ranges, np.inf))
