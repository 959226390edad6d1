"""What the base of a mobile robot publishes."""

from __future__ import annotations

from array import array
from typing import Protocol

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import LaserScan

from sayso.core.geometry import Array, Pose
from sayso.robots.moving_frames import Frame
from sayso.ros.messages.conversions import header
from sayso.ros.robot.rgbd_publisher import heard
from sayso.worlds.flat import robot, sensing
from sayso.worlds.mujoco_world import MobileBase

MAP, ODOM = "map", "odom"
_PLANAR = (0, 1, 5)


class LocatedBase(Protocol):
    """A base that knows where it is (`worlds.mujoco_world.MobileBase`, `SpotClient`)."""

    def odometry(self) -> sensing.Odometry: ...

    def localisation(self) -> Pose: ...


class BasePublisher:
    """`odom`, and where the base is."""

    def __init__(self, node: Node, base: LocatedBase) -> None:
        self._base = base
        self._odom = node.create_publisher(Odometry, "odom", 10)

    def state(self) -> list[Frame]:
        """Publishes odometry; the frames that follow from it."""
        odometry = self._base.odometry()
        self._odom.publish(odometry_to_msg(odometry))
        # As localisation does on real robots: it corrects where `odom` is in the map.
        correction = self._base.localisation() @ odometry.pose.inverse()
        return [(MAP, ODOM, correction), (ODOM, robot.BASE_FRAME, odometry.pose)]


class ScanPublisher:
    """`scan`."""

    def __init__(self, node: Node, base: MobileBase) -> None:
        self._base = base
        self._scan = node.create_publisher(LaserScan, "scan", 10)

    def publish(self) -> None:
        """One laser scan, if somebody listens."""
        if heard(self._scan):
            self._scan.publish(scan_to_msg(self._base.scan()))


def odometry_to_msg(odometry: sensing.Odometry) -> Odometry:
    """Pose in `odom`, velocity in the base frame."""
    message = Odometry(header=header(odometry.stamp_s, ODOM), child_frame_id=robot.BASE_FRAME)
    p, q = message.pose.pose.position, message.pose.pose.orientation
    p.x, p.y, p.z = odometry.pose.position
    q.x, q.y, q.z, q.w = odometry.pose.orientation
    twist: Twist = message.twist.twist
    twist.linear.x, twist.linear.y, twist.angular.z = odometry.velocity
    message.pose.covariance = _on_the_floor(odometry.covariance)
    # The velocity is the one that was asked for, within what the base slips.
    message.twist.covariance = _on_the_floor(1e-4 * np.eye(3))
    return message


def _on_the_floor(covariance: Array) -> list[float]:
    """(6, 6), row by row, of x, y, z and the angles about them, from (3, 3) of x, y and yaw."""
    whole = sensing.LEAST_VARIANCE * np.eye(6)
    whole[np.ix_(_PLANAR, _PLANAR)] = covariance
    return [float(value) for value in whole.ravel()]


def scan_to_msg(scan: sensing.LaserScan) -> LaserScan:
    """A scan in the laser's frame."""
    angles = sensing.laser_angles()
    low, high = sensing.LASER_RANGE_M
    return LaserScan(
        header=header(scan.stamp_s, robot.LASER_FRAME),
        angle_min=float(angles[0]),
        angle_max=float(angles[-1]),
        angle_increment=float(angles[1] - angles[0]),
        range_min=low,
        range_max=high,
        ranges=array("f", scan.ranges.tolist()),
    )
