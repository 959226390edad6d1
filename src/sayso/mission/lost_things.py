"""Looking for what a task in a flat speaks of and is not where it was.

First from where much of the floor is seen; then in what is shut: the lids and doors that the
library's operators say show something (`Operator.observes`), the nearest first, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Plan, in_words
from sayso.mission.gated_motions import GatedMotions
from sayso.mission.mobile_robot import MobileRobot
from sayso.mission.surveyor import GatedSurveyor
from sayso.mission.tour_planning import Solve, TourTask
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.search_views import next_view
from sayso.planning.words import joined

SEARCH_VIEWS = 6
"""Places from which a lost thing is looked for, and so many more behind a door that was opened."""
GLANCES = 4
"""Fresh scenes that are waited for after something was opened: what is new counts after some."""
_NO_WAY = frozenset(
    {
        Code.NO_PLAN,
        Code.PLAN_INVALID,
        Code.PLAN_TIMEOUT,
        Code.UNREACHABLE,
        Code.UNSUPPORTED,
        Code.PRECONDITION,
        Code.CONTRADICTION,
        Code.VIOLATED,
    }
)
"""After these something else is opened."""


class LostThings:
    """What is lost to a task, and where it was looked for.

    Args:
        names: of the things that the task speaks of, as it grows.
        scene: what is seen now.
        floor: the newest map, with what stops drives.
        on_phase: told what the robot does, in English.
    """

    def __init__(
        self,
        robot: MobileRobot,
        task: TourTask,
        moves: GatedMotions,
        surveyor: GatedSurveyor,
        names: Collection[str],
        scene: Callable[[], Scene],
        floor: Callable[[], OccupancyGrid],
        on_phase: Callable[[str], None],
    ) -> None:
        self._robot, self._task, self._moves = robot, task, moves
        self._surveyor, self._scene, self._on_phase = surveyor, scene, on_phase
        self._floor = floor
        self._names = names
        self._known: dict[str, SceneObject] = {}
        self._looked: list[tuple[float, float]] = []
        self._opened: list[Action] = []
        self._most_views = SEARCH_VIEWS

    def observe(self, scene: Scene) -> None:
        """Keep how things that may be lost later were seen."""
        self._known.update((o.name, o) for o in scene.objects if o.name in self._names)

    def lost(self) -> frozenset[str]:
        """Things of the task that are not seen, and not known from before."""
        return frozenset(self._names) - self._scene().by_name().keys()

    def look_around(self) -> None:
        """Look for what is lost from some places, if anything is.

        Raises:
            SaySoError: what the gate raises.
        """
        if self._opened:
            self._glance()
        if not self.lost():
            self._looked, self._opened, self._most_views = [], [], SEARCH_VIEWS
            return
        self._on_phase(f"look around for {self._said()}")
        here = True
        with self._moves.open():
            while self.lost() and (here or len(self._looked) < self._most_views):
                if not (here and self._surveyor.can_turn()):
                    outset = self._task.outset(self._scene(), self._floor())
                    path = next_view(outset, self._looked)
                    if path is None:
                        break
                    self._surveyor.drive(path)
                here = False
                self._surveyor.look_around()
                self._looked.append(self._surveyor.position())

    def opening(self, solve: Solve) -> Plan:
        """The way to open the nearest thing that what is lost may be in, or behind.

        Raises:
            SaySoError: OBJECT_LOST where nothing is left to be opened, or the task is worse off
                for it.
        """
        scene, grid, lost = self._scene(), self._floor(), self.lost()
        things = [self._known.get(name) for name in sorted(lost)]
        for look in self._task.looks(scene, grid, things, self._looked):
            action = look.action
            if action in self._opened:
                continue
            self._opened.append(action)
            reason = f"{self._said()} may be where that shows it"
            try:
                plan = self._task.plan_to(look, reason, scene, grid, solve)
            except SaySoError as error:
                if error.code not in _NO_WAY:
                    raise
                continue
            self._most_views += SEARCH_VIEWS * bool(look.clears)
            self._on_phase(f"{action.english} to look for {self._said()}")
            return plan
        raise SaySoError(
            Code.OBJECT_LOST,
            f"{', '.join(sorted(lost))} is not where it was, and was not found anywhere else.",
            hint="say where it is, or put it back.",
        )

    def _glance(self) -> None:
        for _ in range(GLANCES):
            if not self.lost():
                return
            self._robot.newest_grid()

    def _said(self) -> str:
        return joined(in_words(name) for name in sorted(self.lost()))
