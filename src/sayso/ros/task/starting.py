"""How long whoever started something waits for it: as long as it gets on."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

STILL_S = 60.0
"""For so long nothing new may come up."""
DRIVER_STILL_S = 180.0
"""The same where a stand-in of a robot is set up, too, and a driver gets it to stand: one step."""


class Patience:
    """Ends once nothing new came up for a while, however much is missing and however long it took.

    Args:
        still_s: for so long nothing new may come up.
        now_s: of a steady clock.
    """

    def __init__(self, still_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._still_s, self._now_s = still_s, now_s
        self._began_s = self._newest_s = now_s()
        self._seen: set[str] = set()

    def see(self, there: Collection[str]) -> None:
        """Note what is there now; what goes and comes again is nothing new."""
        if not self._seen.issuperset(there):
            self._seen.update(there)
            self._newest_s = self._now_s()

    @property
    def left_s(self) -> float:
        """How long it still waits for the next one; 0: it is over."""
        return max(0.0, self._newest_s + self._still_s - self._now_s())

    def words(self, missing: Collection[str], trouble: str = "") -> str:
        """What is waited for, and how long already; without a full stop."""
        now_s = self._now_s()
        text = f"not there after {now_s - self._began_s:.0f} s: {', '.join(missing)}"
        text += f" (nothing new for {now_s - self._newest_s:.0f} s)"
        return f"{text}; {trouble}" if trouble else text
