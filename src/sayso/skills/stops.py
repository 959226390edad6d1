"""Stops that hold: each has a holder and a token, and is released by nothing else."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError


@dataclass(frozen=True)
class Stop:
    """Who stopped the robot, and why."""

    holder: str
    reason: str

    def __str__(self) -> str:
        return f"{self.holder}: {self.reason}"


class Stops:
    """The stops that hold now, oldest first; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, Stop] = {}

    def hold(self, stop: Stop) -> str:
        """The token that releases it."""
        token = secrets.token_hex(4)
        with self._lock:
            self._held[token] = stop
        return token

    def release(self, token: str) -> tuple[Stop, ...]:
        """What is released: the stop of a token, or all where it is empty.

        Raises:
            SaySoError: INVALID for a token that holds nothing.
        """
        with self._lock:
            if not token:
                released, self._held = tuple(self._held.values()), {}
                return released
            if token not in self._held:
                raise SaySoError(
                    Code.INVALID,
                    f"no stop is held by the token '{token}'.",
                    hint="use the token that /stop gave, or release all stops: sayso release.",
                )
            return (self._held.pop(token),)

    @property
    def held(self) -> tuple[Stop, ...]:
        with self._lock:
            return tuple(self._held.values())

    def require_none(self) -> None:
        """Raises STOPPED, naming all that hold."""
        if held := self.held:
            raise SaySoError(
                Code.STOPPED,
                f"the robot was stopped by {'; '.join(map(str, held))}.",
                hint="when it is safe, release it with `sayso release`, or at /release with the "
                "token that /stop gave.",
            )
