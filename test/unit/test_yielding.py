"""Leaving room to who moves: stepping back in time, and patience with those who stand."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.mission.gated_motions import GatedMotions
from sayso.mission.laser_obstacles import Sweep
from sayso.mission.obstacle_watch import ObstacleWatch
from sayso.mission.separation import SeparationMonitor
from sayso.mission.yielding import Yielding
from sayso.perception.motion import MotionTracks
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.skills.mover_settings import MOVERS

CAT = SceneObject("cat", "cat", "", (5.0, 3.0, 0.15), (0.5, 0.2, 0.3), living=True)
LIMB = np.array([[0.0, 0.0], [0.03, 0.02], [0.05, 0.05], [0.02, 0.06]])


class Room:
    """A robot in the middle of a room with a cat; its time passes in `wait`.

    Everything that moves the base only notes where it was sent.
    """

    senses = gate = skills = property(lambda self: self)
    base_limits = BaseLimits()
    footprint_m = (1.10, 0.50)

    def __init__(self, velocity=(0.0, 0.0), *, seen: bool = True) -> None:
        self.velocity, self.seen = np.asarray(velocity), seen
        self.time_s = 0.0
        self.went: list[tuple[float, float]] = []
        self.said: list[str] = []
        self.avoids = frozenset({"cat"})
        self.cancelled = self.stopped = False
        self.tracks = MotionTracks()
        self.separation = SeparationMonitor(["cat"])
        self.obstacles = ObstacleWatch(self, ["cat"])
        moves = GatedMotions(self, lambda leaving: (), lambda: self.cancelled)
        self.yielding = Yielding(
            moves, self.separation, self.obstacles, self.avoids, self.near, self.said.append
        )

    def near(self, scene: Scene, robot: RobotState) -> str | None:
        x, y, _ = robot.base.position
        cat = scene.by_name()["cat"]
        return "near" if cat.distance_to((x, y, cat.position[2])) < 1.0 else None

    def cat_at(self) -> tuple[float, float]:
        x, y = np.asarray(CAT.position[:2]) + self.time_s * self.velocity
        return float(x), float(y)

    def robot(self) -> RobotState:
        base = Pose((*(self.went[-1] if self.went else (3.0, 3.0)), 0.0))
        return RobotState(self.time_s, base=base)

    def scene(self) -> Scene:
        x, y = self.cat_at() if self.seen else (5.0, 5.5)
        seen_s = self.time_s if self.seen else -5.0
        cat = replace(CAT, position=(x, y, 0.15), last_seen_s=seen_s)
        return Scene(self.time_s, self.tracks.followed([cat]), self.robot(), frame="map")

    def sweep(self) -> Sweep:
        points = LIMB + np.asarray(self.cat_at())
        return Sweep(self.time_s, self.robot().base, points, self.footprint_m)

    def grid(self) -> OccupancyGrid:
        cells = np.full((120, 120), FREE, np.int8)
        cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
        return OccupancyGrid(cells)

    def now_s(self) -> float:
        return self.time_s

    def wait(self, duration_s: float) -> None:
        self.time_s += duration_s
        self.separation.observe(self.scene())
        self.obstacles.met()

    @contextmanager
    def authorised(self, conditions):
        yield

    def require_running(self) -> None:
        if self.stopped:
            raise SaySoError(Code.STOPPED, "stopped.")

    def go_home(self, cancelled) -> None:
        self.said.append("stow")

    def drive(self, motion, senses, cancelled) -> None:
        self.went.append((motion.at(60.0).x, motion.at(60.0).y))

    def watch(self, duration_s: float) -> None:
        for _ in range(round(duration_s / 0.1)):
            self.wait(0.1)


@pytest.mark.parametrize("seen", [True, False])
def test_who_comes_is_stepped_back_from_whether_seen_or_met_by_the_laser(seen):
    room = Room((-0.4, 0.0), seen=seen)
    room.watch(0.7)
    assert room.yielding.step_back()
    assert np.hypot(*np.subtract(room.went[0], room.cat_at())) > 2.0


def test_who_stands_too_near_to_be_passed_is_stepped_away_from():
    room = Room()
    room.watch(0.7)
    assert not room.yielding.make_room(), "far enough"
    room.went = [(3.7, 3.0)]
    assert room.yielding.make_room()
    assert room.went[-1][0] < 3.5


@pytest.mark.parametrize("velocity", [(0.0, 0.0), (0.4, 0.0)])
@pytest.mark.parametrize("seen", [True, False])
def test_who_stands_or_goes_away_is_no_reason_to_move(velocity, seen):
    room = Room(velocity, seen=seen)
    room.watch(0.7)
    assert not room.yielding.step_back()
    assert not room.yielding.can_leave(2.5)
    assert not room.went


def test_the_robot_steps_back_a_few_times_for_a_plan():
    room = Room((-0.4, 0.0))
    room.watch(0.7)
    room.drive = lambda *_: None
    assert [room.yielding.step_back() for _ in range(MOVERS.retreats + 1)].count(
        True
    ) <= MOVERS.retreats
    assert not room.yielding.can_leave(2.5)


def test_those_who_stand_in_the_way_are_waited_for_with_bounded_patience():
    room = Room()
    assert room.yielding.wait_for_room()
    assert room.said == ["wait for the cat to make room"]
    assert MOVERS.room_s <= room.time_s <= MOVERS.room_s + 1.0
    assert not room.yielding.wait_for_room(), "patience is used up"
    room.yielding.got_on()
    assert room.yielding.wait_for_room()


def test_the_wait_ends_when_they_go():
    room = Room((0.3, 0.0))
    assert room.yielding.wait_for_room()
    assert room.time_s <= 2.0


def test_whoever_waits_still_listens():
    room = Room()
    room.cancelled = True
    assert not room.yielding.wait_for_room()
    assert room.time_s == 0.0
    room.stopped = True
    with pytest.raises(SaySoError, match="stopped"):
        room.yielding.wait_for_room()


def test_nobody_is_waited_for_where_nobody_is():
    room = Room()
    room.scene = lambda: Scene(0.0, (), room.robot(), frame="map")
    assert not room.yielding.wait_for_room()
    assert not room.said
