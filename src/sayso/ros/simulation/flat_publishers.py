"""What the simulated mobile robot publishes, from a `FlatWorld`."""

from __future__ import annotations

import json
from array import array

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sayso_ros.msg import GroundTruth
from sensor_msgs.msg import CompressedImage, JointState, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from sayso.core.geometry import Array, Pose
from sayso.core.scene import SceneObject
from sayso.ros.messages.conversions import header, object_to_msg, time_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.simulation.world_publishers import heard, jpeg, transforms
from sayso.worlds.flat import model, robot, sensing, truth
from sayso.worlds.flat.flat_world import FlatWorld

MAP, ODOM = "map", "odom"
_PLANAR = (0, 1, 5)


class MobilePublisher:
    """`/clock`, `joint_states`, `odom`, `scan`, `robot_description`, `/tf` and `/tf_static`."""

    def __init__(self, node: Node, world: FlatWorld) -> None:
        self._world = world
        self._clock = node.create_publisher(Clock, "/clock", 10)
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        self._odom = node.create_publisher(Odometry, "odom", 10)
        self._scan = node.create_publisher(LaserScan, "scan", 10)
        self._tf = node.create_publisher(TFMessage, "/tf", 50)
        self._tf_static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        self._description.publish(String(data=robot.description(world.profile)))

    def clock(self) -> None:
        self._clock.publish(Clock(clock=time_to_msg(self._world.time_s)))

    def state(self) -> None:
        """One joint reading, odometry, and the frames that follow from both."""
        reading = self._world.joints()
        message = JointState(
            header=header(reading.stamp_s),
            name=list(reading.names),
            position=reading.positions.tolist(),
            velocity=reading.velocities.tolist(),
        )
        self._joints.publish(message)
        odometry = self._world.odometry()
        self._odom.publish(odometry_to_msg(odometry))
        # As localisation does on real robots: it corrects where `odom` is in the map.
        correction = self._world.localisation() @ odometry.pose.inverse()
        frames = [
            (MAP, ODOM, correction),
            (ODOM, robot.BASE_FRAME, odometry.pose),
            *self._world.arm_frames(reading),
        ]
        self._tf.publish(transforms(reading.stamp_s, frames))

    def scan(self) -> None:
        """One laser scan, if somebody listens."""
        if heard(self._scan):
            self._scan.publish(scan_to_msg(self._world.scan()))

    def static_frames(self) -> None:
        """Where arm, laser and cameras are mounted."""
        self._tf_static.publish(transforms(self._world.time_s, self._world.fixed_frames()))


class FlatPublisher:
    """What only a simulator can tell: ground truth, labels, a view from above."""

    def __init__(self, node: Node, world: FlatWorld, jpeg_quality: int) -> None:
        self._world = world
        self._quality = jpeg_quality
        self._truth = node.create_publisher(GroundTruth, "world/ground_truth", 10)
        self._overview = node.create_publisher(
            CompressedImage, "camera/overview/color/image_raw/compressed", 2
        )
        labels = node.create_publisher(String, "world/segmentation/labels", LATCHED)
        table = {str(i): label for i, label in truth.instance_labels(world.scene).items()}
        labels.publish(String(data=json.dumps(table)))

    def truth(self) -> None:
        """FOR TESTS ONLY: true objects, the robot's base as `mobile_base` among them."""
        if not heard(self._truth):
            return
        objects = [
            *self._world.truth(),
            base_object(self._world.true_base(), self._world.base.footprint_m),
        ]
        message = GroundTruth(
            header=header(self._world.time_s, MAP),
            objects=[object_to_msg(o) for o in objects],
            robot_contacts=sorted(self._world.contacts()),
            joint_velocities=array("d", self._world.true_joint_velocities()),
        )
        self._truth.publish(message)

    def overview(self) -> None:
        if heard(self._overview):
            stamp = header(self._world.time_s, MAP)
            picture = self._world.picture(model.TOP_VIEW)
            self._overview.publish(jpeg(picture, self._quality, stamp))


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
