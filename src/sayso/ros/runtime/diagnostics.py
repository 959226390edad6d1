"""How a node does, once a second on /diagnostics, as robot monitors read it."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD_S = 1.0
LASTING_S = 10.0
"""How long trouble is told after it was logged."""


@dataclass(frozen=True)
class _Trouble:
    level: int
    text: str
    stamp_s: float


class TroubleNoted(logging.Handler):
    """Keeps the newest warning and error that were logged; safe from any thread."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._mutex = threading.Lock()
        self._newest: dict[int, _Trouble] = {}
        self._counts = {logging.WARNING: 0, logging.ERROR: 0}

    def emit(self, record: logging.LogRecord) -> None:
        level = logging.ERROR if record.levelno >= logging.ERROR else logging.WARNING
        with self._mutex:
            self._counts[level] += 1
            self._newest[level] = _Trouble(level, record.getMessage(), time.monotonic())

    def status(self, now_s: float) -> DiagnosticStatus:
        """OK, or the worst of what was logged lately; without a name."""
        with self._mutex:
            counts = dict(self._counts)
            lately = [t for t in self._newest.values() if now_s - t.stamp_s <= LASTING_S]
        worst = max(lately, key=lambda trouble: trouble.level, default=None)
        values = {
            "warnings since it began": counts[logging.WARNING],
            "errors since it began": counts[logging.ERROR],
        }
        level = DiagnosticStatus.OK
        if worst is not None:
            failed = worst.level == logging.ERROR
            level = DiagnosticStatus.ERROR if failed else DiagnosticStatus.WARN
        return DiagnosticStatus(
            level=level,
            message=worst.text.splitlines()[0] if worst is not None and worst.text else "runs",
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )


def tell_diagnostics(node: Node, noted: TroubleNoted) -> None:
    """Publish a node's status every second of wall time, simulated time or not."""
    publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    name = node.get_fully_qualified_name()

    def tell() -> None:
        status = noted.status(time.monotonic())
        status.name, status.hardware_id = f"{name}: sayso", node.get_namespace()
        message = DiagnosticArray(status=[status])
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)

    # A group of its own: it goes on while the node is busy.
    node.create_timer(
        PERIOD_S,
        tell,
        callback_group=MutuallyExclusiveCallbackGroup(),
        clock=Clock(clock_type=ClockType.STEADY_TIME),
    )
