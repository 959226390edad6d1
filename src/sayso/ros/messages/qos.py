"""Quality of service: the few profiles that SaySo uses, and the bag's form of them."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""State: who joins late gets the last value."""

EVENTS = QoSProfile(
    depth=1000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""Things that happened once and must reach everybody, those who join late included."""

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""A stream of which only the newest value matters."""


def _alive(lease_s: float) -> QoSProfile:
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
        liveliness=LivelinessPolicy.AUTOMATIC,
        liveliness_lease_duration=Duration(seconds=lease_s),
    )


ALIVE = _alive(0.1)
"""State of a part, of which the middleware itself says, several times in a lease, that it lives."""

SEEN_ALIVE = _alive(0.25)
"""Reads that; longer than is offered, for a machine so busy that some of it comes late."""

MISSED_PERIODS = 2.5
"""A stream is silent when two of its messages are missed, and half a period for late ones."""

SENSOR = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Reads sensors whatever they offer."""


def adapted_qos(offered: Sequence[QoSProfile]) -> QoSProfile:
    """A subscription that every one of these publishers accepts, as strict as they allow."""
    reliable = all(q.reliability == ReliabilityPolicy.RELIABLE for q in offered)
    latched = all(q.durability == DurabilityPolicy.TRANSIENT_LOCAL for q in offered)
    return QoSProfile(
        depth=1000,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


_FOREVER = QosTime(9223372036, 854775807)


def qos_to_bag(profile: QoSProfile) -> Qos:
    """What a bag keeps of a publisher's profile; time limits are not kept."""
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    return Qos(
        history=QosHistory.KEEP_ALL
        if profile.history == HistoryPolicy.KEEP_ALL
        else QosHistory.KEEP_LAST,
        depth=profile.depth or 10,
        reliability=QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        durability=QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        deadline=_FOREVER,
        lifespan=_FOREVER,
        liveliness=QosLiveliness.AUTOMATIC
        if profile.liveliness != LivelinessPolicy.MANUAL_BY_TOPIC
        else QosLiveliness.MANUAL_BY_TOPIC,
        liveliness_lease_duration=_FOREVER,
        avoid_ros_namespace_conventions=False,
    )


def qos_from_bag(offered: Sequence[Qos]) -> QoSProfile:
    """A publisher like the recorded ones."""
    latched = any(q.durability is QosDurability.TRANSIENT_LOCAL for q in offered)
    best_effort = any(q.reliability is QosReliability.BEST_EFFORT for q in offered)
    return QoSProfile(
        depth=max((q.depth for q in offered if q.depth > 0), default=10),
        reliability=ReliabilityPolicy.BEST_EFFORT if best_effort else ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
