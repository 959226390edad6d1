"""Where the mobile robot takes hold of things, stands, and puts them down."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, rotation_matrix
from sayso.core.library import builtin_path, load
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.vocabulary import NO_WORDS
from sayso.robots.loading import load_robot
from sayso.skills import mobile_handling
from sayso.skills.approach import Approach, Errand
from sayso.skills.boxes import in_frame, upright_box
from sayso.skills.carry_grasps import carry_grasps
from sayso.skills.handling import Held, Task, pick
from sayso.skills.looking import look_until_told, standing
from sayso.skills.mobile_handling import Pick, Release
from sayso.skills.mobile_settings import DEFAULT_MOBILE
from sayso.skills.poses import upright
from sayso.skills.stands import stands_around
from sayso.skills.surfaces import spots, tilted
from sayso.skills.surroundings import columns, encloses, relief

FLOOR = -0.36
TURNED = upright((0, 0, 0), 0.3).orientation
LYING = (0.0, 0.7071068, 0.0, 0.7071068)
"""About y by 90 degrees: its x axis points down."""
WORDS = load(builtin_path("flat")).vocabulary
MOBILE_PANDA = load_robot("mobile_panda").mobile_robot()


def thing(size, bottom=FLOOR, orientation=TURNED, category="can"):
    return SceneObject(
        "thing", category, "red", (0.5, 0.1, bottom + size[2] / 2), size, orientation
    )


def sofa_points():
    """The tops of a sofa at the origin that faces +x: a seat and a back behind it."""
    x, y = (
        v.ravel() for v in np.meshgrid(np.linspace(-0.44, 0.44, 40), np.linspace(-0.88, 0.88, 60))
    )
    return np.column_stack([x, y, np.where(x < -0.23, 0.80, 0.44)]).astype(np.float32)


SOFA = SceneObject("sofa", "sofa", "blue", (0.0, 0.0, 0.4), (0.9, 1.8, 0.8), points=sofa_points())
TABLE = SceneObject("table", "table", "brown", (0.0, 0.0, 0.36), (0.8, 1.2, 0.72))
HELD = Held("thing", Pose(), (0.064, 0.064, 0.12), 0.064)


@pytest.mark.parametrize("size", [(0.07, 0.07, 0.095), (0.064, 0.064, 0.2), (0.15, 0.04, 0.2)])
def test_things_are_taken_near_their_top_across_their_narrow_side(size):
    obj = thing(size)
    found = carry_grasps(obj, DEFAULT_MOBILE)
    first = found[0].tool
    assert np.allclose(rotation_matrix(first.orientation)[:, 2], (0, 0, -1), atol=1e-6)
    top = upright_box(obj).high
    for grasp in found:
        assert 0.01 < top - grasp.tool.position[2] < 0.075
        closing = rotation_matrix(grasp.tool.orientation)[:, 1]
        if size[0] > size[1]:
            across = rotation_matrix(obj.orientation)[:, 1]
            assert abs(closing @ across) == pytest.approx(1.0, abs=1e-6)


def test_slanted_grasps_lean_away_from_the_robot():
    for grasp in carry_grasps(thing((0.06, 0.06, 0.1)), DEFAULT_MOBILE):
        approach = rotation_matrix(grasp.tool.orientation)[:, 2]
        assert approach[:2] @ np.array([0.5, 0.1]) >= -1e-9


def test_a_long_thing_is_taken_by_its_nearer_end_from_the_side():
    long = thing((0.15, 0.04, 0.2), orientation=upright((0, 0, 0), 0.2).orientation)
    slanted = [g for g in carry_grasps(long, DEFAULT_MOBILE) if g.rank >= 3]
    assert slanted
    for grasp in slanted:
        assert np.hypot(*grasp.tool.position[:2]) < np.hypot(0.5, 0.1) - 0.02


def test_a_thing_is_taken_as_it_stands_whichever_of_its_axes_is_upright():
    bottle = thing((0.2, 0.064, 0.064), orientation=LYING)
    box = upright_box(bottle)
    assert sorted(np.round(box.size, 6)) == [0.064, 0.064, 0.2] and box.size[2] == pytest.approx(
        0.2
    )


def test_what_is_too_wide_is_refused():
    with pytest.raises(SaySoError, match="too wide"):
        carry_grasps(thing((0.3, 0.2, 0.2)), DEFAULT_MOBILE)


def test_a_sofa_is_a_seat_and_a_back_to_the_arm():
    boxes = list(columns(SOFA, [], WORDS))
    over_seat = [o for o in boxes if o.pose.position[0] > 0]
    tops = {round(o.pose.position[2] + o.size[2] / 2, 2) for o in boxes}
    assert tops == {0.44, 0.8} and len(boxes) < 8
    assert all(o.pose.position[2] + o.size[2] / 2 == pytest.approx(0.44) for o in over_seat)


def test_unseen_furniture_is_no_higher_than_what_stands_in_it():
    bare = SceneObject("sofa", "sofa", "blue", (0, 0, 0.4), (0.9, 1.8, 0.8))
    inside = SceneObject("toy", "toy", "red", (0.1, 0.2, 0.525), (0.1, 0.1, 0.17))
    (slab,) = columns(bare, [inside], WORDS)
    assert slab.size[2] == pytest.approx(0.44)
    (full,) = columns(bare, [], WORDS)
    assert full.size[2] == pytest.approx(0.8)


def test_spots_are_level_and_free():
    cup = SceneObject("cup", "mug", "white", (0.1, 0.3, 0.49), (0.08, 0.08, 0.1))
    inner, on, _ = spots(HELD, 0.0, SOFA, Scene(0.0, (SOFA, cup)), DEFAULT_MOBILE, WORDS)
    assert inner and {p.position for p in inner} < {p.position for p in on}
    for pose in on:
        x, y, z = pose.position
        assert z - 0.06 == pytest.approx(0.44 + DEFAULT_MOBILE.arm.release_gap_m, abs=0.01)
        assert x > -0.2 and np.hypot(x - 0.1, y - 0.3) > 0.08


def test_things_are_dropped_through_openings_and_put_beside_what_has_no_room():
    bin_ = SceneObject("bin", "trash_bin", "grey", (0, 0, 0.225), (0.35, 0.35, 0.45))
    (over,) = spots(HELD, 0.0, bin_, Scene(0.0, (bin_,)), DEFAULT_MOBILE, WORDS)
    assert all(np.abs(p.position[:2]).max() < 0.1 and p.position[2] > 0.45 for p in over)
    full = SceneObject("tray", "tray", "red", (0, 0, 0.73), (0.8, 1.2, 0.02))
    inner, on, beside = spots(HELD, 0.0, TABLE, Scene(0.0, (TABLE, full)), DEFAULT_MOBILE, WORDS)
    assert not inner and not on
    gaps = upright_box(TABLE).gaps(np.array([p.position[:2] for p in beside]))
    assert gaps.min() > 0.1 and gaps.max() < 0.3


def test_what_is_open_above_is_what_a_library_says():
    """Of a library that says nothing of it, nothing is, but for what has a lid."""
    bin_ = SceneObject("bin", "trash_bin", "grey", (0, 0, 0.225), (0.35, 0.35, 0.45))
    cup = replace(bin_, category="bowl", size=(0.1, 0.1, 0.05))
    lidded = replace(TABLE, attributes={"lid_share": 1.0})
    assert encloses(bin_, WORDS) and not encloses(TABLE, WORDS) and not encloses(cup, WORDS)
    assert not encloses(bin_, NO_WORDS) and encloses(lidded, NO_WORDS)


def test_where_there_is_room_things_are_put_down_well_away_from_edges():
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(-0.4, 0.4, 40), np.linspace(-0.6, 0.6, 60)))
    top = np.column_stack([x, y, np.full(len(x), 0.72)]).astype(np.float32)
    seen = replace(TABLE, points=top)
    inner, on, _ = spots(HELD, 0.0, seen, Scene(0.0, (seen,)), DEFAULT_MOBILE, WORDS)

    def edge_m(poses):
        return min(min(0.4 - abs(p.position[0]), 0.6 - abs(p.position[1])) for p in poses)

    assert edge_m(inner) > edge_m(on) + 0.03 > 0.1


@pytest.mark.parametrize(
    ("brings", "groups"), [({"on", "placed"}, [0, 1]), ({"placed"}, [0, 1, 2])]
)
def test_what_is_to_be_put_on_something_is_not_put_beside_it(brings, groups, monkeypatch):
    tried = []

    def put_at(self, errand, name, receptacle, group):
        tried.append(group)
        raise SaySoError(Code.UNREACHABLE, "too far")

    monkeypatch.setattr(Release, "_put_at", put_at)
    errand = SimpleNamespace(brings=frozenset(brings))
    with pytest.raises(SaySoError, match="too far"):
        Release(SimpleNamespace())._put(errand, "thing", "table")
    assert tried == groups


@pytest.mark.parametrize("seen", [True, False])
def test_what_was_put_down_and_not_seen_is_looked_at_from_above(seen, monkeypatch):
    scene = Scene(0.0, (replace(thing((0.1, 0.1, 0.1)), let_go=not seen),))
    senses = SimpleNamespace(now_s=lambda: 0.0, scene_after=lambda *_: scene)
    did = []
    approach = SimpleNamespace(
        begin=lambda: None, stow=lambda *_: did.append("stow"), leave=lambda *_: None
    )
    monkeypatch.setattr(Release, "_put", lambda *_: did.append("put"))
    monkeypatch.setattr(mobile_handling, "_look_at", lambda *_: did.append("look"))
    work = SimpleNamespace(approach=approach, senses=senses, settings=DEFAULT_MOBILE, held=HELD)
    errand = SimpleNamespace(phase=lambda _: None)
    Release(work).run(errand, ("thing", "table"))
    assert did == (["put", "stow"] if seen else ["put", "look", "stow"])


def test_the_robot_stands_clear_of_furniture_facing_the_thing_room_to_turn_first():
    point = np.array([0.3, 0.0])
    found = stands_around(point, Scene(0.0, (TABLE,)), MOBILE_PANDA, DEFAULT_MOBILE)
    assert [s.cramped for s in found] == sorted(s.cramped for s in found)
    assert {s.cramped for s in found} == {False, True}
    length, width = MOBILE_PANDA.footprint_m
    corners = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) * (length / 2, width / 2)
    for stand in found:
        c, s = np.cos(stand.yaw), np.sin(stand.yaw)
        placed = corners @ np.array([[c, s], [-s, c]]) + (stand.x, stand.y)
        assert upright_box(TABLE).gaps(placed).min() > 0.0
        ahead = point - (stand.x, stand.y)
        assert ahead @ (-s, c) == pytest.approx(0.0, abs=1e-9) and ahead @ (c, s) > 0


def test_a_scene_is_told_in_the_arms_frame():
    foot = upright((2.0, 1.0, 0.36), np.pi / 2)
    seen = in_frame(Scene(0.0, (SOFA,), frame="map"), foot)
    sofa = seen.by_name()["sofa"]
    assert sofa.position == pytest.approx((-1.0, 2.0, 0.04))
    assert seen.table_height_m == pytest.approx(-0.36)
    assert foot.transform(sofa.points.astype(float)) == pytest.approx(SOFA.points, abs=1e-5)


def test_what_leans_towards_the_robot_stays_as_high_and_foot_first() -> None:
    """A book, 20 cm tall, 0.5 m before the arm."""
    standing = upright((0.5, 0.0, 0.7), 0.0)
    leaning = tilted(standing, (0.15, 0.04, 0.2), 0.7)
    corners = np.array(
        [[x, y, z] for x in (-0.075, 0.075) for y in (-0.02, 0.02) for z in (-0.1, 0.1)]
    )
    assert leaning.transform(corners)[:, 2].min() == pytest.approx(0.6)
    foot, head = leaning.transform(np.array([[0.0, 0.0, -0.1], [0.0, 0.0, 0.1]]))
    assert foot[0] > head[0] + 0.1


def test_of_a_toy_that_leans_the_head_is_taken() -> None:
    """Its upright box is wider than the hand opens; its head, which was seen, is not."""
    rng = np.random.default_rng(0)
    ball = rng.standard_normal((400, 3))
    ball *= 0.036 / np.linalg.norm(ball, axis=1)[:, None]
    body = rng.uniform(-0.08, 0.08, (400, 3)) * (1, 1, 0.4) + (0.5, 0.0, FLOOR + 0.05)
    head = np.array([0.55, 0.03, FLOOR + 0.12])
    points = np.concatenate([body, ball + head]).astype(np.float32)
    size = (0.17, 0.16, 0.156)
    toy = SceneObject("toy", "toy", "", (0.5, 0.0, FLOOR + 0.078), size, points=points)
    best = carry_grasps(toy, DEFAULT_MOBILE)[0]
    assert np.allclose(best.tool.position[:2], head[:2], atol=0.01)
    with pytest.raises(SaySoError, match="too wide"):
        carry_grasps(replace(toy, points=np.zeros((0, 3), np.float32)), DEFAULT_MOBILE)


class Scenes:
    """Senses that tell a scene each 0.5 s; a thing is seen or gone from some time on."""

    def __init__(self, seen_s: float = np.inf, gone_s: float = np.inf) -> None:
        self.now, self._seen_s, self._gone_s = 10.0, seen_s, gone_s

    def now_s(self) -> float:
        return self.now

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        self.now = stamp_s + 0.5
        known = replace(thing((0.07, 0.07, 0.12)), last_seen_s=2.0)
        if self.now >= self._seen_s:
            known = replace(known, last_seen_s=self.now)
        return Scene(self.now, () if self.now >= self._gone_s else (known,))


@pytest.mark.parametrize(
    ("senses", "until_s"),
    [(Scenes(seen_s=11.5), 11.5), (Scenes(gone_s=12.0), 12.0), (Scenes(), 13.0)],
)
def test_the_hand_looks_until_it_is_told_whether_the_thing_is_there(senses, until_s) -> None:
    look_until_told(senses, "thing", DEFAULT_MOBILE)
    assert senses.now == until_s


def test_long_fingers_take_low_things_by_their_tips_and_never_meet_what_is_below():
    arm = replace(DEFAULT_MOBILE.arm, open_width_m=0.11, fingertip_m=0.05)
    long_fingers = replace(DEFAULT_MOBILE, arm=arm)
    low = thing((0.11, 0.09, 0.06))
    top, floor = low.position[2] + 0.03, low.position[2] - 0.03
    upright = [g.tool.position[2] for g in carry_grasps(low, long_fingers) if g.rank == 0]
    assert upright and all(floor < z - 0.05 < top - 0.012 for z in upright)
    with pytest.raises(SaySoError, match="too low"):
        carry_grasps(thing((0.10, 0.08, 0.02)), long_fingers)
    with pytest.raises(SaySoError, match="too wide"):
        carry_grasps(thing((0.30, 0.28, 0.2)), long_fingers)


def test_what_is_seen_from_above_alone_reaches_down_to_what_it_stands_on():
    """Of a packet 9 cm high, the camera above it saw the upper 2 cm."""
    table = SceneObject("table", "table", "", (0.5, 0.0, 0.35), (0.6, 1.2, 0.7))
    seen = SceneObject("packet", "packet", "", (0.5, 0.0, 0.78), (0.06, 0.11, 0.02))
    for things, low in (
        ((table, seen), 0.70),
        ((seen,), 0.77),
        ((replace(table, position=(0.5, 2.0, 0.35)), seen), 0.77),  # not below it
        ((replace(table, position=(0.5, 0.0, 0.1)), seen), 0.77),  # far below: it leans, or hangs
    ):
        box = upright_box(standing(Scene(0.0, things), "packet", WORDS).by_name()["packet"])
        assert box.low == pytest.approx(low) and box.high == pytest.approx(0.79)
    (grasp, *_) = carry_grasps(
        standing(Scene(0.0, (table, seen)), "packet", WORDS).by_name()["packet"], DEFAULT_MOBILE
    )
    assert grasp.tool.position[2] < 0.77


def chest(seen_to=np.inf):
    """A chest at (0.5, 0) with its lid open, of whose inside only y < `seen_to` was seen."""
    x, y = (
        v.ravel() for v in np.meshgrid(np.linspace(-0.22, 0.22, 40), np.linspace(-0.34, 0.34, 60))
    )
    rim = (np.abs(x) > 0.2) | (np.abs(y) > 0.32)
    points = np.column_stack([x + 0.5, y, np.where(rim, 0.5, 0.12)])[rim | (y < seen_to)]
    return SceneObject(
        "chest", "chest", "", (0.5, 0.0, 0.25), (0.45, 0.7, 0.5),
        attributes={"lid_share": 1.0}, points=points.astype(np.float32),
    )  # fmt: skip


def test_what_is_seen_in_a_chest_reaches_down_to_the_floor_that_was_seen_there():
    """Its rim is higher than the packet; nobody knows of its walls' and floor's thickness."""
    seen = SceneObject("packet", "packet", "", (0.5, 0.1, 0.195), (0.06, 0.11, 0.03))
    box = upright_box(standing(Scene(0.0, (chest(), seen)), "packet", WORDS).by_name()["packet"])
    assert box.low == pytest.approx(0.12) and box.high == pytest.approx(0.21)


def test_the_inside_of_a_chest_that_its_rim_hides_is_like_what_was_seen_of_it():
    for seen_to, inside in ((np.inf, 0.12), (-0.1, 0.12), (-1.0, 0.5)):
        heights = relief(chest(seen_to), WORDS).heights
        assert heights[1:-1, 1:-1] == pytest.approx(inside)
        assert all(row == pytest.approx(0.5) for row in (heights[0], heights[:, 0], heights[-1]))


def test_what_is_seen_narrow_is_taken_all_the_same():
    """Of a jug 6 cm across that stands in a chest, 4 x 3 cm."""
    assert carry_grasps(thing((0.038, 0.03, 0.2)), DEFAULT_MOBILE)[0].rank == 0


@pytest.mark.parametrize(("width", "middle"), [(0.03, 0.0), (0.06, 0.009), (0.09, 0.024)])
def test_a_jaw_that_does_not_move_comes_down_beside_the_thing(width, middle):
    arm = replace(DEFAULT_MOBILE.arm, open_width_m=0.11, fingertip_m=0.05, jaw_m=0.036)
    obj = thing((width, 0.12, 0.1))
    for grasp in carry_grasps(obj, replace(DEFAULT_MOBILE, arm=arm)):
        x, y, _ = grasp.tool.inverse().transform(np.array([obj.position]))[0]
        if grasp.rank == 0:
            assert y - grasp.gap_m == pytest.approx(width / 2 - 0.036)  # at the jaw, once it is up
            assert (abs(x), y) == (pytest.approx(0.0, abs=1e-9), pytest.approx(middle, abs=1e-9))
        assert y == pytest.approx(middle, abs=1e-9) or y > middle  # across its length


@pytest.mark.parametrize("name", ["mobile_panda", "spot"])
def test_there_are_places_before_what_rolled_back_on_a_table(name):
    """48 cm from its front edge; the other sides of the table have no room."""
    robot = load_robot(name)
    table = SceneObject("table", "table", "brown", (0.0, 0.0, 0.36), (0.8, 1.2, 0.72))
    sides = tuple(
        SceneObject(side, "cabinet", "", (x, y, 0.5), (0.8, 3.0, 1.0))
        for side, x, y in (("left", 0.0, 2.15), ("right", 0.0, -2.15), ("behind", 0.85, 0.0))
    )
    shape, settings = robot.mobile_robot(), robot.mobile_settings()
    point = np.array([0.08, 0.0])
    found = stands_around(point, Scene(0.0, (table, *sides)), shape, settings)
    feet = [s.pose @ shape.mount for s in found]
    far = [float(np.linalg.norm(point - foot.position[:2])) for foot in feet]
    assert far and min(far) < shape.reach.most_m + shape.reach.wrist_m - 0.05


class TracedArm:
    """An arm whose joints are where its tool is; `blocked` says what a way meets."""

    settings = replace(DEFAULT_MOBILE.arm, open_width_m=0.11, fingertip_m=0.05, jaw_m=0.036)

    def __init__(self, blocked=lambda path: None) -> None:
        self.at, self.log = np.array([0.3, 0.0, 0.6]), []
        self.planner = SimpleNamespace(blocked=lambda path, *_, **__: blocked(path))
        robot = RobotState(gripper_width_m=0.11, gripper_max_width_m=0.11)
        self.senses = SimpleNamespace(robot=lambda: robot)

    def joints(self):
        return self.at

    def way_out(self, target, away):
        return np.array([target.position, np.asarray(target.position) + away])

    def line(self, start, target):
        return np.array([start, target.position])

    def go(self, goal, *_):
        self.at = goal

    def follow(self, path):
        self.at = path[-1]
        self.log.append(path[-1])

    def grip(self, width_m):
        self.log.append("grip")
        return 0.05


@pytest.mark.parametrize("room", [True, False])
def test_a_jaw_that_does_not_move_is_brought_up_to_the_thing_before_the_other_closes(room):
    """What the other one pushes over to it tips: it is held by an edge, and turns and slips."""
    obj = thing((0.064, 0.064, 0.12), bottom=0.3)
    (grasp, *_) = carry_grasps(obj, replace(DEFAULT_MOBILE, arm=TracedArm.settings))
    down = np.asarray(grasp.tool.position)

    def blocked(path) -> str | None:
        return None if room or abs(path[0][2] - path[-1][2]) > 0.01 else "wall"

    arm = TracedArm(blocked)
    held = pick(Task(arm, Scene(0.0, (obj,))), "thing", None, [grasp])
    reached, *over, closed, lifted = arm.log
    assert reached == pytest.approx(down) and closed == "grip"
    side = rotation_matrix(grasp.tool.orientation)[:, 1]
    shift = side * (grasp.gap_m - 0.003) if room else np.zeros(3)
    assert [p == pytest.approx(down + shift) for p in over] == [True] * room
    assert lifted == pytest.approx(down + shift + (0, 0, arm.settings.approach_m))
    assert held.offset.position[1] == pytest.approx(0.032 - 0.036)


def test_what_slipped_is_looked_for_before_the_hand_reaches_for_it_again(monkeypatch):
    """As it fell, it was last seen in the air; the arm may hide where it came to lie."""
    did = []

    class Slippery(Pick):
        def _take(self, errand, name) -> None:
            did.append("take")
            if did.count("take") == 1:
                raise SaySoError(Code.EXECUTION, "it slipped out of the hand.")

    monkeypatch.setattr(mobile_handling, "look_until_told", lambda *_: did.append("look"))
    approach = SimpleNamespace(
        begin=lambda: None,
        stow=lambda errand, held: did.append("fold"),
        leave=lambda errand, held: None,
    )
    work = SimpleNamespace(approach=approach, held=None, senses=None, settings=DEFAULT_MOBILE)
    Slippery(work).run(None, ("thing",))
    assert did == ["take", "fold", "look", "take", "fold"]


def test_an_arm_that_folds_keeps_off_walls_that_nobody_named():
    met = []
    arm = SimpleNamespace(
        joints=lambda: np.zeros(7),
        settings=DEFAULT_MOBILE.arm,
        go=lambda goal, obstacles, held: met.extend(o.name for o in obstacles),
    )
    senses = SimpleNamespace(
        scene=lambda: Scene(0.0, ()),
        robot=lambda: RobotState(base=Pose()),
        wait=lambda _: None,
    )
    ways = SimpleNamespace(walls=lambda place, reach_m: np.array([[0.7, -1.0, 0.75, 1.0]]))
    approach = Approach(MOBILE_PANDA, None, senses, None, DEFAULT_MOBILE)
    approach.stow(Errand(arm, ways), None)
    assert "wall 1" in met
