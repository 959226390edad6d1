"""Listen to `/tf` and `/tf_static`; ask where a frame was."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from functools import partial
from weakref import WeakKeyDictionary

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from sayso.core.errors import Code, SaySoError
from sayso.core.frames import FrameTree
from sayso.core.geometry import Pose
from sayso.robots.moving_frames import Frame
from sayso.ros.messages.conversions import header, time_from_msg
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.streams import streams_of

AHEAD_S = 1.0
"""So far transforms may be ahead of what the clock was last told to be."""
_SAME_S = 1e-6  # stamps are whole nanoseconds, times in seconds are not
REACHED_S = 1.0
"""For so long a picture waits for the report of where its camera was."""


class TransformListener:
    """A `FrameTree` fed by the transforms on the graph; safe to ask from any thread."""

    def __init__(self, node: Node) -> None:
        self._tree = FrameTree()
        self._changed = threading.Condition()
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._clock, streams = node.get_clock(), streams_of(node)
        for topic, static, qos in (("/tf", False, 100), ("/tf_static", True, latched)):
            take = receiving(topic, partial(self._insert, static=static))
            node.create_subscription(TFMessage, topic, take, qos, callback_group=streams)

    def lookup(self, target: str, source: str, stamp_s: float) -> Pose:
        """As `FrameTree.lookup`: of a frame that moved since its last report, the pose of then."""
        with self._changed:
            return self._tree.lookup(target, source, stamp_s)

    def lookup_between(
        self, target: str, source: str, stamp_s: float, timeout_s: float = REACHED_S
    ) -> Pose:
        """The pose at a time that reports enclose; waits for them, never where they come in.

        On a busy machine a picture arrives before the report of where its camera was. With the
        pose of a moment before, what a turning robot sees stands far from its place.

        Args:
            timeout_s: wall time.

        Raises:
            SaySoError: STALE as `FrameTree.lookup`, where no report comes in time.
        """
        found: list[Pose] = []

        def known() -> bool:
            with contextlib.suppress(SaySoError):
                found.append(self._tree.lookup(target, source, stamp_s, tolerance_s=_SAME_S))
            return bool(found)

        with self._changed:
            if self._changed.wait_for(known, timeout_s):
                return found[0]
            return self._tree.lookup(target, source, stamp_s, tolerance_s=_SAME_S)

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
            with self._changed:
                self._tree.insert(t.header.frame_id, t.child_frame_id, pose, stamp_s, static)
                self._changed.notify_all()


_OF_NODES: WeakKeyDictionary[Node, TransformListener] = WeakKeyDictionary()
_LOCK = threading.Lock()


def transforms_heard_by(node: Node) -> TransformListener:
    """The one listener of a node: whatever its parts ask, each report is taken in once."""
    with _LOCK:
        if node not in _OF_NODES:
            _OF_NODES[node] = TransformListener(node)
        return _OF_NODES[node]


def transforms(stamp_s: float, frames: Iterable[Frame]) -> TFMessage:
    return TFMessage(transforms=[_transform(stamp_s, *frame) for frame in frames])


def _transform(stamp_s: float, parent: str, child: str, pose: Pose) -> TransformStamped:
    message = TransformStamped(header=header(stamp_s, parent), child_frame_id=child)
    t, q = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = map(float, pose.position)
    q.x, q.y, q.z, q.w = map(float, pose.orientation)
    return message
