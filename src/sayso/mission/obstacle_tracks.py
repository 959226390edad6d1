"""How what a laser met moves, told from sweep to sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array
from sayso.mission.laser_obstacles import UnknownObstacle
from sayso.perception.motion import LASER, PlaceTrack

JUMP_M = 0.3
"""From one sweep to the next nothing is taken to have gone farther."""
SWELL_M = 0.2
"""What is wider or narrower by more than the sweep before is not that alone."""
LOST_S = 0.35
"""What was not met for longer is another thing when it is met again."""


@dataclass
class _Track:
    """Where something was met lately, and how wide it was [m]."""

    places: PlaceTrack
    width_m: float


class Tracks:
    """Follows what was met; give it what every sweep showed."""

    def __init__(self) -> None:
        self._tracks: list[_Track] = []

    def observe(self, stamp_s: float, found: Sequence[UnknownObstacle]) -> None:
        """Take in what a sweep showed, newer than those before."""
        before = [t for t in self._tracks if stamp_s - t.places.last[0] <= LOST_S]
        now: list[_Track] = []
        for one in found:
            alike = [t for t in before if abs(t.width_m - one.width_m) <= SWELL_M]
            track = _nearest(alike, one, JUMP_M) or _Track(PlaceTrack(LASER), one.width_m)
            before = [t for t in before if t is not track]
            track.places.add(stamp_s, np.asarray(one.place))
            track.width_m = one.width_m
            now.append(track)
        self._tracks = now + before  # some are hidden for a moment only

    def velocity(self, found: UnknownObstacle) -> Array | None:
        """(2,) of what the newest sweep showed, over the floor [m/s].

        Returns:
            zero for what stands; None for what was not met for long enough to tell.
        """
        track = _nearest(self._tracks, found, 1e-6)
        if track is None or not track.places.long_enough:
            return None
        return track.places.velocity()


def _nearest(tracks: Sequence[_Track], one: UnknownObstacle, within_m: float) -> _Track | None:
    """The track that ended nearest to where something is met."""
    gaps = [float(np.linalg.norm(t.places.last[1] - np.asarray(one.place))) for t in tracks]
    if not gaps or min(gaps) > within_m:
        return None
    return tracks[int(np.argmin(gaps))]
