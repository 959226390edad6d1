"""What the laser meets where a drive stops is planned around, not driven up to again and again."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.mission.laser_obstacles import Sweep
from sayso.mission.tour_execution import PersonChannel, TourExecution
from sayso.planning.navigation.grid import BASE_RADIUS_M, FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.tour import plan_tour
from sayso.skills.conditions import Request
from sayso.skills.mover_settings import MOVERS
from sayso.skills.poses import upright

LIBRARY = load(builtin_path("flat"))
FOOTPRINT_M = (1.1, 0.5)
SINK = SceneObject("sink", "sink", "white", (9.4, 3.0, 0.4), (0.8, 1.6, 0.8), last_seen_s=0.0)
BOX = SceneObject("box", "box", "brown", (5.2, 3.0, 0.15), (0.4, 0.4, 0.3))
PERSON = replace(BOX, name="ann", category="person", living=True, last_seen_s=0.0)
FACE = np.column_stack([np.full(15, 5.0), np.linspace(2.8, 3.2, 15)])
"""What a laser meets of the box from where the robot begins."""


def floor(width_m: float) -> OccupancyGrid:
    """10 m long, so wide around y = 3 m, with the sink at its end."""
    cells = np.full((120, 200), OCCUPIED, np.int8)
    low, high = (round((3.0 + s * width_m / 2) / 0.05) for s in (-1, 1))
    cells[low:high, 1:-1] = FREE
    cells[44:76, 180:196] = OCCUPIED
    return OccupancyGrid(cells)


class Robot:
    """Drives along its path until the gate refuses; its laser meets a face of what is there.

    Args:
        met: (N, 2) what stands there, before the far wall.
        things: that cameras show beside the sink.
    """

    senses = gate = skills = property(lambda self: self)
    base_limits, footprint_m = BaseLimits(), FOOTPRINT_M

    def __init__(self, *things: SceneObject, width_m: float = 5.0, met: np.ndarray = FACE) -> None:
        self.met, self.things, self.base = met, (SINK, *things), Pose((2.0, 3.0, 0.0))
        self.time_s, self._grid = 0.0, floor(width_m)
        self.drives: list[np.ndarray] = []
        self.said: list[str] = []
        self.gone_s = np.inf

    def scene(self) -> Scene:
        return Scene(self.time_s, self.things, self.robot(), frame="map")

    def robot(self) -> RobotState:
        return RobotState(self.time_s, base=self.base)

    def now_s(self) -> float:
        return self.time_s

    def wait(self, duration_s: float) -> None:
        self.time_s += duration_s
        if self.time_s >= self.gone_s:
            self.met = np.zeros((0, 2))

    def grid(self) -> OccupancyGrid:
        return self._grid

    newest_grid = grid

    def sweep(self) -> Sweep:
        far = np.column_stack([np.full(400, 9.95), np.linspace(-5.0, 11.0, 400)])
        here = np.asarray(self.base.position[:2])
        ends = far
        if len(self.met):  # what is behind it is not met
            angles = np.arctan2(*(self.met - here).T[::-1])
            behind = np.arctan2(*(far - here).T[::-1])
            ends = far[(behind < angles.min() - 0.01) | (behind > angles.max() + 0.01)]
        return Sweep(self.time_s, self.base, np.vstack([self.met, ends]), FOOTPRINT_M)

    @contextmanager
    def authorised(self, conditions):
        self.asked = conditions
        yield

    def require_running(self) -> None: ...

    def go_home(self, cancelled) -> None: ...

    def drive(self, motion, senses, cancelled) -> None:
        raise SaySoError(Code.EXECUTION, "the robot only goes where it was sent.")

    def execute(self, action, *_, route, **__):
        """Goes to the first corner where the gate refuses to rest 0.2 m on."""
        self.drives.append(route.path)
        self.route = route
        for a, b in zip(route.path[:-1], route.path[1:], strict=True):
            way = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
            yaw = float(np.arctan2(way[1], way[0]))
            for along in np.arange(0.0, float(np.linalg.norm(b - a)), 0.05):
                here, then = (upright((*(a + s * way), 0.0), yaw) for s in (along, along + 0.2))
                self.base = here
                now, rest = (RobotState(self.time_s, base=p) for p in (here, then))
                for condition in self.asked:
                    if (why := condition.check(Request("drive", now, rest))) is not None:
                        raise SaySoError(condition.code, why)
            self.base = upright((*b, 0.0), yaw)
        return ()


def task(robot: Robot, text: str = "F(near(sink))") -> TourExecution:
    monitor = Monitor(Progression.of(parse(text, grounded=True)), LIBRARY.predicates)
    state = symbolic_state(robot.scene(), LIBRARY.predicates)
    monitor.follow(state)
    channel = PersonChannel(robot.said.append)
    execution = TourExecution(robot, monitor, LIBRARY, lambda *_: None, lambda: (), channel)
    execution.observe(state)
    return execution


def drive(execution: TourExecution) -> SaySoError | None:
    """Plan and go; why it was refused."""
    plan = execution.plan(lambda outset, _: plan_tour(outset), frozenset())
    try:
        execution.execute(plan.steps[0].action, 0, lambda _: None)
    except SaySoError as error:
        return error
    return None


def least_m(path: np.ndarray, points: np.ndarray) -> float:
    """From a path to the nearest of some points."""
    pieces = [a + np.linspace(0, 1, 99)[:, None] * (b - a) for a, b in pairwise(path)]
    dense = np.vstack(pieces)
    return float(np.linalg.norm(dense[:, None] - points[None], axis=2).min())


def test_the_next_drive_leads_around_what_stopped_one() -> None:
    robot = Robot()
    execution = task(robot)
    stopped = drive(execution)
    assert stopped is not None and stopped.code is Code.EXECUTION
    assert least_m(robot.drives[0], FACE) < 0.1
    drive(execution)
    assert least_m(robot.drives[1], FACE) > BASE_RADIUS_M - 0.1


def test_what_stops_drives_again_is_kept_off_by_more() -> None:
    robot = Robot()
    execution = task(robot)
    drive(execution)
    watch, wide = execution.obstacle_watch, []
    now, rest = (RobotState(base=upright((x, 3.0, 0.0), 0.0)) for x in (4.4, 4.6))
    for _ in range(3):
        wide.append(int((watch.floor().cells == OCCUPIED).sum()))
        assert watch.floor().clearance_m[watch.floor().cell_at(robot.base.position[:2])] > 0.45
        assert any(c.check(Request("drive", now, rest)) for c in watch.conditions())
        watch.drive_failed()
    assert wide[0] < wide[1] < wide[2]


def test_what_is_seen_to_be_gone_is_forgotten() -> None:
    robot = Robot()
    execution = task(robot)
    assert drive(execution) is not None
    robot.met = np.zeros((0, 2))
    robot.time_s += 1.0
    assert drive(execution) is None
    assert least_m(robot.drives[1], FACE) < 0.1
    assert not execution.obstacle_watch.stopping


def test_what_is_hidden_is_not_taken_to_be_gone() -> None:
    robot = Robot()
    execution = task(robot)
    drive(execution)
    robot.met = np.column_stack([np.full(31, 4.9), np.linspace(2.0, 4.0, 31)])
    assert execution.obstacle_watch.floor().cells[60, 100] == OCCUPIED


@pytest.mark.parametrize(("things", "says"), [((BOX,), "the box"), ((), "something unknown")])
def test_where_no_way_leads_around_it_what_is_in_the_way_is_named(things, says) -> None:
    robot = Robot(*things, width_m=1.6)
    execution = task(robot)
    assert drive(execution) is not None
    with pytest.raises(SaySoError, match=f"In the way stands {says} at") as caught:
        drive(execution)
    assert caught.value.code is Code.UNREACHABLE
    assert len(robot.drives) == 1, "the same is not tried again"


def test_what_no_camera_shows_is_waited_for_and_a_box_is_not() -> None:
    """It may be somebody."""
    for things, waits in (((), True), ((BOX,), False)):
        robot = Robot(*things, width_m=1.6)
        execution = task(robot)
        drive(execution)
        began_s = robot.time_s
        with pytest.raises(SaySoError, match="In the way"):
            drive(execution)
        assert (robot.time_s - began_s >= MOVERS.room_s) is waits


def test_once_it_went_the_drive_goes_on() -> None:
    robot = Robot(width_m=1.6)
    robot.gone_s = 5.0
    execution = task(robot)
    assert drive(execution) is not None
    assert drive(execution) is None
    assert any("wait for something unknown" in s for s in robot.said)


def test_somebody_who_stands_in_the_way_leaves_nothing_on_the_floor() -> None:
    robot = Robot(PERSON)
    execution = task(robot)
    now, rest = (RobotState(base=upright((x, 3.0, 0.0), 0.0)) for x in (4.4, 4.6))
    refused = [
        c.name
        for c in execution.obstacle_watch.conditions()
        if c.check(Request("drive", now, rest)) is not None
    ]
    execution.obstacle_watch.drive_failed()
    assert refused == ["room by the laser"]
    assert not execution.obstacle_watch.stopping


def test_noise_beside_a_wall_narrows_no_passage_before_it_stops_drives_twice() -> None:
    beside = np.column_stack([np.linspace(4.9, 5.1, 9), np.full(9, 2.3)])
    robot = Robot(width_m=1.5, met=beside)
    watch = task(robot).obstacle_watch
    now, rest = (RobotState(base=upright((x, 2.5, 0.0), 0.0)) for x in (4.2, 4.5))
    for narrower in (False, True):
        assert any(c.check(Request("drive", now, rest)) for c in watch.conditions())
        watch.drive_failed()
        assert (watch.floor().cells != robot.grid().cells).any() == narrower


def test_several_things_are_kept_apart() -> None:
    robot = Robot()
    watch = task(robot).obstacle_watch
    for y in (2.0, 4.0, 2.0):
        robot.met = FACE + np.array([0.0, y - 3.0])
        now, rest = (RobotState(base=upright((x, y, 0.0), 0.0)) for x in (4.4, 4.6))
        assert any(c.check(Request("drive", now, rest)) for c in watch.conditions())
        watch.drive_failed()
    assert len(watch.stopping.in_english(robot.scene())) == 1, "the second is seen to be gone"


def test_the_base_turns_only_where_it_has_room_beside_what_stopped_it() -> None:
    robot = Robot()
    execution = task(robot)
    drive(execution)
    assert robot.route.motion_along is None
    robot.base = upright((5.0, 2.3, 0.0), 0.0)
    robot.met = FACE
    path = np.array([[5.0, 2.3], [5.0, 1.5]])
    motion = execution._motion_along(path, 0.0)
    for t in np.linspace(0.0, motion.duration_s, 50):
        state = motion.at(t)
        local = (
            upright((state.x, state.y, 0.0), state.yaw)
            .inverse()
            .transform(np.column_stack([FACE, np.zeros(len(FACE))]))
        )
        assert not (np.abs(local[:, :2]) < np.array(FOOTPRINT_M) / 2).all(axis=1).any()
