"""How fast something goes, from where it was met lately: by a camera, or by a laser."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.scene import SceneObject


@dataclass(frozen=True)
class TrackSettings:
    """What counts as moving.

    Attributes:
        window_s: over which speed is judged.
        least_s: what was met for less is taken to have gone so far in this time.
        slow_m_s: slower is the noise of sensors and localisation, or of seeing another side.
    """

    window_s: float
    least_s: float
    slow_m_s: float


CAMERA = TrackSettings(window_s=0.8, least_s=0.4, slow_m_s=0.1)
LASER = TrackSettings(window_s=0.6, least_s=0.18, slow_m_s=0.2)


class PlaceTrack:
    """Where one thing was met lately, seen from above."""

    def __init__(self, settings: TrackSettings) -> None:
        self._settings = settings
        self._met: deque[tuple[float, Array]] = deque()

    @property
    def last(self) -> tuple[float, Array]:
        """When [s] and where (2,) [m] it was met last."""
        return self._met[-1]

    @property
    def long_enough(self) -> bool:
        """Whether it was met for long enough to tell how it moves."""
        return bool(self._met) and self._lasts_s() >= self._settings.least_s

    def add(self, stamp_s: float, place: Array) -> None:
        """It was met there; nothing new where it was met then or later already."""
        if not self._met or stamp_s > self._met[-1][0]:
            self._met.append((stamp_s, np.asarray(place, float)[:2]))
        while self._lasts_s() > self._settings.window_s:
            self._met.popleft()

    def velocity(self) -> Array:
        """(2,) [m/s] when it was met last; zero for what stood."""
        if len(self._met) < 2:
            return np.zeros(2)
        (_, then), (_, now) = self._met[0], self._met[-1]
        moved: Array = (now - then) / max(self._lasts_s(), self._settings.least_s)
        return moved if float(np.linalg.norm(moved)) > self._settings.slow_m_s else np.zeros(2)

    def _lasts_s(self) -> float:
        return self._met[-1][0] - self._met[0][0]


class MotionTracks:
    """Follows things that have names. Not safe for threads."""

    def __init__(self, settings: TrackSettings = CAMERA) -> None:
        self._settings = settings
        self._tracks: dict[str, PlaceTrack] = {}

    def followed(self, things: Iterable[SceneObject]) -> tuple[SceneObject, ...]:
        """The things as they are known now, with their velocities; what is carried has none."""
        now = tuple(things)
        before, self._tracks = self._tracks, {}
        for thing in now:
            if not thing.carried:
                track = before.get(thing.name) or PlaceTrack(self._settings)
                track.add(thing.last_seen_s, np.asarray(thing.position))
                self._tracks[thing.name] = track
        return tuple(self._with_velocity(thing) for thing in now)

    def _with_velocity(self, thing: SceneObject) -> SceneObject:
        track = self._tracks.get(thing.name)
        x, y = (0.0, 0.0) if track is None else map(float, track.velocity())
        return replace(thing, velocity=(x, y, 0.0))
