"""What the mobile skills check before, while and after they drive; no physics."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.scene import SceneObject
from sayso.planning.navigation.base_motion import drive
from sayso.skills.arm import Arm
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.mobile import MobileWork
from sayso.skills.mobile_settings import DEFAULT_MOBILE, MobileRobot, Reach
from sayso.skills.skill import Route
from sayso.skills.walls import with_walls
from support.flats import go, pick, put
from support.leading import Leading
from support.still_arm import StillKinematics
from support.still_base import StillBase

CAPABILITIES = frozenset({"base", "arm", "hand", "devices"})
STOWED = tuple(float(q) for q in StillKinematics.home)
ROBOT = MobileRobot(
    Pose((0.2, 0.0, 0.3)), (1.1, 0.5), (STOWED,), (STOWED,), Reach(0.333, 0.21, 0.22, 0.82)
)
SOFA = SceneObject("sofa", "sofa", "blue", (3.0, 0.0, 0.4), (0.9, 1.8, 0.8))
MUG = SceneObject("mug", "mug", "white", (3.0, 0.0, 0.5), (0.07, 0.07, 0.1))
PATH = np.array([[0.0, 0.0], [0.7, 0.0], [1.4, 0.0], [1.8, 0.0]])


class NoWay:
    def way(self, start, goals, yaws=None):
        return None

    def fits(self, places, yaws):
        return np.ones(len(places), bool)

    def walls(self, place, reach_m):
        return np.zeros((0, 4))


class World(StillBase):
    """A base among things that stay where they are."""

    def __init__(self, *objects: SceneObject) -> None:
        super().__init__()
        self.objects = objects

    def scene(self):
        return replace(super().scene(), objects=self.objects)


def executor(world, navigator=None):
    gate = MotionGate(
        world, StillKinematics(), base=world, drive_limits=ROBOT.drive_limits(), mount=ROBOT.mount
    )
    gate.authorise(())
    library = load(builtin_path("flat"))
    skills = partial(registry.create, "mobile_skill")
    arm = Arm(StillKinematics(), None, gate, world, DEFAULT_MOBILE.arm)
    work = MobileWork(arm, ROBOT, drive, navigator=navigator, capabilities=CAPABILITIES)
    return SkillExecutor(work, library, skills)


def failed(world, action, path=None, **options) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        executor(world).execute(action, route=Route(NoWay(), path), **options)
    return error.value


def test_going_ends_near_what_was_named_without_resting_on_the_way():
    world = World(SOFA)
    said = []
    begun_s = world.now_s()
    checks = executor(world).execute(go("sofa"), route=Route(NoWay(), PATH), phase=said.append)
    assert [(str(c.literal), c.observed) for c in checks] == [("near(sofa)", True)]
    assert "drive" in said
    assert np.allclose(world.place[:2], PATH[-1], atol=0.03)
    assert world.now_s() - begun_s < drive(PATH[[0, -1]], 0.0).duration_s + 2.0


def test_a_drive_that_ends_elsewhere_is_no_success():
    error = failed(World(SOFA), go("sofa"), PATH[:2])
    assert error.code is Code.POSTCONDITION and "near(sofa)" in error.message


@pytest.mark.parametrize(
    ("action", "options", "code"),
    [
        (replace(go("sofa"), skill="dance"), {}, "UNSUPPORTED"),
        (go("sofa"), {}, "INVALID"),
        (pick("ghost"), {}, "OBJECT_LOST"),
        (pick("mug"), {"avoid": frozenset({"mug"})}, "VETO"),
        (put("mug", "sofa"), {}, "PRECONDITION"),
    ],
)
def test_what_cannot_be_done_moves_nothing(action, options, code):
    world = World(SOFA, MUG)
    assert failed(world, action, **options).code.name == code
    assert not {"drive", "stream", "grip"} & set(world.log)


def test_preconditions_are_told_before_anything_moves():
    world = World(SOFA, replace(MUG, carried=True))
    told = []
    error = failed(world, pick("mug"), started=told.append)
    assert error.code is Code.PRECONDITION
    assert [(str(c.literal), c.observed) for c in told[0]] == [
        ("graspable(mug)", True),
        ("hand_empty()", False),
        ("in_the_open(mug)", True),
    ]


class Walled(NoWay):
    """A wall at x = 2.2 m."""

    def walls(self, place, reach_m):
        return np.array([[2.2, -1.8, 2.3, 1.8]])


def test_walls_are_things_to_the_arm_but_not_where_it_reaches():
    scene, points = World(MUG).scene(), np.array([MUG.position[:2]])
    (wall,) = set(with_walls(scene, Walled(), points).objects) - {MUG}
    assert wall.size[2] > 2 and wall.position[0] == pytest.approx(2.25)
    on_it = np.array([[2.25, 0.0]])  # what something stands on is no wall
    assert with_walls(scene, Walled(), on_it).objects == (MUG,)


def led(world, *, free=True, path=PATH, navigator=None, **options):
    """What leads it, and what became of the errand."""
    leading = navigator or Leading(lambda: world.pose)
    work = executor(world, leading)
    checks = work.execute(go("sofa"), route=Route(NoWay(), path, free), **options)
    return leading, checks


def test_a_navigator_leads_where_it_may_and_the_rest_is_driven():
    world, said = World(SOFA), []
    leading, checks = led(world, phase=said.append)
    assert [c.observed for c in checks] == [True]
    (goal,) = leading.goals
    assert goal.position == (1.8, 0.0, 0.0)
    assert np.allclose(world.place[:2], PATH[-1], atol=0.06)
    assert "drive, led by the navigator" in said


@pytest.mark.parametrize("options", [{"free": False}, {"path": PATH[-2:] - (0.9, 0.0)}])
def test_a_navigator_is_not_asked_where_it_may_not_lead_or_it_is_not_worth_it(options):
    world, leading = World(SOFA), None
    world.place[:2] = PATH[0] if "free" in options else options["path"][0]
    leading = Leading(lambda: world.pose)
    with suppress(SaySoError):  # the short way ends elsewhere
        led(world, navigator=leading, **options)
    assert not leading.goals
    assert "drive" in world.log


def test_that_a_navigator_says_it_is_there_does_not_count():
    world = World(SOFA)
    leading = Leading(lambda: world.pose)
    leading.over = True
    with pytest.raises(SaySoError) as error:
        led(world, navigator=leading)
    assert error.value.code is Code.EXECUTION and "1.80 m off" in error.value.message
    assert "drive" not in world.log


def test_the_arm_is_folded_before_a_navigator_leads():
    world = World(SOFA)
    world._position = world._position + 0.1
    with pytest.raises(AttributeError):  # no planner: it would fold the arm
        led(world)
    assert "drive" not in world.log
