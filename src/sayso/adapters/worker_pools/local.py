"""Work spread over processes of this machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from sayso.core.errors import Code, SaySoError

T = TypeVar("T")
R = TypeVar("R")


class LocalPool:
    """Processes that start afresh, so that no thread or lock of this one is copied.

    Args:
        workers: how many; with 1 everything runs in this process, which helps debugging.
    """

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise SaySoError(Code.CONFIG, f"workers must be at least 1, got {workers}.")
        self._workers = workers

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Results in the order in which they are ready."""
        if self._workers == 1 or len(items) < 2:
            yield from map(function, items)
            return
        context = multiprocessing.get_context("spawn")
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(min(self._workers, len(items)), mp_context=context)
        try:
            waiting = {pool.submit(function, item) for item in items}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool as error:
            raise SaySoError(
                Code.EXECUTION,
                "a worker process died.",
                hint="run again to go on where it stopped; fewer workers need less memory.",
            ) from error
        except KeyboardInterrupt:
            # A signal to this process alone: what runs would be waited for to its end.
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise
        finally:
            # On an error or when the caller has had enough, what has not begun never does.
            pool.shutdown(wait=True, cancel_futures=True)
