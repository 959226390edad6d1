"""Spinning an executor on a thread of its own, and ending that whole."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException


class SpinningThread:
    """Calls back what comes in for an executor's nodes, until it is stopped.

    Args:
        context: the executor's; its shutdown ends the thread as well.
        ended: called on the thread with what ended it: a defect, or None.
    """

    def __init__(
        self,
        executor: Executor,
        context: Context,
        ended: Callable[[Exception | None], None] = lambda _: None,
    ) -> None:
        self._executor = executor
        self._context = context
        self._on_end = ended
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="spin", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Let what has begun come to an end, then shut the executor down; bounded by the time.

        In this order: an executor that is shut down while its thread still waits takes away what
        that thread waits on, and rclpy's own shutdown does not wait for callbacks that run.
        """
        self._stopping.set()
        self._executor.create_task(lambda: None)  # so that the thread looks up
        self._thread.join(timeout_s)
        self._executor._work_tracker.wait(timeout_s)
        self._executor.shutdown(timeout_s)

    def _spin(self) -> None:
        defect: Exception | None = None
        try:
            while self._context.ok() and not self._stopping.is_set():
                self._executor.spin_once()
        except ExternalShutdownException:
            pass
        except Exception as error:  # noqa: BLE001 - the thread's boundary: its owner is told
            defect = error
        self._on_end(defect)
