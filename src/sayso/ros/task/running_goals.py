"""Which goals the executor carries out, whoever sent them."""

from __future__ import annotations

import threading
from functools import partial

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

ACTIONS = ("perform_task", "execute_skill", "execute_primitive", "map_flat")
"""Of these the executor carries out one goal at a time."""
_RUNNING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)


class RunningGoals:
    """Follows the status that each action tells of its goals; a goal has ended once its report is
    written and the executor takes the next one.

    Args:
        node: hears of them; it is spun by another thread than the one that waits.
    """

    def __init__(self, node: Node) -> None:
        self._changed = threading.Condition()
        self._running: dict[str, bool] = {}
        self._over: dict[str, frozenset[bytes]] = {}
        self._ended = 0
        for action in ACTIONS:
            node.create_subscription(
                GoalStatusArray,
                f"{action}/_action/status",
                partial(self._take, action),
                qos_profile_action_status_default,
            )

    @property
    def ended(self) -> int:
        """How many goals were seen to end so far."""
        return self._ended

    def wait_for_end(self, since: int, timeout_s: float) -> bool:
        """Whether a goal has ended after so many, or does so within the time; at once False where
        none runs."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._ended > since or not any(self._running.values()), timeout_s
            )
            return self._ended > since

    def _take(self, action: str, message: GoalStatusArray) -> None:
        goals = {bytes(s.goal_info.goal_id.uuid): s.status for s in message.status_list}
        over = frozenset(goal for goal, status in goals.items() if status not in _RUNNING)
        with self._changed:
            self._ended += len(over - self._over.get(action, frozenset()))
            self._over[action] = over
            self._running[action] = len(over) < len(goals)
            self._changed.notify_all()
