"""What came near the robot and may have been what must not be come near to, for all it knows.

The observed states hold what cameras saw. What only the laser met, and nobody saw for what it was,
breaks no "never" in them, and yet it may have: whoever hears that a task is done should hear it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.mission.laser_obstacles import UnknownObstacle
from sayso.planning.navigation.nearness import NEAR_M


@dataclass(frozen=True)
class Encounter:
    """One unknown thing within what is near.

    Attributes:
        names: what it may have been.
        closest_m: how near the base's middle it came,
        where: at this place (x, y) [m, frame `map`],
        when_s: at this time.
        last: where it was met last.
    """

    names: tuple[str, ...]
    closest_m: float
    where: tuple[float, float]
    when_s: float
    last: tuple[float, float]


class PossibleViolations:
    """Keeps what was met near the robot until it is known to have been something else.

    Args:
        same_m: what is met so near to where something was is that.
        small_m: what is longer or wider stays where it is, unless it lives.
    """

    def __init__(self, same_m: float, small_m: float) -> None:
        self._same_m, self._small_m = same_m, small_m
        self._encounters: list[Encounter] = []

    def met(
        self,
        found: UnknownObstacle,
        names: tuple[str, ...],
        base: tuple[float, float],
        stamp_s: float,
    ) -> None:
        """Something unknown is met that may be one of these, from a base there."""
        away_m = found.distance_m(base)
        for i, known in enumerate(self._encounters):
            if found.distance_m(known.last) <= self._same_m:
                if away_m < known.closest_m:
                    closer = (names, away_m, found.place, stamp_s)
                    self._encounters[i] = Encounter(*closer, found.place)
                else:
                    self._encounters[i] = replace(known, last=found.place)
                return
        if away_m <= NEAR_M:
            self._encounters.append(Encounter(names, away_m, found.place, stamp_s, found.place))

    def looked_at(self, found: UnknownObstacle) -> None:
        """It was looked at and is none of what must not be come near to."""
        self._encounters = [e for e in self._encounters if found.distance_m(e.last) > self._same_m]

    def explain(self, scene: Scene, avoided: Collection[str]) -> None:
        """Leave out what cameras have since seen to be something else, where it was met last.

        Only what may have come there explains it: furniture stood there before.
        """
        came = (o for o in scene.objects if comes_and_goes(o, self._small_m))
        others = [o for o in came if o.name not in avoided]

        def explained(encounter: Encounter) -> bool:
            x, y = encounter.last
            return any(
                o.last_seen_s > encounter.when_s
                and o.distance_to((x, y, o.position[2])) <= self._same_m
                for o in others
            )

        self._encounters = [e for e in self._encounters if not explained(e)]

    def in_english(self, names: Iterable[str]) -> tuple[str, ...]:
        """In English, the closest first, of what may have been one of these."""
        asked = frozenset(names)
        closest = sorted(self._encounters, key=lambda e: e.closest_m)
        return tuple(_in_english(e, asked & set(e.names)) for e in closest if asked & set(e.names))


def comes_and_goes(thing: SceneObject, small_m: float) -> bool:
    """Whether it lives, or is no longer and wider than so much: the rest stays where it is."""
    return thing.living or max(thing.size[:2]) <= small_m


def _in_english(encounter: Encounter, names: Collection[str]) -> str:
    what = " or ".join(map(in_words, sorted(names)))
    x, y = encounter.where
    near_cm = math.ceil(100 * encounter.closest_m)
    return (
        f"something that no camera showed, maybe {what}, was {near_cm / 100:.2f} m from the middle "
        f"of the robot, at ({x:.1f}, {y:.1f})"
    )
