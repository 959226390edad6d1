"""The one forecast: where what moves is if it goes on so, and whether that is too near."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.skills.mover_settings import MOVERS, MoverSettings

_SAMPLES = 6


def gone_on(thing: SceneObject, for_s: float) -> SceneObject:
    """A thing where it is after some time if it goes on as it did."""
    return _moved(thing, _gone(np.asarray(thing.velocity[:2]), for_s))


def come_nearer(thing: SceneObject, place: Array, by_m: float) -> SceneObject:
    """A thing that much nearer to a place (2,), or as near as it was if the place is in it."""
    return _moved(thing, by_m * _towards(thing, place))


def _gone(velocity: Array, for_s: Array | float) -> Array:
    """(..., 2) how far after times (...,), at a velocity (2,)."""
    return np.asarray(for_s)[..., None] * velocity


@dataclass(frozen=True)
class Coming:
    """Somebody to keep off, and where they are going [m/s]."""

    outline: Footprint
    velocity: Array

    @classmethod
    def of(cls, thing: SceneObject) -> Coming:
        """A thing that was seen."""
        return cls(Footprint.of(thing), np.asarray(thing.velocity[:2]))

    def distance_m(self, places: Array, times_s: Array | float) -> Array:
        """(...,) from places (..., 2) at those times."""
        at = np.asarray(places) - _gone(self.velocity, times_s)
        return self.outline.distance_m(at[..., 0], at[..., 1])

    def nears(
        self, here: tuple[float, float], within_s: float, settings: MoverSettings = MOVERS
    ) -> bool:
        """Whether they come nearer, and too near, to a robot that stays here."""
        times = np.linspace(0.0, within_s, _SAMPLES, dtype=np.float64)
        apart = self.distance_m(np.repeat([here], _SAMPLES, axis=0), times)
        too_near_m = min(NEAR_M + settings.spare_m, float(apart[0]) - settings.nearer_m)
        return float(apart.min()) < too_near_m


def _moved(thing: SceneObject, by: Array) -> SceneObject:
    x, y, z = thing.position
    return replace(thing, position=(x + float(by[0]), y + float(by[1]), z))


def _nearest(thing: SceneObject, place: Array) -> Array:
    """(2,) the point of a thing's box, seen from above, that is nearest to a place."""
    pose = thing.pose
    local = pose.inverse().transform(np.array([[*place, thing.position[2]]]))[0]
    half = np.asarray(thing.size) / 2
    return np.asarray(pose.transform(np.clip(local, -half, half)[None])[0][:2])


def _towards(thing: SceneObject, place: Array) -> Array:
    """(2,) of length 1 from a thing to a place; zero where the place is in it."""
    way = place - _nearest(thing, place)
    length = float(np.linalg.norm(way))
    return way / length if length > 1e-6 else np.zeros(2)
