"""When something was last heard of each part, so that no wait outlasts a part that fell silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sayso.core.errors import Code, SaySoError


class SignsOfLife:
    """What must be heard of now and then.

    Args:
        patience_s: part -> how long it may be silent.
        now_s: seconds since any moment, of the wall clock: a simulation's stops with it.
    """

    def __init__(self, patience_s: Mapping[str, float], now_s: Callable[[], float]) -> None:
        self._patience_s = dict(patience_s)
        self._now_s = now_s
        self._heard_s: dict[str, float] = {}
        self.begin()

    def begin(self) -> None:
        """From now on silence counts."""
        self._heard_s = dict.fromkeys(self._patience_s, self._now_s())

    def heard(self, part: str) -> None:
        """There was a sign of it."""
        self._heard_s[part] = self._now_s()

    def check(self) -> None:
        """Raises NODE_UNAVAILABLE naming the first part that has been silent for too long."""
        now_s = self._now_s()
        for part, patience_s in self._patience_s.items():
            if now_s - self._heard_s[part] > patience_s:
                raise SaySoError(
                    Code.NODE_UNAVAILABLE,
                    f"nothing was heard of {part} for {patience_s:g} s.",
                    hint="read the nodes' log and start them again.",
                )
