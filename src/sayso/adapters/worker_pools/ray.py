"""Work spread over a Ray cluster; needs the extra `sayso[ray]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

# Optional, and only imported by who names this backend.
import ray

from sayso.core.errors import Code, SaySoError

T = TypeVar("T")
R = TypeVar("R")


class RayPool:
    """Tasks of one processor each; every machine of the cluster needs SaySo installed.

    Args:
        workers: processors of a cluster started here, when there is no address.
        address: of a running cluster, such as `auto` or `ray://HOST:10001`.
    """

    def __init__(self, workers: int = 1, address: str = "") -> None:
        if workers < 1:
            raise SaySoError(Code.CONFIG, f"workers must be at least 1, got {workers}.")
        self._workers = workers
        self._address = address

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Results in the order in which they are ready."""
        if not items:
            return
        started = self._connect()
        try:
            # The function travels once, not with every item.
            shared = ray.put(function)
            task = ray.remote(_apply)
            waiting = [task.remote(shared, item) for item in items]
            while waiting:
                (ready, *_), waiting = ray.wait(waiting, num_returns=1)
                yield ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise SaySoError(
                Code.EXECUTION,
                f"the Ray cluster failed: {error}",
                hint="run again to go on where it stopped.",
            ) from error
        finally:
            if started:
                ray.shutdown()

    def _connect(self) -> bool:
        """Connects unless connected; whether this call did."""
        if ray.is_initialized():
            return False
        options = {"address": self._address} if self._address else {"num_cpus": self._workers}
        try:
            ray.init(log_to_driver=False, include_dashboard=False, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                f"the Ray cluster cannot be reached: {error}",
                hint="check its address, or leave it out for one on this machine.",
            ) from error
        return True


def _apply(function: Callable[[T], R], item: T) -> R:
    return function(item)
