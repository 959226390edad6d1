"""Which nodes live, as the middleware tells: within half a second of the end of a process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.event_handler import QoSLivelinessChangedInfo, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.topic_endpoint_info import TopicEndpointInfo
from std_msgs.msg import String

from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.qos import ALIVE, SEEN_ALIVE

START_AGAIN = "read its log and start it again; a node that comes back is used again."
EXECUTOR = "executor"
ENDED_S = 1.5
"""For so long the executor must not show that it lives before its task counts as lost."""
ON_ITS_WAY_S = 0.4
"""How long after a node's end something of it may still arrive."""
HEARD_S = 2.0
"""For so long something that arrived tells that a node lives, whatever the middleware says."""
_GID_PREFIX = 12
"""Bytes of an endpoint's id that are the same for all of a process (the GUID prefix of RTPS)."""


class SignOfLife:
    """Shows that a node lives: the middleware itself, so that a busy node counts as alive too.

    Args:
        node: of which `liveliness/NAME` tells.
    """

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(String, _topic(node.get_name()), ALIVE)
        self._trouble = ""
        self._publisher.publish(String())

    def tell(self, trouble: str) -> None:
        """What ails the node now, in words without a full stop; empty: nothing."""
        if trouble != self._trouble:
            self._trouble = trouble
            self._publisher.publish(String(data=trouble))


class Parts:
    """Which other nodes live, by liveliness: told within half a second of a process's end.

    A node that was never there is not missed: another may do its work. Safe from any thread.

    Args:
        names: of nodes in the same namespace.
        now_s: of a steady clock.
    """

    def __init__(
        self, node: Node, names: Sequence[str], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._node = node
        self._now_s = now_s
        self._own: set[str] = set()
        self._ended_s: dict[str, float] = {}
        self._seen: set[str] = set()
        self._troubles: dict[str, str] = {}
        self._ailing_s: dict[str, float] = {}
        group = MutuallyExclusiveCallbackGroup()
        for name in names:
            events = SubscriptionEventCallbacks(liveliness=partial(self._changed, name))
            node.create_subscription(
                String,
                _topic(name),
                partial(self._take_trouble, name),
                SEEN_ALIVE,
                callback_group=group,
                event_callbacks=events,
            )

    def ended(self, names: Iterable[str], grace_s: float = 0.0) -> str | None:
        """The first of these nodes that ended and did not come back, in words; or None."""
        for name in names:
            self._see_own(name)
            since_s = self._ended_s.get(name)
            if since_s is not None and self._now_s() - since_s >= grace_s:
                return f"the node '{name}' has ended"
        return None

    def seen(self, name: str) -> bool:
        """Whether it was ever there: one that never was is not missed."""
        return name in self._seen

    def gone(self, grace_s: float) -> frozenset[str]:
        """All nodes that ended and did not come back in time."""
        return frozenset(n for n in tuple(self._seen) if self.ended((n,), grace_s) is not None)

    def require(self, names: Iterable[str], grace_s: float = 3.0) -> None:
        """Raises NODE_UNAVAILABLE naming one that ended and did not come back in time."""
        if (text := self.ended(names, grace_s)) is not None:
            raise SaySoError(Code.NODE_UNAVAILABLE, f"{text}.", hint=START_AGAIN)

    def trouble(self, names: Iterable[str]) -> str:
        """What ails these nodes as they say themselves; empty: nothing."""
        told = ((name, self._troubles.get(name, "")) for name in names)
        return "; ".join(f"{name} says: {text}" for name, text in told if text)

    def ailing(self, grace_s: float) -> Mapping[str, str]:
        """What ails which nodes for so long already, as they say themselves."""
        now_s = self._now_s()
        since = tuple(self._ailing_s.items())
        return {n: self._troubles[n] for n, then_s in since if now_s - then_s >= grace_s}

    def heard(self, *names: str) -> None:
        """Something of one of these arrived: it lives, whatever the middleware made of its silence.

        On a machine that is far too busy signs of life come late. What was on its way when a node
        ended arrives at once and proves nothing; should it come later, the silence after it tells.
        """
        now_s = self._now_s()
        for name in names:
            since_s = self._ended_s.get(name)
            if since_s is not None and not 0 <= now_s - since_s <= ON_ITS_WAY_S:
                self._ended_s[name] = now_s + HEARD_S

    def _take_trouble(self, name: str, message: String) -> None:
        self._troubles[name] = message.data
        if message.data:
            self._ailing_s.setdefault(name, self._now_s())
        else:
            self._ailing_s.pop(name, None)

    def _changed(self, name: str, info: QoSLivelinessChangedInfo) -> None:
        alive = info.alive_count > 0
        if alive:
            self._seen.add(name)
            self._ended_s.pop(name, None)
        elif info.not_alive_count and self._in_this_process(name):
            self._seen.add(name)
            self._own.add(name)
        elif name in self._seen or not info.not_alive_count:  # it came and went between two looks
            self._seen.add(name)
            self._ended_s.setdefault(name, self._now_s())

    def _in_this_process(self, name: str) -> bool:
        """Of such a node the middleware (Fast DDS) never says again that it lives."""
        published = self._node.get_publishers_info_by_topic(_topic(name))
        own = self._node.get_subscriptions_info_by_topic(_topic(name))
        processes = {bytes(i.endpoint_gid)[:_GID_PREFIX] for i in own if self._is_own(i)}
        return any(bytes(i.endpoint_gid)[:_GID_PREFIX] in processes for i in published)

    def _is_own(self, info: TopicEndpointInfo) -> bool:
        names = self._node.get_name(), self._node.get_namespace()
        return (info.node_name, info.node_namespace) == names

    def _see_own(self, name: str) -> None:
        """A node in this process lives as long as it is on the graph."""
        if name in self._own and not self._node.count_publishers(_topic(name)):
            self._own.discard(name)
            self._ended_s.setdefault(name, self._now_s())


def _topic(name: str) -> str:
    return f"liveliness/{name}"


def executor_ended() -> SaySoError:
    """What whoever waits for the executor is told."""
    return SaySoError(
        Code.NODE_UNAVAILABLE,
        "the executor has ended, and with it the task; nothing is sent to the robot any more.",
        hint="read its log; the recorder completes the report in the run folder.",
    )
