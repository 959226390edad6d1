"""When things are due in simulated time, and how fast that time may run."""

from __future__ import annotations

PATIENCE_S = 10.0
_PATIENCE_S = 0.1


class Schedule:
    """Something that is due once in every period; 0 Hz means never.

    Late calls do not pile up: after a gap it is due once, then a whole period later.
    """

    def __init__(self, rate_hz: float) -> None:
        self._period_s = 1.0 / rate_hz if rate_hz > 0 else float("inf")
        self._next_s = 0.0 if rate_hz > 0 else float("inf")

    def due(self, now_s: float) -> bool:
        """True once for each period that has begun."""
        if now_s + 1e-9 < self._next_s:
            return False
        on_time = self._next_s + self._period_s
        self._next_s = on_time if on_time > now_s else now_s + self._period_s
        return True


class Pacer:
    """Keeps simulated time at or below a multiple of wall time.

    A machine that is too slow gets a slower simulation, not a burst to catch up.

    Args:
        factor: simulated seconds for each wall second, at most.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._origin: tuple[float, float] | None = None

    def change(self, factor: float) -> None:
        """Keep another pace from now on."""
        self._factor, self._origin = factor, None

    def delay_s(self, simulated_s: float, wall_s: float) -> float:
        """Wall seconds to wait now."""
        if self._origin is None:
            self._origin = (simulated_s, wall_s)
        due_s = self._origin[1] + (simulated_s - self._origin[0]) / self._factor
        if wall_s - due_s > _PATIENCE_S:
            self._origin = (simulated_s, wall_s)
        return max(0.0, due_s - wall_s)


class SceneWait:
    """Has simulated time wait for who makes scenes of what its cameras show.

    On a machine that is too slow for them time would run away from the scenes, which then are old
    when they come, and nothing may move. Before the first scene, and where none comes for
    `PATIENCE_S` of wall time, nobody is waited for.

    Args:
        lag_s: how old the newest scene may be; 0: it never waits.
    """

    def __init__(self, lag_s: float) -> None:
        self._lag_s = lag_s
        self._newest: tuple[float, float] | None = None

    def heard(self, stamp_s: float, wall_s: float) -> None:
        """A scene came, of what was so at this time."""
        self._newest = (stamp_s, wall_s)

    def waits(self, now_s: float, wall_s: float) -> bool:
        """Whether time stands still now."""
        if self._newest is None or self._lag_s <= 0:
            return False
        stamp_s, heard_s = self._newest
        return now_s - stamp_s > self._lag_s and wall_s - heard_s < PATIENCE_S
