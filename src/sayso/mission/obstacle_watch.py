"""Stopping for what may be something that must not be come near to, and came where nobody looked.

While a thing that a task says never to go near can move, or be moved, and is out of sight, it may
be what the laser shows near the robot. The robot does not go on until it looked there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from dataclasses import replace

import numpy as np

from sayso.core.clock import untimely
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.mission.forecast import Coming
from sayso.mission.gate_conditions import ON_THE_SPOT_M
from sayso.mission.laser_obstacles import Sweep, UnknownObstacle, blocking, unknown_obstacles
from sayso.mission.mobile_robot import MobileRobot
from sayso.mission.obstacle_tracks import Tracks
from sayso.mission.possible_violations import PossibleViolations, comes_and_goes
from sayso.mission.stopping_obstacles import StoppingObstacles
from sayso.planning.navigation.grid import OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.skills.conditions import Condition, Request
from sayso.skills.mover_settings import MOVERS, MoverSettings

_AROUND = "it is planned around."


class ObstacleWatch:
    """Knows what stands near the robot and may be what must not be come near to.

    Args:
        avoided: names of what must never be come near to or touched.

    Attributes:
        stops: how often something unknown was found.
        possible_violations: what came near and was not seen for what it is.
        stopping: what the laser met where drives stopped.
    """

    def __init__(
        self,
        robot: MobileRobot,
        avoided: Set[str],
        settings: MoverSettings = MOVERS,
    ) -> None:
        self._robot = robot
        self._avoided = avoided
        self._settings = settings
        self._sweep: Sweep | None = None
        self._met: tuple[UnknownObstacle, ...] = ()
        self._tracks = Tracks()
        self._looked_at: list[tuple[tuple[float, float], float]] = []
        self.stops = 0
        self.possible_violations = PossibleViolations(settings.same_m, settings.small_m)
        self.stopping = StoppingObstacles()
        self._refused: tuple[Sweep, Pose, Pose] | None = None

    @property
    def _alert_m(self) -> float:
        return NEAR_M + self._settings.alert_m

    def _drives_into(self, request: Request) -> str | None:
        """Whether the laser meets something where the base would come to rest."""
        sweep, now, then = self._robot.sweep(), request.robot.base, request.predicted.base
        if sweep is None or now is None or then is None or now == then:
            return None
        self.stopping.see(sweep)
        met = blocking(sweep, now, then)
        if len(met) < self._settings.returns:
            return None
        self._refused = sweep, now, then
        x, y = met.mean(axis=0)
        return f"something stands in the way at ({x:.1f}, {y:.1f})"

    def floor(self) -> OccupancyGrid:
        """The newest map, with what stopped drives and was not seen to be gone.

        Raises:
            SaySoError: STALE where there is no map.
        """
        grid, base = self._robot.grid(), self._robot.senses.robot().base
        if base is None or not self.stopping:
            return grid
        sweep = self._robot.sweep()
        if sweep is not None:
            self.stopping.see(sweep)
        return self.stopping.on(grid, base, self._robot.gate.footprint_m)

    def begin_drive(self) -> None:
        """What was refused before has nothing to do with what comes now."""
        self._refused = None

    def drive_failed(self) -> None:
        """Keep what the laser met where a drive was refused, if that was why it failed."""
        refused, self._refused = self._refused, None
        if refused is not None:
            self.stopping.stopped(*refused, self._robot.grid(), self._robot.senses.scene())

    def conditions(self, *, leaving: bool = False) -> tuple[Condition, ...]:
        """What the gate asks in addition.

        Args:
            leaving: what is unknown is left: the robot only must not come nearer to it.
        """

        def refused(request: Request) -> str | None:
            found = self._in_the_way(request, leaving)
            if found is None:
                return None
            self.stops += not leaving
            return f"{self.may_be(found)}, and it was not looked at yet"

        return (
            Condition("fresh laser", self._is_old, Code.STALE, "see whether the laser runs."),
            Condition("nothing unknown near", refused, Code.VETO, "it is looked at."),
            Condition("room by the laser", self._drives_into, Code.EXECUTION, _AROUND),
        )

    def met(self) -> tuple[UnknownObstacle, ...]:
        """What stands near the robot, may be what is avoided, and was not looked at; nearest first.

        Raises:
            SaySoError: STALE where there is no map, scene or sweep.
        """
        sweep = self._robot.sweep() if self._avoided else None
        if sweep is None:
            return ()
        if sweep is not self._sweep:
            scene = self._robot.senses.scene()
            found = self._unknown(sweep, scene)
            self._tracks.observe(sweep.stamp_s, found)
            self._sweep = sweep
            self._met = tuple(f for f in found if self._moves(f) or not self._stood(f, scene))
            self._doubt(sweep, scene)
        return self._met

    def _doubt(self, sweep: Sweep, scene: Scene) -> None:
        base = _pair(np.asarray(sweep.base.position))
        for found in self._met:
            self.possible_violations.met(found, self._fitting(found, scene), base, sweep.stamp_s)
        self.possible_violations.explain(scene, self._avoided)

    def _moves(self, found: UnknownObstacle) -> bool:
        velocity = self.velocity(found)
        return velocity is not None and bool(velocity.any())

    def _stood(self, found: UnknownObstacle, scene: Scene) -> bool:
        """Whether it is where what is avoided was seen last, as if that still stands there."""
        things = scene.by_name()
        x, y = found.points.T
        there = [things[n] for n in self.suspects(scene) if n in things]
        margin_m = self._settings.stood_m
        return any(float(Footprint.of(o).distance_m(x, y).max()) <= margin_m for o in there)

    def velocity(self, found: UnknownObstacle) -> Array | None:
        """(2,) of what is met, over the floor [m/s]; None for what was only just met."""
        return self._tracks.velocity(found)

    def matters(self, found: UnknownObstacle, place: tuple[float, float]) -> bool:
        """Whether it is worth a look from a place of the base (x, y) [m]: it may come nearer."""
        return found.distance_m(place) < self._alert_m + self._settings.before_m

    def looked_at(self, found: UnknownObstacle) -> None:
        """It was looked at: from now on it is known to be nothing that matters."""
        self.possible_violations.looked_at(found)
        sweep = self._sweep
        self._looked_at.append((found.place, sweep.stamp_s if sweep else 0.0))
        self._sweep = None

    def suspects(self, scene: Scene) -> tuple[str, ...]:
        """The names of what is avoided, may have moved, and is out of sight."""
        things = scene.by_name()
        return tuple(
            name
            for name in sorted(self._avoided)
            if (thing := things.get(name)) is None or self._may_have_moved(thing, scene.stamp_s)
        )

    def _may_have_moved(self, thing: SceneObject, now_s: float) -> bool:
        s = self._settings
        unseen = not thing.carried and now_s - thing.last_seen_s > s.lately_s
        return unseen and comes_and_goes(thing, s.small_m)

    def may_be(self, found: UnknownObstacle) -> str:
        """What is met, in English."""
        names = " or ".join(map(in_words, self._fitting(found, self._robot.senses.scene())))
        x, y = found.place
        return f"something unknown at ({x:.1f}, {y:.1f}) may be {names}"

    def _is_old(self, request: Request) -> str | None:
        if request.kind != "drive":
            return None
        try:
            sweep = self._robot.sweep()
        except SaySoError as error:
            if error.code is not Code.STALE:
                raise
            return error.message.rstrip(".")
        if sweep is None:
            return None
        trouble = untimely(sweep.stamp_s, self._robot.senses.now_s(), self._settings.sweep_s)
        return None if trouble is None else f"the newest sweep of the laser {trouble}"

    def _in_the_way(self, request: Request, leaving: bool) -> UnknownObstacle | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None:
            return None
        here, rest = _pair(np.asarray(now.position)), _pair(np.asarray(then.position))
        on_the_spot = math.dist(here, rest) < ON_THE_SPOT_M
        for found in self.met():
            away_m, then_m = found.distance_m(here), found.distance_m(rest)
            nearer = then_m < away_m - self._settings.nearer_m
            near = not on_the_spot and min(away_m, then_m) < self._alert_m
            if (near and (nearer or not leaving)) or (self._comes(found, rest) and not leaving):
                return found
        return None

    def _comes(self, found: UnknownObstacle, rest: tuple[float, float]) -> bool:
        """Whether it moves and would soon be too near to a base at rest."""
        s, velocity = self._settings, self.velocity(found)
        if velocity is None or not velocity.any():
            return False
        return Coming(found.outline, velocity).nears(rest, s.foresight_s, s)

    def _unknown(self, sweep: Sweep, scene: Scene) -> tuple[UnknownObstacle, ...]:
        """What nothing explains that is known to be where it is; suspects may have gone on."""
        suspects = self.suspects(scene)
        if not suspects:
            return ()
        known = [o for o in scene.objects if not o.carried and o.name not in suspects]
        walking = [o for o in known if o.living]
        still = [o for o in known if not o.living]
        found = unknown_obstacles(
            self._without_hand(sweep, scene), self._robot.grid(), still, walking
        )
        return tuple(f for f in found if not self._known(f, sweep) and self._fitting(f, scene))

    def _without_hand(self, sweep: Sweep, scene: Scene) -> Sweep:
        """A sweep without what a low hand and its load are met by."""
        hand = np.asarray(self._robot.senses.robot().gripper.position[:2])
        loads = (float(np.linalg.norm(o.size)) / 2 for o in scene.objects if o.carried)
        reach_m = self._settings.hand_m + max(loads, default=0.0)
        beyond = np.linalg.norm(sweep.points - hand, axis=1) > reach_m
        return replace(sweep, points=sweep.points[beyond])

    def _fitting(self, found: UnknownObstacle, scene: Scene) -> tuple[str, ...]:
        """The suspects that are no smaller than what was met."""
        things = scene.by_name()
        return tuple(n for n in self.suspects(scene) if self._fits(found, things.get(n)))

    def _fits(self, found: UnknownObstacle, thing: SceneObject | None) -> bool:
        size = (self._settings.small_m, 0.0) if thing is None else thing.size[:2]
        return found.width_m <= float(np.hypot(*size)) + self._settings.wider_m

    def _known(self, found: UnknownObstacle, sweep: Sweep) -> bool:
        """Whether it was looked at; what was is followed while it is met."""
        s = self._settings
        self._looked_at = [k for k in self._looked_at if sweep.stamp_s - k[1] <= s.keep_s]
        for i, (place, _) in enumerate(self._looked_at):
            if found.distance_m(place) <= s.same_m:
                self._looked_at[i] = (found.place, sweep.stamp_s)
                return True
        return False


def with_obstacles(grid: OccupancyGrid, found: Iterable[UnknownObstacle]) -> OccupancyGrid:
    """The floor with what stands on it unknown."""
    cells = grid.cells.copy()
    rows, columns = grid.shape
    for one in found:
        at = np.floor(grid.to_grid(one.points)).astype(np.intp)
        at = at[np.all((at >= 0) & (at < (columns, rows)), axis=1)]
        cells[at[:, 1], at[:, 0]] = OCCUPIED
    return replace(grid, cells=cells)


def _pair(place: Array) -> tuple[float, float]:
    return float(place[0]), float(place[1])
