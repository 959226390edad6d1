"""Goals of an action, each in place of the one before, and what became of them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from sayso.core.errors import Code, SaySoError

Failure = Callable[[Any, bool], str | None]
"""Why a goal that was aborted failed, from its result and whether another goal replaced it."""
Named = Callable[[Any], Code]
"""What kind of failure an aborted goal is, from its result."""
_LOOK = "see whether the controller is active, and read its log."


class GoalSender:
    """Sends goals to one action server; a new goal takes the place of the one under way.

    Called from any thread, and never waits. Everything that it asks of the server it asks in one
    callback group, in which answers are taken too: rclpy notes a request only after it sent it,
    and throws an answer away that was taken in between.

    Args:
        kind, name: of the action.
        failure: judges aborted goals; None where nothing failed.
        code: names them.
        hint: what to do about a failure.
    """

    def __init__(
        self,
        node: Node,
        kind: type,
        name: str,
        failure: Failure,
        code: Named | None = None,
        hint: str = _LOOK,
    ) -> None:
        group = MutuallyExclusiveCallbackGroup()
        self._name, self._why, self._code, self._hint = name, failure, code or _code, hint
        self._client = ActionClient(node, kind, name, callback_group=group)
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = node.create_guard_condition(self._do_work, callback_group=group)
        self._lock = threading.Lock()
        self._newest = self._forgiven = self._cancelled = 0
        self._under_way = False
        self._failure: SaySoError | None = None
        self._accepted: tuple[int, Any] | None = None

    @property
    def under_way(self) -> bool:
        """Whether the newest goal was sent and has not ended, as far as is known."""
        return self._under_way

    def send(self, goal: Any, *, afresh: bool = False) -> None:
        """Have this carried out from now on; afresh: whatever became of earlier goals."""
        with self._lock:
            if afresh:
                self._failure, self._forgiven = None, self._newest
            self._newest += 1
            self._under_way = True
            number = self._newest
        self._do(lambda: self._request(number, goal))

    def stop(self, goal: Any = None) -> None:
        """End what is under way: by a goal that leads to rest, or, without one, by cancelling it.

        What becomes of that goal and of those before does not matter any more.
        """
        with self._lock:
            running, self._failure = self._under_way, None
            leads = running and goal is not None
            self._forgiven = self._newest + leads
        if leads:
            self.send(goal)
        elif running:
            self._do(self._cancel)

    def require_well(self) -> None:
        """Raises NODE_UNAVAILABLE without a server, EXECUTION for a goal rejected or aborted."""
        if (failure := self._failure) is not None:
            raise failure

    def _do(self, work: Callable[[], None]) -> None:
        self._work.put(work)
        self._wake.trigger()

    def _do_work(self) -> None:
        while not self._work.empty():
            self._work.get_nowait()()

    def _request(self, number: int, goal: Any) -> None:
        if not self._client.server_is_ready():
            self._end(number, Code.NODE_UNAVAILABLE, "no node offers it")
            return
        future = self._client.send_goal_async(goal)
        future.add_done_callback(lambda f: self._do(lambda: self._answered(number, f.result())))

    def _answered(self, number: int, handle: Any) -> None:
        if not handle.accepted:
            self._end(number, Code.EXECUTION, "the goal was rejected")
            self._cancel()  # what it should have replaced would go on
            return
        if self._accepted is None or number > self._accepted[0]:
            self._accepted = (number, handle)
        if number <= self._cancelled:
            handle.cancel_goal_async()
        result = handle.get_result_async()
        result.add_done_callback(lambda f: self._do(lambda: self._ended(number, f.result())))

    def _cancel(self) -> None:
        self._cancelled = self._newest
        if self._accepted is not None:
            self._accepted[1].cancel_goal_async()

    def _ended(self, number: int, response: Any) -> None:
        if self._accepted is not None and self._accepted[0] == number:
            self._accepted = None
        replaced, reason, code = number < self._newest, None, Code.EXECUTION
        if response.status == GoalStatus.STATUS_ABORTED:
            reason, code = self._why(response.result, replaced), self._code(response.result)
        elif response.status == GoalStatus.STATUS_CANCELED and number > self._cancelled:
            reason = None if replaced else "the goal was cancelled by somebody else"
        self._end(number, code, reason)

    def _end(self, number: int, code: Code, reason: str | None) -> None:
        with self._lock:
            if number == self._newest:
                self._under_way = False
            if reason is not None and number > self._forgiven and self._failure is None:
                self._failure = SaySoError(code, f"{self._name}: {reason}.", hint=self._hint)


def _code(result: Any) -> Code:
    """As the node `driver` tells it; those of controllers are none of ours, and negative."""
    told = getattr(result, "error_code", 0)
    return Code(told) if told > 0 and told in Code._value2member_map_ else Code.EXECUTION
