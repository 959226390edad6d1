"""Listen to `/tf` and `/tf_static`; ask where a frame was."""

from __future__ import annotations

import threading
from functools import partial

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from sayso.core.errors import Code, SaySoError
from sayso.core.frames import FrameTree
from sayso.core.geometry import Pose
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.runtime.boundary import receiving

AHEAD_S = 1.0
"""So far transforms may be ahead of what the clock was last told to be."""


class TransformListener:
    """A `FrameTree` fed by the transforms on the graph; safe to ask from any thread."""

    def __init__(self, node: Node) -> None:
        self._tree = FrameTree()
        self._lock = threading.Lock()
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._clock = node.get_clock()
        for topic, static, qos in (("/tf", False, 100), ("/tf_static", True, latched)):
            take = receiving(topic, partial(self._insert, static=static))
            node.create_subscription(TFMessage, topic, take, qos)

    def lookup(self, target: str, source: str, stamp_s: float) -> Pose:
        """As `FrameTree.lookup`."""
        with self._lock:
            return self._tree.lookup(target, source, stamp_s)

    def _insert(self, msg: TFMessage, static: bool) -> None:
        latest_s = self._clock.now().nanoseconds * 1e-9 + AHEAD_S
        for t in msg.transforms:
            p, q = t.transform.translation, t.transform.rotation
            pose, stamp_s = (
                Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w)),
                time_from_msg(t.header.stamp),
            )
            # One from the future would count as newer than all that follow.
            if not static and stamp_s > latest_s:
                raise SaySoError(
                    Code.STALE,
                    f"the frame '{t.child_frame_id}' is stamped in the future.",
                    hint="let all computers of the robot use one clock.",
                )
            with self._lock:
                self._tree.insert(t.header.frame_id, t.child_frame_id, pose, stamp_s, static)
