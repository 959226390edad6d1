"""Calling services from any thread but the one that spins, with waits that end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.executors import Executor
from rclpy.task import Future

from sayso.core.errors import Code, SaySoError

APPEAR_TIMEOUT_S = 10.0
"""Discovery usually takes half a second and now and then three."""
LOOK_S = 0.1
SPIN_TIMEOUT_S = 30.0
"""How long an executor's thread may be busy with something else."""


def _nothing() -> None:
    """Nothing ends the waiting but its time."""


def call(
    client: Client, request: Any, timeout_s: float = 10.0, meanwhile: Callable[[], None] = _nothing
) -> Any:
    """A service's response. Raises NODE_UNAVAILABLE naming the service.

    `meanwhile` is called again and again; what it raises ends the waiting.
    """
    end_s = time.monotonic() + APPEAR_TIMEOUT_S
    while not client.wait_for_service(timeout_sec=LOOK_S):
        meanwhile()
        if time.monotonic() > end_s:
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                f"no node offers {client.service_name}.",
                hint="start the nodes first, and read their logs.",
            )
    return result_of(client.call_async(request), timeout_s, client.service_name, meanwhile)


def result_of(
    future: Future, timeout_s: float, what: str, meanwhile: Callable[[], None] = _nothing
) -> Any:
    """What a future comes to. Raises NODE_UNAVAILABLE if it does not in time.

    `meanwhile` as in `call`.
    """
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    end_s = time.monotonic() + timeout_s
    while not done.wait(max(min(LOOK_S, end_s - time.monotonic()), 0.0)):
        meanwhile()
        if time.monotonic() < end_s:
            continue
        raise SaySoError(
            Code.NODE_UNAVAILABLE,
            f"{what} did not answer within {timeout_s:g} s.",
            hint="the node may have died: read its log.",
        )
    return future.result()


def run_on_executor(executor: Executor, function: Callable[[], Any], what: str) -> Any:
    """What a quick function returns when the executor's own thread calls it.

    For action clients of nodes that one thread spins; see `ThreadSafeActionClient` for others.
    Raises NODE_UNAVAILABLE.
    """
    return result_of(executor.create_task(function), SPIN_TIMEOUT_S, what)


class ThreadSafeActionClient(ActionClient):
    """An action client for any thread, whatever executor spins it.

    rclpy's own notes a request only after it has sent it, and throws an answer away that is taken
    in between, with no more than a warning: whoever waits for it then waits in vain. Here answers
    are looked at once every request that was begun is noted.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._requesting = threading.Lock()
        super().__init__(*args, **options)

    def send_goal_async(self, *args: Any, **options: Any) -> Any:
        with self._requesting:
            return super().send_goal_async(*args, **options)

    def _get_result_async(self, goal_handle: Any) -> Any:
        with self._requesting:
            return super()._get_result_async(goal_handle)

    def _cancel_goal_async(self, goal_handle: Any) -> Any:
        with self._requesting:
            return super()._cancel_goal_async(goal_handle)

    async def execute(self, taken_data: Any) -> None:
        with self._requesting:
            pass
        await super().execute(taken_data)
