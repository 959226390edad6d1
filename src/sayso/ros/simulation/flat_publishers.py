"""What the simulated mobile robot publishes, from a `FlatWorld`."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sayso_ros.msg import Devices
from sensor_msgs.msg import LaserScan

from sayso.core.geometry import Array, Pose
from sayso.core.scene import SceneObject
from sayso.ros.messages.conversions import header, object_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.robot.building import TOPIC
from sayso.ros.simulation.world_publishers import Frame, RobotPublisher, WorldPublisher, heard
from sayso.worlds.flat import devices, robot, sensing, truth
from sayso.worlds.flat.flat_world import FlatWorld

MAP, ODOM = "map", "odom"
_PLANAR = (0, 1, 5)


class MobilePublisher(RobotPublisher):
    """Beside what an arm publishes: `odom`, `scan`, and where the base is."""

    _world: FlatWorld

    def __init__(self, node: Node, world: FlatWorld) -> None:
        super().__init__(node, world, robot.description(world.profile))
        self._odom = node.create_publisher(Odometry, "odom", 10)
        self._scan = node.create_publisher(LaserScan, "scan", 10)

    def _base_frames(self) -> list[Frame]:
        odometry = self._world.odometry()
        self._odom.publish(odometry_to_msg(odometry))
        # As localisation does on real robots: it corrects where `odom` is in the map.
        correction = self._world.localisation() @ odometry.pose.inverse()
        return [(MAP, ODOM, correction), (ODOM, robot.BASE_FRAME, odometry.pose)]

    def scan(self) -> None:
        """One laser scan, if somebody listens."""
        if heard(self._scan):
            self._scan.publish(scan_to_msg(self._world.scan()))


class FlatPublisher(WorldPublisher):
    """The same of a flat; the robot's base is `mobile_base` among the true objects."""

    _world: FlatWorld

    def __init__(self, node: Node, world: FlatWorld, jpeg_quality: int) -> None:
        labels = {str(i): label for i, label in truth.instance_labels(world.scene).items()}
        super().__init__(node, world, jpeg_quality, json.dumps(labels), MAP)
        self._devices = node.create_publisher(Devices, TOPIC, LATCHED)

    def devices(self) -> None:
        """What the building says of its doors and lamps: a smart home's state, not perception."""
        stamp = header(self._world.time_s, MAP)
        told = [object_to_msg(d) for d in devices.reported(self._world)]
        self._devices.publish(Devices(header=stamp, devices=told))

    def _objects(self) -> Iterable[SceneObject]:
        base = base_object(self._world.true_base(), self._world.base.footprint_m)
        return (*self._world.truth(), base)


def base_object(pose: Pose, footprint_m: tuple[float, float]) -> SceneObject:
    """The robot's base as an object: its footprint, half a metre high."""
    x, y, _ = pose.position
    size = (*footprint_m, 0.5)
    return SceneObject(robot.BODY, "robot", "yellow", (x, y, 0.25), size, pose.orientation)


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
