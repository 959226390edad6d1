"""Turning to what the laser shows near the robot and nothing explains, and looking at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.mission.forecast import Coming
from sayso.mission.gate_conditions import with_walkers
from sayso.mission.gated_motions import GatedMotions
from sayso.mission.laser_obstacles import UnknownObstacle
from sayso.mission.obstacle_watch import ObstacleWatch, with_obstacles
from sayso.mission.retreat import Sidestep, step_away
from sayso.mission.surveyor import GatedSurveyor
from sayso.mission.yielding import GLANCE_S, WAIT_S, Yielding
from sayso.planning.navigation.grid import Mask, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.skills.driving import StraightState
from sayso.skills.poses import yaw_of
from sayso.skills.timeouts import Timeout

LOOKS = 3
"""So often something unknown is looked at before a plan, or a drive."""
GO_BY_S = 6.0
"""So long the robot waits where there is no room to turn and look."""
LOOK_S = 1.5
"""What the camera looks at for so long is seen, if it is anything that is looked for."""


class ObstacleInspector:
    """Looks at what is unknown, once it was stepped back from if it comes nearer.

    Args:
        on_phase: what the robot does now, in English.
    """

    def __init__(
        self,
        moves: GatedMotions,
        obstacle_watch: ObstacleWatch,
        yielding: Yielding,
        on_phase: Callable[[str], None],
    ) -> None:
        self._robot = moves.robot
        self._moves = moves
        self._obstacle_watch = obstacle_watch
        self._yielding = yielding
        self._on_phase = on_phase
        self._surveyor = GatedSurveyor(moves.robot, moves.cancelled)

    def near(self) -> tuple[UnknownObstacle, ...]:
        """What is worth a look from where the robot is, the nearest first."""
        here = self._surveyor.position()
        return tuple(f for f in self._obstacle_watch.met() if self._obstacle_watch.matters(f, here))

    def look(self) -> None:
        """Look at what is near, until nothing is unknown or for a while.

        Raises:
            SaySoError: VETO where there is no room to turn to it; what the gate raises.
        """
        for _ in range(LOOKS):
            while self._yielding.step_back():
                continue
            if not (met := self.near()):
                return
            self._on_phase(f"look at what is near: {self._obstacle_watch.may_be(met[0])}")
            try:
                with self._moves.open(self._yielding.nobody_comes(), leaving=True):
                    self._surveyor.come_to_rest()
                    if met := self.near():  # it may have been seen meanwhile
                        self._look_at(met)
            except SaySoError as error:
                if error.code is not Code.VETO or not self._yielding.can_leave():
                    raise

    def _look_at(self, met: Sequence[UnknownObstacle]) -> None:
        surveyor = self._surveyor
        if not surveyor.can_face(met[0].place, self._with(met)):
            self._leave(met)
        if not surveyor.can_face(met[0].place, self._with(met)):
            if self._goes_by():
                return
            raise SaySoError(
                Code.VETO,
                f"{self._obstacle_watch.may_be(met[0])}, and there is no room to turn and look.",
                hint="see what it is, or make room around the robot.",
            )
        surveyor.look_at(met[0].place)
        self._watch(met[0])

    def _leave(self, met: Sequence[UnknownObstacle]) -> None:
        """Step away from what is too near to turn beside it."""
        base = self._robot.senses.robot().base
        if base is None:
            return
        here, yaw = self._surveyor.position(), yaw_of(base)
        grid = self._with(met)
        still = [Coming(f.outline, np.zeros(2)) for f in met]

        def fits(places: Array) -> Mask:
            beyond = places[2:]  # where it stands now there may be little room
            return Footing(grid, self._robot.gate.footprint_m).fits(
                beyond, np.full(len(beyond), yaw)
            )

        limits = self._robot.gate.base_limits
        end = step_away(here, still, fits, lambda end: self._surveyor.can_turn(grid, end), limits)
        if end is not None:
            self._moves.drive(Sidestep(StraightState(*here, yaw), end, limits))

    def _goes_by(self) -> bool:
        """Wait, for a while, until what is there went, or comes, or there is room to turn."""
        senses = self._robot.senses
        timeout = Timeout(senses, GO_BY_S)
        while not timeout.over and self._moves.goes_on():
            senses.wait(GLANCE_S)
            met = self.near()
            if not met or self._yielding.can_leave():
                return True
            if self._surveyor.can_face(met[0].place, self._with(met)):
                return True
        return False

    def _watch(self, found: UnknownObstacle) -> None:
        """Look until it is known what it is, or that it is nothing that is looked for."""
        senses = self._robot.senses
        timeout = Timeout(senses, LOOK_S)
        while not timeout.over:
            senses.wait(WAIT_S)
            if all(m.distance_m(found.place) > m.width_m for m in self._obstacle_watch.met()):
                return
        self._obstacle_watch.looked_at(found)

    def _with(self, met: Sequence[UnknownObstacle]) -> OccupancyGrid:
        floor = with_walkers(self._robot.grid(), self._robot.senses.scene())
        return with_obstacles(floor, met)
