"""Listen to `/tf` and `/tf_static`; ask where a frame was."""

from __future__ import annotations

import threading

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from sayso.core.frames import FrameTree
from sayso.core.geometry import Pose
from sayso.ros.conversions import time_from_msg


class TransformListener:
    """A `FrameTree` fed by the transforms on the graph; safe to ask from any thread."""

    def __init__(self, node: Node) -> None:
        self._tree = FrameTree()
        self._lock = threading.Lock()
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(TFMessage, "/tf", lambda m: self._insert(m, False), 100)
        node.create_subscription(TFMessage, "/tf_static", lambda m: self._insert(m, True), latched)

    def lookup(self, target: str, source: str, stamp_s: float) -> Pose:
        """As `FrameTree.lookup`."""
        with self._lock:
            return self._tree.lookup(target, source, stamp_s)

    def _insert(self, msg: TFMessage, static: bool) -> None:
        with self._lock:
            for t in msg.transforms:
                p, q = t.transform.translation, t.transform.rotation
                pose = Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))
                self._tree.insert(
                    t.header.frame_id, t.child_frame_id, pose, time_from_msg(t.header.stamp), static
                )
