"""What the console's page shows now, written by one thread and read by others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

Payload = str | bytes
"""JSON text, or a JPEG."""


class Board:
    """The newest value of each part of the page, numbered: whoever is slow misses only old ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: dict[str, tuple[int, Payload]] = {}
        self._wakers: set[Callable[[], None]] = set()

    def put(self, part: str, payload: Payload) -> None:
        """Show a new value; the same as before is no news."""
        with self._lock:
            number, before = self._parts.get(part, (0, ""))
            if payload == before:
                return
            self._parts[part] = (number + 1, payload)
            for wake in self._wakers:
                wake()

    def newer(self, seen: Mapping[str, int]) -> list[tuple[str, int, Payload]]:
        """The parts with a higher number than was seen, each with its number."""
        with self._lock:
            return [
                (part, number, payload)
                for part, (number, payload) in self._parts.items()
                if number > seen.get(part, 0)
            ]

    @contextmanager
    def watched(self, wake: Callable[[], None]) -> Iterator[None]:
        """Have `wake` called at every change, from whatever thread makes it; it may not block."""
        with self._lock:
            self._wakers.add(wake)
        try:
            yield
        finally:
            with self._lock:
                self._wakers.discard(wake)
