"""What comes often and is taken in a moment, taken on a thread of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.time_source import CLOCK_TOPIC
from rosgraph_msgs.msg import Clock

_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class Streams(MutuallyExclusiveCallbackGroup):
    """The group of a node's subscriptions to sensors, frames and the clock.

    Their callbacks are called one at a time, and must be short. Where the node runs with a
    `StreamThread`, that takes them; anywhere else the node's executor does, as of any group.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changed: Callable[[], None] | None = None
        """Called with every further subscription by the thread's owner; None: no such thread."""

    @property
    def subscriptions(self) -> list[Subscription]:
        """Those that are there now."""
        found = (reference() for reference in list(self.entities))
        return [s for s in found if isinstance(s, Subscription)]

    def add_entity(self, entity: Any) -> None:
        super().add_entity(entity)
        # Events of its quality come before a subscription, and are not whole yet.
        if self.changed is not None and isinstance(entity, Subscription):
            self.changed()

    def can_execute(self, entity: Any) -> bool:
        """Whether the node's executor may. Where a thread takes what comes in, not even the events
        of the subscriptions' quality: whoever waits for them is woken by each message too."""
        return self.changed is None and bool(super().can_execute(entity))


_OF_NODES: WeakKeyDictionary[Node, Streams] = WeakKeyDictionary()
_LOCK = threading.Lock()


def streams_of(node: Node) -> Streams:
    """The one group of a node."""
    with _LOCK:
        return _OF_NODES.setdefault(node, Streams())


class StreamThread:
    """Takes what comes in on a node's `Streams`; hears simulated time if the node follows it.

    An executor of rclpy gathers all that a node waits for anew before and after each message, and
    hands it to another thread: more than a millisecond of work for each of a few hundred messages
    a second. This thread waits for the same few subscriptions over and over.

    Args:
        ended: called on the thread with what ended it: a defect, or None.
    """

    def __init__(self, node: Node, ended: Callable[[Exception | None], None]) -> None:
        self._context, self._told = node.context, ended
        self._streams = streams_of(node)
        self._stopping, self._changed = threading.Event(), threading.Event()
        self._guard = GuardCondition(None, None, context=self._context)
        self._context.on_shutdown(self._wake)
        self._streams.changed = self._wake
        _follow_clock(node, self._streams)
        self._thread = threading.Thread(target=self._work, name="streams", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Let the callback that has begun come to its end; from now on time stands still."""
        self._stopping.set()
        self._wake()
        self._thread.join(timeout_s)
        self._guard.destroy()

    def _wake(self) -> None:
        self._changed.set()
        # One that was stopped may still hear of its context's end.
        with contextlib.suppress(_rclpy.InvalidHandle):
            self._guard.trigger()

    def _work(self) -> None:
        defect: Exception | None = None
        try:
            while not self._over:
                self._changed.clear()
                self._take_all()
        except Exception as error:  # noqa: BLE001 - the thread's boundary: its owner is told
            defect = error
        self._told(defect)

    @property
    def _over(self) -> bool:
        return self._stopping.is_set() or not self._context.ok()

    def _take_all(self) -> None:
        """Until there are other subscriptions, or the end."""
        with ExitStack() as held:
            subscriptions = [s for s in self._streams.subscriptions if _hold(s.handle, held)]
            handlers: Any = [s.event_handlers for s in subscriptions]  # rclpy types a list as one
            events = [e for some in handlers for e in some if _hold(e, held)]
            context: Any = self._context.handle
            held.enter_context(context)
            held.enter_context(self._guard.handle)
            waiting = _rclpy.WaitSet(len(subscriptions), 1, 0, 0, 0, len(events), context)
            while not self._over and not self._changed.is_set():
                self._wait(waiting, subscriptions, events)
                ready = waiting.get_ready_entities("subscription")
                for subscription in subscriptions:
                    if subscription.handle.pointer in ready and not self._stopping.is_set():
                        _take(subscription)
                if not ready:
                    _take_events(waiting, events)

    def _wait(self, waiting: Any, subscriptions: list[Subscription], events: list[Any]) -> None:
        waiting.clear_entities()
        waiting.add_guard_condition(self._guard.handle)
        for subscription in subscriptions:
            waiting.add_subscription(subscription.handle)
        for event in events:
            event.add_to_wait_set(waiting)
        waiting.wait(-1)


def _hold(handle: Any, held: ExitStack) -> bool:
    """Keep it from being destroyed; whether it still was there."""
    try:
        held.enter_context(handle)
    except _rclpy.InvalidHandle:
        return False
    return True


def _take(subscription: Subscription) -> None:
    taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    if taken is not None:
        subscription.callback(taken[0])


def _take_events(waiting: Any, events: list[Any]) -> None:
    for event in events:
        if event.is_ready(waiting):
            # A coroutine that waits for nothing: what is told is logged.
            with contextlib.suppress(StopIteration):
                event.execute(event.take_data()).send(None)


def _follow_clock(node: Node, streams: Streams) -> None:
    """Hear `/clock` among the streams, if at all."""
    time_source = node._time_source
    if time_source._clock_sub is None:
        return
    node.destroy_subscription(time_source._clock_sub)
    time_source._clock_sub = node.create_subscription(
        Clock, CLOCK_TOPIC, time_source.clock_callback, _NEWEST, callback_group=streams
    )
