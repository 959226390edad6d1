"""What the robot knows of a flat when it plans: all of it, or what its camera showed it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sayso.core.scene import Scene
from sayso.evaluation.limp.scenes import Stage
from sayso.planning.navigation.grid import OccupancyGrid


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A map and the things found on it.

    Attributes:
        receives: where things can be put down: "on" or "in", by name.
        truly: what each thing really is, for carrying plans out; scoring only.
    """

    grid: OccupancyGrid
    scene: Scene
    receives: Mapping[str, str]
    truly: Mapping[str, str] = field(default_factory=dict)


def known(stage: Stage, nouns: Collection[str], seed: int) -> Knowledge:  # noqa: ARG001
    """The truth: then planning alone is judged."""
    return Knowledge(stage.grid, stage.truth(), stage.receives)
