"""What the robot knows of a flat when it plans: all of it, or what its camera showed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.evaluation.limp.scenes import Stage, flat_library
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.obligations import Obligations
from sayso.planning.navigation.places import outset_of


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A map and the things found on it.

    Attributes:
        truly: what each thing really is, for carrying plans out; scoring only.
    """

    grid: OccupancyGrid
    scene: Scene
    truly: Mapping[str, str] = field(default_factory=dict)

    @property
    def start(self) -> tuple[float, float]:
        """Where the base's centre is [m]. Raises INVALID where the scene does not say so."""
        if self.scene.robot.base is None:
            raise SaySoError(Code.INVALID, "the scene does not say where the base is.")
        return self.scene.robot.base.position[:2]

    def outset(self, task: Obligations) -> Outset:
        """Where planning begins, for a task about things of the scene."""
        return outset_of(task, self.scene, self.grid, flat_library(), self.start)


def known(stage: Stage) -> Knowledge:
    """The truth: then planning alone is judged."""
    return Knowledge(stage.grid, stage.truth())
