"""Care for what moves: what the laser shows that nothing explains, and stepping back."""

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
from sayso.core.symbols import Action
from sayso.logic.formula import Always, Not, Prop
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.mission.forecast import Coming
from sayso.mission.laser_obstacles import Sweep, as_met, blocking, sweep_of, unknown_obstacles
from sayso.mission.obstacle_watch import ObstacleWatch, with_obstacles
from sayso.mission.retreat import Sidestep, step_away
from sayso.mission.tour_execution import PersonChannel, TourExecution
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.skills.conditions import Request
from sayso.skills.driving import StraightState

CAT = SceneObject("cat", "cat", "", (8.0, 1.0, 0.15), (0.5, 0.2, 0.3), last_seen_s=0.0, living=True)
SOFA = SceneObject("sofa", "sofa", "", (3.0, 4.0, 0.4), (0.9, 1.8, 0.8))
LIMB = np.array([[0.0, 0.0], [0.03, 0.02], [0.05, 0.05], [0.02, 0.06]])


def limb(x: float, y: float) -> np.ndarray:
    """Returns of something small."""
    return LIMB + np.array([x, y])


def floor() -> OccupancyGrid:
    """10 m by 6 m with walls around."""
    cells = np.full((120, 200), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    return OccupancyGrid(cells)


class Robot:
    """Senses that stand still at a time."""

    senses = gate = property(lambda self: self)
    footprint_m = (1.10, 0.50)

    def __init__(self, *returns, age_s: float = 0.0, cat: SceneObject | None = CAT) -> None:
        self.meet(*returns, at_s=10.0 - age_s)
        self.things = (SOFA,) if cat is None else (SOFA, cat)

    def meet(self, *returns, at_s: float) -> None:
        points = np.vstack(returns) if returns else np.zeros((0, 2))
        self.swept = Sweep(at_s, Pose((3.0, 2.0, 0.0)), points, self.footprint_m)

    def scene(self):
        return Scene(10.0, self.things, at(3.0), frame="map")

    def robot(self):
        return at(3.0)

    def now_s(self):
        return 10.0

    def grid(self):
        return floor()

    def sweep(self):
        return self.swept


def at(x: float) -> RobotState:
    return RobotState(base=Pose((x, 2.0, 0.0)))


def refused(robot, here: float, rest: float, **how) -> dict[str, Code]:
    request = Request("drive", at(here), at(rest))
    conditions = ObstacleWatch(robot, ["cat"]).conditions(**how)
    return {c.name: c.code for c in conditions if c.check(request) is not None}


def test_beams_that_met_nothing_are_left_out():
    sweep = sweep_of(
        1.0,
        Pose(),
        Pose((1.0, 0.0, 0.2)),
        np.array([0.0, np.pi / 2]),
        np.array([2.0, np.inf]),
        (1.10, 0.50),
    )
    assert np.allclose(sweep.points, [[3.0, 0.0]])


def test_something_unknown_stops_until_it_was_looked_at():
    robot = Robot(limb(3.2, 1.0))
    assert refused(robot, 3.0, 3.4) == {"nothing unknown near": Code.VETO}
    assert refused(robot, 3.0, 3.0) == {}, "it may turn to look"
    watch = ObstacleWatch(robot, ["cat"])
    watch.looked_at(watch.met()[0])
    assert not watch.met()


def told(watch: ObstacleWatch, name: str = "cat") -> tuple[str, ...]:
    return watch.possible_violations.in_english([name])


def test_what_came_near_and_was_not_seen_is_told_as_near_as_it_came():
    robot = Robot(limb(3.2, 0.8))
    watch = ObstacleWatch(robot, ["cat"])
    assert watch.met() and not told(watch), "1.2 m are not near"
    for y in (1.1, 1.3, 1.2):
        robot.meet(limb(3.2, y), at_s=10.0 + y)
        watch.met()
    (doubt,) = told(watch)
    assert "maybe the cat, was 0.68 m from the middle of the robot, at (3.2, 1.3)" in doubt
    assert not told(watch, "dog")
    robot.meet(at_s=12.0)
    watch.met()
    assert told(watch), "it went without being seen"


def test_nothing_is_in_doubt_where_it_was_looked_at_or_seen_to_be_something_else():
    robot = Robot(limb(3.2, 1.3))
    watch = ObstacleWatch(robot, ["cat"])
    watch.looked_at(watch.met()[0])
    assert not told(watch)
    watch = ObstacleWatch(robot, ["cat"])
    watch.met()
    person = replace(CAT, name="person", category="person", position=(3.2, 1.4, 0.8))
    for name, seen_s, doubted in (("cat", 11.0, 1), ("person", 9.0, 1), ("person", 11.0, 0)):
        robot.things = (SOFA, CAT, replace(person, name=name, last_seen_s=seen_s))
        robot.meet(at_s=10.0 + seen_s)
        watch.met()
        assert len(told(watch)) == doubted


def watched(formula):
    return Monitor(Progression.of(formula))


def test_what_may_only_not_be_touched_may_come_near():
    robot = Robot(limb(3.2, 1.3))
    library = load(builtin_path("flat"))
    for predicate, doubts in (("near", 1), ("touching", 0)):
        never = watched(Always(Not(Prop(predicate, ("cat",)))))
        execution = TourExecution(robot, never, library, lambda *_: None, lambda: ())
        execution.obstacle_watch.met()
        assert len(execution.possible_violations()) == doubts


def test_what_is_left_behind_is_no_reason_to_stay():
    robot = Robot(limb(2.2, 2.0))
    assert refused(robot, 3.0, 3.4, leaving=True) == {}
    assert refused(robot, 3.0, 2.8, leaving=True) == {"nothing unknown near": Code.VETO}


@pytest.mark.parametrize(
    "cat",
    [
        replace(CAT, last_seen_s=9.8),
        replace(CAT, position=(3.25, 1.0, 0.15)),
        replace(CAT, position=(3.75, 1.0, 0.15), last_seen_s=9.5),
        replace(CAT, carried=True),
    ],
)
def test_nothing_is_unknown_while_what_is_avoided_is_seen_or_explains_it(cat):
    assert refused(Robot(limb(3.2, 1.0), cat=cat), 3.0, 3.4) == {}


def test_what_went_out_of_sight_may_have_gone_on():
    long_ago = replace(CAT, position=(3.75, 1.0, 0.15), last_seen_s=2.0)
    assert refused(Robot(limb(3.2, 1.0), cat=long_ago), 3.0, 3.4)


def swept(velocity, until_s: float = 0.4) -> tuple[Robot, ObstacleWatch]:
    """A robot whose laser met something moving, 1.7 m before it in the end."""
    robot = Robot()
    watch = ObstacleWatch(robot, ["cat"])
    for t in np.arange(-until_s, 1e-6, 0.1):
        dx, dy = t * np.asarray(velocity)
        robot.meet(limb(4.7 + dx, 2.0 + dy), at_s=10.0 + t)
        watch.met()
    return robot, watch


@pytest.mark.parametrize("velocity", [(-0.4, 0.0), (0.3, 0.3), (0.0, 0.0)])
def test_how_what_is_met_moves_is_told_from_sweep_to_sweep(velocity):
    _, watch = swept(velocity)
    assert watch.velocity(watch.met()[0]) == pytest.approx(velocity, abs=0.02)


def test_what_was_only_just_met_may_move_in_any_way():
    _, watch = swept((0.4, 0.0), 0.1)
    assert watch.velocity(watch.met()[0]) is None


def test_what_goes_off_from_where_it_was_seen_last_is_told_at_once():
    robot, watch = swept((0.0, 0.0))
    robot.things = (SOFA, replace(CAT, position=(4.75, 2.0, 0.15), last_seen_s=2.0))
    robot.meet(limb(4.7, 2.0), at_s=10.05)
    assert not watch.met(), "it stands where it was"
    for t in (0.1, 0.2, 0.3):
        robot.meet(limb(4.7 - 0.4 * t, 2.0), at_s=10.05 + t)
        watch.met()
    assert len(watch.met()) == 1


def test_what_joins_something_else_is_not_taken_to_have_jumped():
    robot, watch = swept((0.0, 0.0))
    robot.meet(limb(4.7, 2.0), limb(4.55, 2.2), limb(4.4, 2.3), at_s=10.1)
    assert watch.velocity(watch.met()[0]) is None


def test_what_comes_stops_the_robot_from_farther_away_and_while_it_turns():
    def stops(velocity, rest: float, **how) -> bool:
        _, watch = swept(velocity)
        request = Request("drive", at(3.0), at(rest))
        return any(c.check(request) for c in watch.conditions(**how))

    assert stops((-0.4, 0.0), 3.0)
    assert not stops((-0.4, 0.0), 3.0, leaving=True)
    assert not stops((0.0, -0.4), 3.0)
    assert not stops((0.0, 0.0), 3.2)


def test_what_is_too_wide_is_not_what_is_avoided():
    wide = np.column_stack([np.linspace(2.4, 3.6, 20), np.full(20, 1.0)])
    assert refused(Robot(wide), 3.0, 3.4) == {}


def test_the_low_hand_and_its_load_are_no_strangers():
    class Reaching(Robot):
        def robot(self):
            return replace(at(3.0), gripper=Pose((3.7, 2.0, 0.3)))

    load = SceneObject("book", "book", "", (3.7, 2.0, 0.25), (0.2, 0.04, 0.15), carried=True)
    robot = Reaching(limb(3.85, 1.9), limb(3.65, 2.05))
    robot.things += (load,)
    assert not ObstacleWatch(robot, ["cat"]).met()
    robot.meet(limb(3.65, 2.05), limb(4.1, 2.1), at_s=10.0)
    assert len(ObstacleWatch(robot, ["cat"]).met()) == 1, "what comes to the hand is met"


def test_what_was_never_seen_may_be_anything_small():
    assert refused(Robot(limb(3.2, 1.0), cat=None), 3.0, 3.4)


def test_an_old_sweep_lets_nothing_drive():
    assert refused(Robot(age_s=1.0), 3.0, 3.4) == {"fresh laser": Code.STALE}


def test_the_base_does_not_drive_into_what_the_laser_meets():
    robot = Robot(limb(3.7, 2.0), cat=replace(CAT, last_seen_s=10.0))
    assert refused(robot, 3.0, 3.2) == {"room by the laser": Code.EXECUTION}
    assert refused(robot, 3.0, 2.8) == {}
    sweep = robot.sweep()
    assert len(blocking(sweep, Pose((3.4, 2.0, 0.0)), Pose((3.5, 2.0, 0.0)))) == 0, "its own load"


def test_a_robot_without_a_laser_goes_by_its_cameras():
    class Blind(Robot):
        def sweep(self):
            return None

    assert refused(Blind(), 3.0, 3.4) == {}


def test_a_silent_laser_is_told():
    class Silent(Robot):
        def sweep(self):
            raise SaySoError(Code.STALE, "nothing came from the laser yet.")

    watch = ObstacleWatch(Silent(), ["cat"])
    reason = watch.conditions()[0].check(Request("drive", at(3.0), at(3.4)))
    assert reason == "nothing came from the laser yet"


def test_what_is_unknown_takes_its_room_on_the_floor():
    met = unknown_obstacles(Robot(limb(3.2, 1.0)).sweep(), floor(), ())
    grid = with_obstacles(floor(), met)
    assert grid.cells[grid.cell_at((3.2, 1.0))] == OCCUPIED


def test_who_is_met_nearer_than_seen_is_as_large_as_that():
    seen = replace(CAT, position=(4.0, 2.0, 0.15), last_seen_s=10.0)
    robot = Robot(limb(3.6, 2.0))
    x, y, z = as_met(seen, robot.sweep(), floor()).position
    size = as_met(seen, robot.sweep(), floor()).size
    assert (x - size[0] / 2, x + size[0] / 2) == pytest.approx((3.6, 4.25))
    assert (y, z, *size[1:]) == pytest.approx((2.0, 0.15, 0.2, 0.3))
    assert as_met(seen, Robot(limb(3.2, 2.0)).sweep(), floor()) == seen, "too far off to be it"
    assert as_met(seen, Robot(limb(3.85, 2.0)).sweep(), floor()).size == pytest.approx(seen.size)


class Armed(Robot):
    """A robot whose gate only notes what it is to ask."""

    gate = skills = property(lambda self: self)

    @contextmanager
    def authorised(self, conditions):
        self.asked = {c.name: c for c in conditions}
        yield

    def robot(self):
        return at(3.0)

    def execute(self, *_, **__):
        return ()


@pytest.mark.parametrize(("met_at", "keeps_off"), [(4.55, True), (4.75, False)])
def test_the_gate_keeps_off_somebody_by_where_the_laser_meets_them(met_at, keeps_off):
    seen = replace(CAT, position=(5.0, 2.0, 0.15), last_seen_s=10.0)
    robot = Armed(limb(met_at, 2.0), cat=seen)

    def would_violate(scene, state):
        x, y, _ = state.base.position
        return "near" if scene.by_name()["cat"].distance_to((x, y, 0.15)) < 1.0 else None

    library = load(builtin_path("flat"))
    never = watched(Always(Not(Prop("near", ("cat",)))))
    execution = TourExecution(robot, never, library, would_violate, lambda: ())
    nothing = frozenset()
    execution.execute(Action("pick", ("toy",), nothing, nothing, nothing), 0, lambda _: None)
    condition = robot.asked["keeps its distance"]
    request = Request("drive", at(3.0), at(3.6))
    assert (condition.check(request) is not None) is keeps_off
    robot.meet(limb(9.3 - met_at, 2.0), at_s=10.0)
    assert (condition.check(request) is None) is keeps_off, "it heeds the newest sweep"


class Resting(Robot):
    """A robot near a sofa, whose waiting is counted."""

    base_limits = BaseLimits()
    gate = property(lambda self: self)

    def __init__(self, stopped_after: int = 99) -> None:
        super().__init__(cat=None)
        self.things = (replace(SOFA, position=(3.0, 3.0, 0.4)),)
        self.waited, self._stopped_after = 0, stopped_after

    def wait(self, _: float) -> None:
        self.waited += 1

    def require_running(self) -> None:
        if self.waited >= self._stopped_after:
            raise SaySoError(Code.STOPPED, "the robot was stopped.")


@pytest.mark.parametrize(
    ("robot", "code", "says"),
    [(Resting(), Code.CANCELLED, "after 1 whole round"), (Resting(2), Code.STOPPED, "stopped")],
)
def test_a_patrol_that_rests_ends_when_it_is_told_to(robot, code, says):
    library = load(builtin_path("flat"))
    channel = PersonChannel(cancelled=lambda: robot.waited > 3)
    patrol = watched(parse("G(F(near(sofa)))", grounded=True))
    patrol.follow(symbolic_state(robot.scene(), library.predicates))
    execution = TourExecution(robot, patrol, library, lambda *_: None, lambda: (), channel)
    with pytest.raises(SaySoError, match=says) as caught:
        execution.plan(lambda *_: pytest.fail("nothing is to be planned"), frozenset())
    assert caught.value.code is code


COMING = Coming(Footprint.box(4.5, 2.0, 0.4, 0.4), np.array([-0.5, 0.0]))


def test_the_robot_steps_back_from_who_comes():
    end = step_away((3.0, 2.0), [COMING], lambda places: np.ones(len(places), bool))
    assert end is not None
    assert end[0] < 3.0
    assert np.hypot(end[0] - 4.5, end[1] - 2.0) > 1.5 + 0.5


def test_it_does_not_step_where_there_is_no_room_or_where_it_may_not():
    def beside_only(places):
        return places[:, 0] > 2.9

    end = step_away((3.0, 2.0), [COMING], beside_only)
    assert end is None or end[0] > 2.9
    assert step_away((3.0, 2.0), [COMING], lambda p: np.zeros(len(p), bool)) is None
    assert step_away((3.0, 2.0), [COMING], lambda p: np.ones(len(p), bool), lambda _: False) is None
    assert step_away((3.0, 2.0), [], lambda p: np.ones(len(p), bool)) is None


def test_a_short_step_away_from_who_stands_is_enough():
    stands = Coming(COMING.outline, np.zeros(2))
    end = step_away((3.2, 2.0), [stands], lambda places: np.ones(len(places), bool))
    assert end is not None
    assert np.hypot(end[0] - 3.2, end[1] - 2.0) == pytest.approx(0.4)
    assert end[0] < 3.2


@pytest.mark.parametrize("fastest_m_s", [0.5, 1.0])
@pytest.mark.parametrize("way_m", [0.2, 0.81, 2.4])
def test_a_sidesteps_speed_is_how_fast_its_way_grows(way_m, fastest_m_s):
    limits = BaseLimits(speed_m_s=fastest_m_s)
    step = Sidestep(StraightState(0.0, 0.0, 0.0), (way_m, 0.0), limits)
    times = np.linspace(0.0, step.duration_s, 401)
    states = [step.at(float(t)) for t in times]
    speeds = np.array([s.forward_m_s for s in states])
    assert np.gradient([s.x for s in states], times)[1:-1] == pytest.approx(speeds[1:-1], abs=0.01)
    assert states[-1].x == pytest.approx(way_m)
    assert speeds.max() <= 0.9 * fastest_m_s + 1e-9
    assert np.abs(np.diff(speeds) / np.diff(times)).max() <= 1.0 + 1e-6


def test_a_sidestep_goes_straight_and_rests_at_both_ends():
    step = Sidestep(StraightState(1.0, 1.0, np.pi / 2), (1.0, 0.2))
    start, middle, end = (step.at(t) for t in (0.0, step.duration_s / 2, step.duration_s))
    assert (start.forward_m_s, end.forward_m_s) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (middle.x, middle.y) == pytest.approx((1.0, 0.6))
    assert middle.forward_m_s < -0.5
    assert middle.left_m_s == pytest.approx(0.0, abs=1e-9)
    assert (end.x, end.y, end.yaw) == pytest.approx((1.0, 0.2, np.pi / 2))
