"""What a simulated robot, its cameras and its world publish."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable

from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sayso_ros.msg import GroundTruth
from sensor_msgs.msg import CompressedImage, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from sayso.core.ports import RgbdFrame
from sayso.robots.moving_frames import Frame
from sayso.ros.messages.conversions import header, object_to_msg, time_to_msg
from sayso.ros.messages.images import image_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.robot.rgbd_publisher import IMAGES, RgbdPublisher, heard, jpeg, optical_frame
from sayso.ros.robot.transforms import transforms
from sayso.worlds.mujoco_world import MujocoWorld


class RobotPublisher:
    """`/clock`, `joint_states`, `robot_description` (URDF), `/tf` and `/tf_static`.

    Args:
        base_frames: where a base is that moves: parent's name, own name, pose in the parent.
    """

    def __init__(
        self, node: Node, world: MujocoWorld, base_frames: Callable[[], list[Frame]] = list
    ) -> None:
        self._world, self._base_frames = world, base_frames
        self._clock = node.create_publisher(Clock, "/clock", 10)
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        self._tf = node.create_publisher(TFMessage, "/tf", 50)
        self._tf_static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        self._description.publish(String(data=world.description()))

    def clock(self) -> None:
        self._clock.publish(Clock(clock=time_to_msg(self._world.time_s)))

    def state(self) -> None:
        """One joint reading, and the frames of the arm that follow from it."""
        reading = self._world.joints()
        message = JointState(
            header=header(reading.stamp_s),
            name=list(reading.names),
            position=reading.positions.tolist(),
            velocity=reading.velocities.tolist(),
        )
        self._joints.publish(message)
        frames = [*self._base_frames(), *self._world.arm_frames(reading)]
        self._tf.publish(transforms(reading.stamp_s, frames))

    def static_frames(self) -> None:
        """Where the arm, other sensors and the cameras are mounted."""
        self._tf_static.publish(transforms(self._world.time_s, self._world.fixed_frames()))


class CameraPublisher:
    """Topics of one RGB-D camera; nothing is rendered that nobody listens to.

    The simulator's own segmentation is on topics that say so, under `/world`.
    """

    def __init__(self, node: Node, world: MujocoWorld, name: str, jpeg_quality: int) -> None:
        self._world, self._pictures = world, RgbdPublisher(node, name, jpeg_quality)
        self._segmentation = SegmentationPublisher(node, name)

    def publish(self) -> None:
        """One frame, if the camera is not muted and somebody listens."""
        name, instances = self._pictures.name, self._segmentation.wanted
        if self._world.muted(name) or not (instances or self._pictures.wanted):
            return
        frame = self._world.render(name, instances=instances)
        self._pictures.publish(frame)
        self._segmentation.publish(frame)


class SegmentationPublisher:
    """The simulator's own segmentation of what a camera sees: not vision."""

    def __init__(self, node: Node, name: str) -> None:
        self._instances = node.create_publisher(Image, f"world/segmentation/{name}", IMAGES)

    @property
    def wanted(self) -> bool:
        """Whether somebody listens."""
        return heard(self._instances)

    def publish(self, frame: RgbdFrame) -> None:
        """Of a frame that carries it."""
        if frame.instances is not None:
            stamp = header(frame.stamp_s, optical_frame(frame.camera))
            self._instances.publish(image_to_msg(frame.instances, "32SC1", stamp))


class WorldPublisher:
    """What only a simulator can tell: ground truth (FOR TESTS ONLY), labels, a view of it all."""

    def __init__(self, node: Node, world: MujocoWorld, jpeg_quality: int) -> None:
        self._world = world
        self._quality = jpeg_quality
        self._truth = node.create_publisher(GroundTruth, "world/ground_truth", 10)
        self._overview = node.create_publisher(
            CompressedImage, "camera/overview/color/image_raw/compressed", IMAGES
        )
        named = node.create_publisher(String, "world/segmentation/labels", LATCHED)
        named.publish(String(data=json.dumps(world.instance_labels())))

    def truth(self) -> None:
        if not heard(self._truth):
            return
        message = GroundTruth(
            header=header(self._world.time_s, self._world.frame),
            objects=[object_to_msg(o) for o in self._world.bodies()],
            robot_contacts=sorted(self._world.contacts()),
            joint_velocities=array("d", self._world.true_joint_velocities()),
        )
        self._truth.publish(message)

    def overview(self) -> None:
        if heard(self._overview):
            stamp = header(self._world.time_s, self._world.frame)
            self._overview.publish(jpeg(self._world.picture(), self._quality, stamp))
