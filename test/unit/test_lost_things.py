"""In a flat, what is lost is looked for in what is shut: lids and doors are opened, each once."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

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
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.tour import plan_tour
from sayso.skills.poses import upright, yaw_of

LIBRARY = load(builtin_path("flat"))
TABLE = SceneObject("table", "table", "brown", (3.5, 5.0, 0.36), (0.8, 1.2, 0.72))
MUG = SceneObject("mug", "mug", "red", (7.0, 5.0, 0.05), (0.08, 0.08, 0.1))
JUG = replace(MUG, name="jug", category="jug", size=(0.1, 0.1, 0.9))
BRING = "F(on(mug, table))"


def chest(name: str, y: float, lid: float = 0.0) -> SceneObject:
    size = (0.45, 0.7, 0.5)
    return SceneObject(name, name, "", (2.0, y, 0.25), size, attributes={"lid_share": lid})


def door(y: float = 3.0) -> SceneObject:
    size = (0.05, 1.3, 2.0)
    return SceneObject("door", "door", "", (5.0, y, 1.0), size, attributes={"open_share": 0.0})


def floor(walled: bool) -> OccupancyGrid:
    """10 m by 10 m; with a wall, two rooms and a door between them."""
    cells = np.full((100, 100), FREE, np.int8)
    cells[:, [0, -1]] = cells[[0, -1], :] = OCCUPIED
    if walled:
        cells[:, 49:51] = OCCUPIED
    return OccupancyGrid(cells, (0.0, 0.0), 0.1)


class Robot:
    """Drives at once to where it is sent; the building opens what it asks for.

    Args:
        things: that are seen; what is `hidden` is seen once something is opened.
    """

    senses = gate = skills = property(lambda self: self)
    base_limits, footprint_m = BaseLimits(), (1.1, 0.5)

    def __init__(self, *things: SceneObject, hidden: dict[str, SceneObject]):
        self.things = {t.name: t for t in things}
        self.hidden, self.walled = hidden, "door" in self.things
        self.base, self.time_s = Pose((1.0, 5.0, 0.0)), 0.0
        self.done: list[str] = []
        self.looked = 0

    def scene(self) -> Scene:
        return Scene(self.time_s, tuple(self.things.values()), self.robot(), frame="map")

    def robot(self) -> RobotState:
        return RobotState(self.time_s, base=self.base)

    def now_s(self) -> float:
        return self.time_s

    def grid(self) -> OccupancyGrid:
        shut = self.walled and self.things["door"].attributes["open_share"] == 0.0
        grid = floor(self.walled)
        if self.walled and not shut:
            grid.cells[24:36, 49:51] = FREE
        return grid

    newest_grid = grid

    def sweep(self) -> Sweep | None:
        return None

    @contextmanager
    def authorised(self, conditions):
        yield

    def require_running(self) -> None: ...

    def go_home(self, cancelled) -> None: ...

    def drive(self, motion, senses, cancelled) -> None:
        end = motion.at(motion.duration_s)
        self.looked += (end.x, end.y) == self.base.position[:2] and end.yaw != yaw_of(self.base)
        self._stand(end.x, end.y, end.yaw)

    def execute(self, action, *_, route, **__):
        self.done.append(str(action))
        if action.name == "go":
            self._stand(*(float(v) for v in route.path[-1]), 0.0)
            return ()
        (name,) = action.args
        thing = self.things[name]
        self.things[name] = replace(thing, attributes=dict.fromkeys(thing.attributes, 1.0))
        if (found := self.hidden.get(name)) is not None:
            self.things[found.name] = found
        return ()

    def _stand(self, x: float, y: float, yaw: float) -> None:
        self.base = upright((x, y, 0.0), yaw)


def lost(robot: Robot, text: str = BRING, *known: SceneObject) -> TourExecution:
    """A task whose things were all seen when it began, and then some were not any more."""
    monitor = Monitor(Progression.of(parse(text, grounded=True)), LIBRARY.predicates)
    now = robot.things
    robot.things = {**now, **{k.name: k for k in known or (MUG,)}}
    state = symbolic_state(robot.scene(), LIBRARY.predicates)
    monitor.follow(state)
    told = PersonChannel(robot.done.append)
    execution = TourExecution(robot, monitor, LIBRARY, lambda *_: None, lambda: (), told)
    execution.observe(state)
    robot.things = now
    return execution


def go_on(execution: TourExecution) -> list[str]:
    """Prepare, plan and carry that out, once; what was planned."""
    execution.prepare()
    plan = execution.plan(lambda outset, _: plan_tour(outset), frozenset())
    for number, step in enumerate(plan.steps):
        if step.action.name not in ("go", "open", "open_lid"):
            break
        execution.execute(step.action, number, lambda _: None)
    return [f"{s.action.name} {s.action.args[-1]}" for s in plan.steps if s.action.name != "go"]


IN_STORAGE = {"storage": replace(MUG, position=(2.0, 2.0, 0.15))}


def test_lids_are_opened_the_nearest_first_until_it_is_found() -> None:
    chests = chest("storage", 2.0), chest("pantry", 8.5)
    robot = Robot(TABLE, *chests, hidden=IN_STORAGE)
    task = lost(robot)
    assert go_on(task) == ["open_lid pantry"], "its views led the robot there"
    assert robot.done[0] == "look around for the mug"
    assert "open the pantry to look for the mug" in robot.done
    assert go_on(task) == ["open_lid storage"]
    assert go_on(task) == ["pick mug", "put_on table"]


def test_the_reason_is_told() -> None:
    task = lost(Robot(TABLE, chest("storage", 2.0), hidden=IN_STORAGE))
    task.prepare()
    plan = task.plan(lambda outset, _: plan_tour(outset), frozenset())
    assert plan.steps[-1].why == "the mug may be where that shows it"


def test_what_is_nowhere_is_lost_once_each_lid_was_opened() -> None:
    task = lost(Robot(TABLE, chest("storage", 2.0), chest("pantry", 8.0, 1.0), hidden={}))
    assert go_on(task) == ["open_lid storage"]
    with pytest.raises(SaySoError, match="mug is not where it was") as caught:
        go_on(task)
    assert caught.value.code is Code.OBJECT_LOST


@pytest.mark.parametrize("rule", ["G(!open(storage))", "(!open(storage) U on(mug, table))"])
def test_nothing_is_opened_that_the_task_forbids(rule: str) -> None:
    robot = Robot(TABLE, chest("storage", 2.0), chest("pantry", 8.0), hidden={})
    task = lost(robot, f"{BRING} & {rule}")
    assert go_on(task) == ["open_lid pantry"]
    with pytest.raises(SaySoError) as caught:
        go_on(task)
    assert caught.value.code is Code.OBJECT_LOST


def test_what_is_to_be_done_besides_waits_until_it_is_found() -> None:
    task = lost(Robot(TABLE, chest("storage", 2.0), hidden=IN_STORAGE), f"{BRING} & F(near(table))")
    assert go_on(task) == ["open_lid storage"]
    assert go_on(task) == ["pick mug", "put_on table"]


def test_a_chest_is_not_opened_for_what_does_not_fit_in_nor_for_who_lives() -> None:
    for known in (JUG, replace(MUG, name="jug", living=True)):
        task = lost(Robot(TABLE, chest("storage", 2.0), hidden={}), "F(near(jug))", known)
        with pytest.raises(SaySoError) as caught:
            go_on(task)
        assert caught.value.code is Code.OBJECT_LOST


def test_a_door_is_opened_and_what_is_behind_it_looked_at() -> None:
    behind = replace(MUG, position=(8.0, 3.0, 0.05))
    robot = Robot(TABLE, door(), hidden={})
    task = lost(robot)
    assert go_on(task) == ["open door"]
    looked = robot.looked
    robot.drive, drive = None, robot.drive

    def through(motion, *rest) -> None:
        drive(motion, *rest)
        if robot.base.position[0] > 6.0:
            robot.things["mug"] = behind

    robot.drive = through
    assert go_on(task)[0] == "pick mug"
    assert robot.looked > looked


def test_no_door_is_opened_that_leads_nowhere_new() -> None:
    """The robot has looked around on both sides of it: there is no wall beside it."""
    robot = Robot(TABLE, door(), hidden={})
    robot.walled = False
    with pytest.raises(SaySoError) as caught:
        go_on(lost(robot))
    assert caught.value.code is Code.OBJECT_LOST
    assert not any(text.startswith("open") for text in robot.done)
