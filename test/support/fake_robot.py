"""What a robot with cameras publishes, told by tests."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence

from geometry_msgs.msg import TransformStamped, Vector3
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.robots.kinematics import ArmKinematics
from sayso.ros.messages.conversions import header, pose_to_msg
from sayso.ros.messages.images import depth_to_msg, image_to_msg, intrinsics_to_msg
from sayso.ros.messages.qos import LATCHED

CAMERAS = ("left", "right")


class FakeRobot:
    """Publishes what a robot with cameras publishes, when told to.

    Attributes:
        scene: the frame in which its cameras are known.
    """

    def __init__(
        self,
        graph,
        cameras: Sequence[str] = CAMERAS,
        color: str = "/camera/{}/color/image_raw",
        depth: str = "/camera/{}/depth/image_raw",
        info: str = "/camera/{}/color/camera_info",
        scene: str = "world",
    ) -> None:
        self.scene = scene
        make = graph.tester.create_publisher
        self.graph = graph
        self.color = {c: make(Image, color.format(c), 5) for c in cameras}
        self.depth = {c: make(Image, depth.format(c), 5) for c in cameras}
        self.info = {c: make(CameraInfo, info.format(c), 5) for c in cameras}
        self.raw_lens: list[float] = []
        self.ids = {c: make(Image, f"/world/segmentation/{c}", 5) for c in cameras}
        self.labels = make(String, "/world/segmentation/labels", LATCHED)
        self.joints = make(JointState, "/joint_states", 10)
        self.static = make(TFMessage, "/tf_static", LATCHED)
        self.kinematics = ArmKinematics()
        self.home = [float(q) for q in self.kinematics.home]
        self.names = list(self.kinematics.joint_names)

    def wait_for_perception(self, segmentation: bool = False) -> None:
        published = [*self.color.values(), *self.depth.values(), *self.info.values(), self.joints]
        published += self.ids.values() if segmentation else []
        self.graph.wait_until(
            lambda: all(p.get_subscription_count() for p in published), "perception listens"
        )

    def publish_transforms(self, frames: Sequence[RgbdFrame], **others: Pose) -> None:
        """Of the cameras, and of other frames by name."""
        told = [self._transform(name, pose) for name, pose in others.items()]
        self.static.publish(TFMessage(transforms=[*self.transforms_of(frames), *told]))

    def transforms_of(self, frames: Sequence[RgbdFrame]) -> list[TransformStamped]:
        """Of the cameras alone."""
        return [self._transform(f"{f.camera}_optical_frame", f.pose) for f in frames]

    def publish_labels(self, frame: RgbdFrame) -> None:
        """What the numbers of the simulator's own segmentation stand for."""
        named = {str(i): name for i, name in frame.instance_labels.items()}
        self.labels.publish(String(data=json.dumps(named)))

    def _transform(self, name: str, place: Pose) -> TransformStamped:
        pose = pose_to_msg(place)
        message = TransformStamped(header=header(0.0, self.scene))
        message.child_frame_id = name
        p = pose.position
        message.transform.translation = Vector3(x=p.x, y=p.y, z=p.z)
        message.transform.rotation = pose.orientation
        return message

    def publish(self, frames: Sequence[RgbdFrame], stamp_s: float) -> None:
        finger = 0.04
        self.joints.publish(
            JointState(
                header=header(stamp_s),
                name=[*self.names, "panda_finger_joint1", "panda_finger_joint2"],
                position=array("d", [*self.home, finger, finger]),
            )
        )
        for frame in frames:
            head = header(stamp_s, f"{frame.camera}_optical_frame")
            calibration = intrinsics_to_msg(frame.intrinsics, head)
            if self.raw_lens:  # the images are rectified all the same
                calibration.d, calibration.k = self.raw_lens, [300.0, 0.0, 9.0] * 3
            self.info[frame.camera].publish(calibration)
            self.color[frame.camera].publish(image_to_msg(frame.rgb, "rgb8", head))
            self.depth[frame.camera].publish(depth_to_msg(frame.depth_m, head))
            if frame.instances is not None:
                self.ids[frame.camera].publish(image_to_msg(frame.instances, "32SC1", head))
