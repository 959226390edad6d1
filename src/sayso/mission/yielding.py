"""Leaving room to who moves: letting them pass, stepping back from them, backing off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from functools import partial

import numpy as np

from sayso.core.errors import Code
from sayso.core.geometry import Array, Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.mission.forecast import Coming, come_nearer, gone_on
from sayso.mission.gate_conditions import movers, with_walkers
from sayso.mission.gated_motions import GatedMotions
from sayso.mission.laser_obstacles import UnknownObstacle
from sayso.mission.obstacle_watch import ObstacleWatch
from sayso.mission.retreat import Sidestep, step_away
from sayso.mission.separation import SeparationMonitor, WouldViolate
from sayso.mission.surveyor import GatedSurveyor
from sayso.planning.navigation.grid import Mask
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.skills.conditions import Condition, Request
from sayso.skills.driving import Straight, StraightState
from sayso.skills.mover_settings import MOVERS, MoverSettings
from sayso.skills.poses import upright, yaw_of
from sayso.skills.timeouts import Timeout

WAIT_S = 0.05
ROOM_PAUSE_S = 1.0
LOOKS = 3
GLANCE_S = 0.6
COMES = "somebody comes who must not be come near to"
_SAMPLES = 6
_SETTLES, _SETTLED_S, _SETTLED_M = 10, 0.1, 0.025


class Yielding:
    """What the robot does for those who move, known or only met by the laser.

    Args:
        avoided: names of what the task says never to go near to.
        would_violate: as `TourExecution`.
        on_phase: what the robot does now, in English.

    Attributes:
        retreats: how often it stepped back.
    """

    def __init__(
        self,
        moves: GatedMotions,
        separation: SeparationMonitor,
        obstacle_watch: ObstacleWatch,
        avoided: Set[str],
        would_violate: WouldViolate,
        on_phase: Callable[[str], None],
        settings: MoverSettings = MOVERS,
    ) -> None:
        self._robot = moves.robot
        self._settings = settings
        self._moves = moves
        self._separation = separation
        self._obstacle_watch = obstacle_watch
        self._avoided = avoided
        self._would_violate = would_violate
        self._on_phase = on_phase
        self._surveyor = GatedSurveyor(moves.robot, moves.cancelled)
        self._steps_left = self._settings.retreats
        self._room: Timeout | None = None
        self.retreats = 0

    def begin(self) -> None:
        """A new plan: the robot may step back again."""
        self._steps_left = self._settings.retreats

    def got_on(self) -> None:
        """Something was done: the robot has patience again."""
        self._room = None

    # -- letting pass ----------------------------------------------------------------------

    def let_pass(self, held_up: bool = False) -> None:
        """Wait, for a while, until nobody walks who may come into the way; keep them in view.

        Args:
            held_up: whether those who went out of sight held the robot up.
        """
        senses = self._robot.senses
        timeout, looks = Timeout(senses, self._settings.patience_s), LOOKS
        if self._separation.walking():
            self._on_phase("wait for somebody to pass")
        while not timeout.over and self._moves.goes_on():
            if self.step_back():
                continue
            if self._separation.walking():
                senses.wait(WAIT_S)
            elif looks and held_up:
                looks = looks - 1 if self._look_after() else 0
            else:
                return

    def patient(self) -> bool:
        """Whether the robot waits on for those who are in its way: for so long, until it got on."""
        if self._room is None:
            self._room = Timeout(self._robot.senses, self._settings.room_s)
        return not self._room.over

    def wait_for_room(self) -> bool:
        """Wait until one of those who may stand in the way went elsewhere, or what stopped a drive
        and no camera shows.

        Returns:
            whether trying again makes sense; not where nobody is there, or patience is used up.
        """
        senses, scene = self._robot.senses, self._robot.senses.scene()
        there = {o.name: o for o in movers(scene)}
        stopping = self._stopping()
        if not (there or stopping) or not self.patient():
            return False
        names = sorted(map(in_words, there)) or stopping
        self._on_phase(f"wait for {' and '.join(names)} to make room")
        self._look_for(there.values())
        while self.patient() and self._moves.goes_on():
            if not self.step_back():
                senses.wait(ROOM_PAUSE_S)
            if self._went(there) or len(self._stopping()) < len(stopping):
                break
        return not self._moves.cancelled()

    def _stopping(self) -> tuple[str, ...]:
        """In English, what stopped drives, is not seen to be gone, and no camera shows."""
        self._obstacle_watch.floor()
        return self._obstacle_watch.stopping.unseen(self._robot.senses.scene())

    def _went(self, before: dict[str, SceneObject]) -> bool:
        now = {o.name: o for o in movers(self._robot.senses.scene())}
        return now.keys() != before.keys() or any(
            np.hypot(*np.subtract(now[n].position, o.position)[:2]) > self._settings.went_m
            for n, o in before.items()
        )

    def _look_for(self, there: Iterable[SceneObject]) -> None:
        """Turn to where those are taken to be who are not seen: they may have gone long ago."""
        scene = self._robot.senses.scene()
        floor = with_walkers(self._robot.grid(), scene)
        for thing in there:
            x, y, _ = thing.position
            unseen = scene.stamp_s - thing.last_seen_s > self._settings.elsewhere_s
            if unseen and self._surveyor.can_face((x, y), floor):
                self._on_phase(f"look whether {in_words(thing.name)} is still there")
                self.help_by(partial(self._glance_at, (x, y)))

    def _look_after(self) -> bool:
        """Turn to where somebody should be by now who went out of sight; whether it could."""
        scene, unseen = self._robot.senses.scene(), self._separation.out_of_sight()
        floor = with_walkers(self._robot.grid(), scene)
        for thing in scene.objects:
            x, y, _ = self._expected(thing, scene.stamp_s).position
            if thing.name in unseen and self._surveyor.can_face((x, y), floor):
                self._on_phase(f"look after {in_words(thing.name)}")
                return self.help_by(partial(self._glance_at, (x, y)))
        return False

    def _glance_at(self, place: tuple[float, float]) -> None:
        senses = self._robot.senses
        self._surveyor.look_at(place)
        timeout = Timeout(senses, GLANCE_S)
        while not timeout.over and not self._coming():
            senses.wait(WAIT_S)

    # -- stepping back ---------------------------------------------------------------------

    def help_by(self, motion: Callable[[], None]) -> bool:
        """Move, if that can be and nobody comes, who is stepped back from; whether it was done."""
        done = self._moves.attempt(motion, self.nobody_comes())
        if not done:
            self.step_back()
        return done

    def nobody_comes(self) -> Condition:
        """Nobody comes from whom the robot can step back instead of what it does."""

        def comes(_: Request) -> str | None:
            return COMES if self.can_leave() else None

        return Condition("nobody comes", comes, Code.VETO, "the robot leaves room.")

    def step_back(self) -> bool:
        """Step away from who comes and must not be come near to; whether there was a step."""
        return self._step_from(self._coming, "step back from somebody who comes")

    def make_room(self) -> bool:
        """Step away from those who stand so near that no way leads past; whether there was one."""
        return self._step_from(self._too_close, "step away from somebody who is near")

    def _step_from(self, whom: Callable[[], Sequence[Coming]], why: str) -> bool:
        if not self._steps_left or not whom():
            return False
        self._settle()
        base, end = self._robot.senses.robot().base, self._way_from(whom())
        if base is None or end is None:
            return False
        self._on_phase(why)
        self._steps_left -= 1
        self.retreats += 1
        x, y, _ = base.position
        motion = Sidestep(StraightState(x, y, yaw_of(base)), end, self._robot.gate.base_limits)
        return self._moves.attempt(lambda: self._moves.drive(motion))

    def _settle(self) -> None:
        """Wait until the base hardly moves, for a moment, and see meanwhile what else does."""
        for _ in range(_SETTLES):
            before = np.asarray(self._surveyor.position())
            self._robot.senses.wait(_SETTLED_S)
            self._obstacle_watch.met()
            if float(np.linalg.norm(self._surveyor.position() - before)) < _SETTLED_M:
                return

    def can_leave(self, foresight_s: float | None = None) -> bool:
        """Whether somebody comes within that time, and the robot may and can step back."""
        return self._steps_left > 0 and self._way_from(self._coming(foresight_s)) is not None

    def _way_from(self, coming: Sequence[Coming]) -> tuple[float, float] | None:
        """The end of a step away from some; None where there are none or no step helps."""
        scene, base = self._robot.senses.scene(), self._robot.senses.robot().base
        if base is None or not coming:
            return None
        x, y, _ = base.position
        yaw = yaw_of(base)
        floor = Footing(with_walkers(self._robot.grid(), scene), self._robot.gate.footprint_m)

        def fits(places: Array) -> Mask:
            return floor.fits(places, np.full(len(places), yaw))

        def allowed(place: tuple[float, float]) -> bool:
            return self._would_violate(scene, _moved(scene.robot, place, yaw)) is None

        return step_away((x, y), coming, fits, allowed, self._robot.gate.base_limits)

    def _coming(self, foresight_s: float | None = None) -> Sequence[Coming]:
        """Who would be too near to a robot that stands by then, going on as now."""
        foresight_s = foresight_s or self._settings.foresight_s
        scene = self._robot.senses.scene()
        there = [self._expected(o, scene.stamp_s) for o in scene.objects]
        known = [o for o in there if self._comes_too_near(o, scene, foresight_s)]
        return [
            *(Coming.of(o) for o in known),
            *self._unknown_coming(foresight_s),
        ]

    def _too_close(self) -> Sequence[Coming]:
        """Those who live and must be kept off, as they stand, where they are too near to pass."""
        x, y = self._surveyor.position()
        there = [o for o in movers(self._robot.senses.scene()) if o.name in self._avoided]
        close_m = NEAR_M + self._settings.passing_m
        near = [o for o in there if o.distance_to((x, y, o.position[2])) < close_m]
        return [Coming(Footprint.of(o), np.zeros(2)) for o in near]

    def _unknown_coming(self, foresight_s: float) -> Sequence[Coming]:
        """What the laser meets and is on its way here, or may be for all that is known."""
        here, s = self._surveyor.position(), self._settings
        found = []
        for met in self._obstacle_watch.met():
            velocity = self._obstacle_watch.velocity(met)
            seen = [] if velocity is None else [(velocity, foresight_s)]
            if velocity is None or velocity.any():
                speed_m_s = (
                    self._settings.unsure_m_s
                    if velocity is None
                    else float(np.linalg.norm(velocity))
                )
                seen.append((_straight_to(here, met, speed_m_s), self._settings.turns_s))
            comings = [(Coming(met.outline, v), within_s) for v, within_s in seen]
            found += [c for c, within_s in comings if c.nears(here, within_s, s)][:1]
        return found

    def _expected(self, thing: SceneObject, now_s: float) -> SceneObject:
        """Somebody where they are by now, if they went on unseen for a while."""
        since_s = min(max(now_s - thing.last_seen_s, 0.0), self._settings.foresight_s)
        return gone_on(thing, since_s)

    def _comes_too_near(self, thing: SceneObject, scene: Scene, foresight_s: float) -> bool:
        """Whether somebody walks to where the task would be broken though the robot stands."""
        if thing.name not in self._avoided or not any(thing.velocity):
            return False
        here = np.asarray(self._surveyor.position())
        for later_s in np.linspace(0.0, foresight_s, _SAMPLES)[1:]:
            then = come_nearer(gone_on(thing, later_s), here, self._settings.spare_m)
            others = tuple(then if o.name == thing.name else o for o in scene.objects)
            if self._would_violate(replace(scene, objects=others), scene.robot) is not None:
                return True
        return False

    # -- giving way ------------------------------------------------------------------------

    def give_way(self) -> None:
        """Back off from somebody right before the robot, who may be waiting for it to go."""
        scene = self._robot.senses.scene()
        base = scene.robot.base
        if base is None:
            return
        x, y, z = base.position
        if all(o.distance_to((x, y, z)) > self._settings.close_m for o in movers(scene)):
            return
        yaw, back_m = yaw_of(base), self._settings.back_m
        behind = np.array([[x - back_m * np.cos(yaw), y - back_m * np.sin(yaw)]])
        footing = Footing(self._robot.grid(), self._robot.gate.footprint_m)
        if not footing.fits(behind, np.array([yaw])).all():
            return
        self._on_phase("give way")
        motion = Straight(StraightState(x, y, yaw), -back_m)
        self._moves.attempt(lambda: self._moves.drive(motion))


def _straight_to(here: tuple[float, float], met: UnknownObstacle, speed_m_s: float) -> Array:
    way = np.asarray(here) - np.asarray(met.place)
    return np.asarray(speed_m_s * way / max(float(np.linalg.norm(way)), 1e-6))


def _moved(robot: RobotState, place: tuple[float, float], yaw: float) -> RobotState:
    """The robot with its base elsewhere, hand and load moved along."""
    if robot.base is None:
        return robot
    base: Pose = upright((*place, 0.0), yaw)
    return replace(robot, base=base, gripper=base @ robot.base.inverse() @ robot.gripper)
