"""The flat kept up to date: what moves, goes, comes, walks or is carried keeps its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.geometry import Pose, Vector3
from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.perception.flat.live import LiveFlat
from sayso.perception.flat.settings import LookSettings
from support.flat_frames import cat, mug, remembered, seen, sofa, table, tour
from support.synthetic_frames import Solid

TABLE, MUG = table(3.0, 0.8), mug(2.9, 0.6)
FLAT = load(builtin_path("flat")).predicates
NOUNS = ("table", "mug", "cat", "sofa")
CATS_LIVE = LookSettings(living=frozenset({"cat"}))


class Watch:
    """A live flat and its clock; the robot stands at the map's origin."""

    def __init__(self, solids: Sequence[Solid], nouns: Sequence[str] = NOUNS) -> None:
        memory = remembered(tour(solids))
        self.flat = LiveFlat(memory, SimulatorInstances(least_pixels=20), CATS_LIVE)
        self.flat.watch(nouns)
        self.now = 100.0
        self.robot = RobotState(base=Pose(), gripper=Pose((0.5, 0.0, 0.5)))

    def see(
        self,
        solids: Sequence[Solid],
        times: int = 4,
        target: Vector3 = (3, 0, 0.4),
        eye: Vector3 = (0.2, 0.0, 1.4),
    ) -> Scene:
        for _ in range(times):
            self.now += 0.2
            self.flat.see(seen(solids, eye, target, self.now), self.robot)
        return self.flat.scene(self.now, self.robot)

    def hold(self, width: float, at: Vector3, most: float = 0.08) -> None:
        self.robot = RobotState(
            gripper_width_m=width, base=Pose(), gripper=Pose(at), gripper_max_width_m=most
        )


def at(scene: Scene, name: str) -> Vector3:
    return scene.by_name()[name].position


def test_things_at_rest_stay_and_are_visible_only_while_seen() -> None:
    watch = Watch([TABLE, MUG])
    scene = watch.see([TABLE, MUG], 6)
    assert sorted(scene.by_name()) == ["brown_table", "red_mug"]
    assert (scene.frame, scene.robot.base) == ("map", Pose())
    assert all(o.visible for o in scene.objects)
    assert np.allclose(at(scene, "red_mug"), MUG.position, atol=0.04)
    away = watch.see([TABLE, MUG], 8, target=(0.3, 3.0, 0.4))
    assert not any(o.visible for o in away.objects)
    assert not watch.flat.missing


def test_a_thing_that_was_moved_keeps_its_name() -> None:
    watch = Watch([TABLE, MUG])
    there = mug(3.0, -0.9, 0.0)
    scene = watch.see([TABLE, there])
    assert sorted(scene.by_name()) == ["brown_table", "red_mug"]
    assert np.allclose(at(scene, "red_mug"), there.position, atol=0.05)


def test_what_moved_unseen_keeps_its_name_though_the_tour_was_on_a_later_clock() -> None:
    watch = Watch([TABLE, MUG])
    watch.now = 0.0  # the simulated clock of this run began after that of the tour
    there = mug(0.3, 2.5, 0.0)
    two = watch.see([TABLE, there], target=(0.3, 2.5, 0.0))
    assert not two.by_name()["red_mug"].visible
    scene = watch.see([TABLE, there])
    assert sorted(scene.by_name()) == ["brown_table", "red_mug"]
    assert np.allclose(at(scene, "red_mug"), there.position, atol=0.05)


def test_a_thing_found_again_after_its_place_was_seen_empty_keeps_its_name() -> None:
    watch = Watch([TABLE, MUG])
    assert "red_mug" not in watch.see([TABLE]).by_name()
    assert watch.flat.missing == {"red_mug"}
    there = mug(2.6, -0.9, 0.0)
    scene = watch.see([TABLE, there])
    assert np.allclose(at(scene, "red_mug"), there.position, atol=0.05)
    assert not watch.flat.missing


@pytest.mark.parametrize("eye", [(2.85, 0.55, 1.15), (2.65, 0.45, 1.1), (2.6, 0.3, 1.3)])
def test_the_hands_camera_over_an_empty_place_sees_that_the_thing_is_gone(eye: Vector3) -> None:
    watch = Watch([TABLE, MUG])
    watch.see([TABLE], target=(2.9, 0.6, 0.75), eye=eye)
    assert watch.flat.missing == {"red_mug"}


def test_what_must_be_avoided_is_also_what_may_be_it_moved_unseen() -> None:
    watch = Watch([TABLE])
    watch.flat.keep(["brown_table"])
    there = table(0.3, 3.5)
    moved = watch.see([there], 6, target=(0.3, 3.0, 0.4))
    assert np.allclose(at(moved, "brown_table")[:2], there.position[:2], atol=0.4)
    two = watch.see([TABLE, there], 6)
    assert np.allclose(at(two, "brown_table")[:2], TABLE.position[:2], atol=0.15)
    assert np.allclose(at(two, "brown_table_2")[:2], there.position[:2], atol=0.4)


def test_where_what_was_moved_unseen_stood_nothing_is_left() -> None:
    watch = Watch([TABLE])
    watch.flat.keep(["brown_table"])
    there = table(0.3, 3.5)
    watch.see([there], 6, target=(0.3, 3.0, 0.4))
    scene = watch.see([there], 6)
    assert sorted(scene.by_name()) == ["brown_table"]
    assert np.allclose(at(scene, "brown_table")[:2], there.position[:2], atol=0.4)


def test_a_thing_to_be_avoided_stays_where_it_was_last() -> None:
    watch = Watch([TABLE, MUG])
    watch.flat.keep(["red_mug"])
    scene = watch.see([TABLE])
    assert watch.flat.missing == {"red_mug"}
    assert not scene.by_name()["red_mug"].visible


def test_what_something_stands_before_is_remembered() -> None:
    watch = Watch([TABLE, MUG])
    screen = Solid("white", (1.6, 0.4, 0.8), (0.05, 1.6, 1.6), label="white board")
    scene = watch.see([TABLE, MUG, screen], 10)
    assert "red_mug" in scene.by_name()
    assert not watch.flat.missing


def test_a_new_thing_counts_once_some_frames_agree() -> None:
    watch = Watch([TABLE, MUG])
    new = mug(2.6, -0.9, 0.0, "green")
    assert "green_mug" not in watch.see([TABLE, MUG, new], 2).by_name()
    assert np.allclose(at(watch.see([TABLE, MUG, new], 1), "green_mug"), new.position, atol=0.05)
    assert "red_mug" in watch.see([TABLE, MUG, new], 1).by_name()


FROM_ABOVE: Vector3 = (2.87, 0.44, 1.6)


def packet(y: float, size: Vector3 = (0.06, 0.11, 0.09)) -> Solid:
    return Solid("red", (2.9, y, 0.7 + size[2] / 2), size, label="red mug")


def test_what_slipped_is_not_lower_than_its_shortest_side_though_its_top_alone_shows() -> None:
    """Seen from right above, the packet that fell on its side seems as flat as paper."""
    watch, fallen = Watch([TABLE, packet(0.6)]), packet(0.45, (0.09, 0.11, 0.06))
    thing = watch.see([TABLE, fallen], target=fallen.position, eye=FROM_ABOVE).by_name()["red_mug"]
    assert np.allclose(thing.position, fallen.position, atol=0.02)
    assert thing.size[2] == pytest.approx(0.06, abs=0.012)


def test_what_stands_where_it_stood_stays_as_high_though_its_top_alone_shows() -> None:
    there = packet(0.6)
    watch = Watch([TABLE, there])
    scene = watch.see([TABLE, there], 8, target=there.position, eye=FROM_ABOVE)
    assert scene.by_name()["red_mug"].size[2] == pytest.approx(0.09, abs=0.012)
    assert np.allclose(at(scene, "red_mug"), there.position, atol=0.02)


def test_what_fell_over_in_its_place_is_lower() -> None:
    watch, fallen = Watch([TABLE, packet(0.6)]), packet(0.6, (0.09, 0.11, 0.06))
    scene = watch.see([TABLE, fallen], 20, target=fallen.position, eye=(2.4, 0.3, 1.0))
    assert scene.by_name()["red_mug"].size[2] == pytest.approx(0.06, abs=0.015)


def test_furniture_that_was_pushed_is_where_it_is_now() -> None:
    watch = Watch([sofa(4.0, -0.5), TABLE])
    scene = watch.see([sofa(4.2, -1.4), TABLE], 6)
    assert sorted(scene.by_name()) == ["blue_sofa", "brown_table"]
    moved = scene.by_name()["blue_sofa"]
    assert np.allclose(moved.position[:2], (4.2, -1.4), atol=0.12)
    # From one place, little shows of how deep it is.
    assert np.allclose(sorted(moved.size[:2]), (0.9, 1.8), atol=0.18)


def test_a_walker_is_followed() -> None:
    watch = Watch([cat(2.2, 1.0), TABLE])
    for y in np.arange(0.9, -1.0, -0.15):
        scene = watch.see([cat(2.2, y), TABLE], 1)
        assert at(scene, "orange_cat")[1] == pytest.approx(y, abs=0.1)


@pytest.mark.parametrize("low", [0.2, 0.3, 0.4, 0.5])
def test_a_walker_who_sits_is_not_farther_off_where_its_far_part_alone_shows(low: float) -> None:
    sits = [cat(1.4, 0.0), TABLE]
    watch = Watch(sits)
    assert at(watch.see(sits, target=(1.4, 0.0, 0.2)), "orange_cat")[0] == pytest.approx(1.4, 0.02)
    scene = watch.see(sits, 1, target=(5.2, 0.0, low))
    assert scene.by_name()["orange_cat"].last_seen_s == pytest.approx(watch.now)
    assert at(scene, "orange_cat")[0] == pytest.approx(1.4, abs=0.04)


def test_a_walker_of_whom_a_part_shows_is_followed() -> None:
    watch = Watch([cat(1.4, 0.0), TABLE])
    watch.see([cat(1.4, 0.0), TABLE], target=(1.4, 0.0, 0.2))
    for x in np.arange(1.4, 1.8, 0.1):
        scene = watch.see([cat(x, 0.0), TABLE], 1, target=(5.2, 0.0, 0.34))
        assert -0.1 < x - at(scene, "orange_cat")[0] < 0.35
        assert scene.by_name()["orange_cat"].off_m > 0.17


def test_the_farther_it_is_seen_the_farther_its_place_may_be_off() -> None:
    near, far = (
        Watch([cat(x, 0.0), TABLE]).see([cat(x, 0.0), TABLE], 2).by_name()["orange_cat"].off_m
        for x in (1.8, 4.2)
    )
    assert 0.0 < near < far < 0.1


def test_what_the_fingers_closed_on_goes_with_the_hand_until_they_open() -> None:
    watch = Watch([TABLE, MUG])
    watch.see([TABLE, MUG])
    watch.hold(0.08, MUG.position)
    watch.see([TABLE, MUG], 1)
    watch.hold(0.066, MUG.position)
    watch.see([TABLE, MUG], 2)
    lifted = (2.6, 0.2, 1.1)
    watch.hold(0.066, lifted)
    carried = watch.see([TABLE], 3).by_name()["red_mug"]
    assert carried.carried
    assert np.allclose(carried.position, lifted, atol=0.05)
    assert not watch.flat.missing
    watch.hold(0.08, lifted)
    there = mug(2.6, 0.2, 0.0)
    put = watch.see([TABLE, there]).by_name()["red_mug"]
    assert not put.carried
    assert np.allclose(put.position, there.position, atol=0.05)


def test_fingers_that_creep_together_still_hold_what_they_closed_on() -> None:
    """A thing that is gripped askew turns between them until both lie flat against it."""
    watch = Watch([TABLE, MUG])
    watch.see([TABLE, MUG])
    for width in (0.08, 0.070, 0.069):
        watch.hold(width, MUG.position)
        watch.see([TABLE, MUG], 1)
    lifted = (2.6, 0.2, 1.1)
    for width in np.arange(0.068, 0.060, -0.001):
        watch.hold(float(width), lifted)
        scene = watch.see([TABLE], 1)
    assert scene.by_name()["red_mug"].carried
    watch.hold(0.0, lifted)
    slipped = watch.see([TABLE], 1).by_name()["red_mug"]
    assert slipped.let_go and not slipped.carried


def test_what_is_seen_between_the_fingers_is_held_wherever_they_closed() -> None:
    watch = Watch([TABLE, MUG])
    watch.see([TABLE, MUG])
    for width in (0.08, 0.066, 0.066, 0.075):  # taken, and for a moment it seems to be lost
        watch.hold(width, MUG.position)
        watch.see([TABLE, MUG], 1)
    lifted = mug(2.6, 0.2, 0.3)
    watch.hold(0.066, lifted.position)
    assert watch.see([TABLE, lifted], 4).by_name()["red_mug"].carried


@pytest.mark.parametrize(("most", "width", "holds"), [(0.11, 0.09, True), (0.09, 0.09, False)])
def test_a_hand_that_opens_far_holds_what_it_is_far_open_on(
    most: float, width: float, holds: bool
) -> None:
    watch = Watch([TABLE, MUG])
    watch.see([TABLE, MUG])
    for _ in range(3):
        watch.hold(width, MUG.position, most)
        scene = watch.see([TABLE, MUG], 1)
    assert scene.by_name()["red_mug"].carried is holds


def test_closed_fingers_alone_hold_nothing() -> None:
    watch = Watch([TABLE, MUG])
    watch.hold(0.001, MUG.position)
    assert not any(o.carried for o in watch.see([TABLE, MUG], 3).objects)
    watch.hold(0.05, (1.0, 0.0, 1.0))
    assert not any(o.carried for o in watch.see([TABLE, MUG], 3).objects)


def carried_over(place: Vector3, *furniture: Solid) -> Watch:
    """The mug was taken from the table and is held over a place."""
    watch = Watch([TABLE, MUG, *furniture], (*NOUNS, "trash bin"))
    watch.see([TABLE, MUG, *furniture])
    for where, there in ((MUG.position, [MUG]), (place, [])):
        watch.hold(0.066, where)
        scene = watch.see([TABLE, *there, *furniture], 3)
    assert scene.by_name()["red_mug"].carried
    return watch


def on(scene: Scene, what: str, place: str) -> bool | None:
    return SceneView(scene, FLAT).truth(Atom("on", (what, place)))


def test_where_what_was_let_go_lies_is_not_known_until_it_is_seen() -> None:
    over = (2.7, 0.9, 0.95)
    watch = carried_over(over)
    watch.hold(0.08, over)
    away = {"target": (3.0, 6.0, 0.4), "eye": (0.2, 3.0, 1.4)}
    scene = watch.see([TABLE], 1, **away)
    assert scene.by_name()["red_mug"].let_go and not scene.by_name()["red_mug"].visible
    assert on(scene, "red_mug", "brown_table") is None
    assert SceneView(scene, FLAT).truth(Atom("holding", ("red_mug",))) is False
    fell = mug(2.4, 0.8, 0.0)
    scene = watch.see([TABLE, fell], 4)
    assert on(scene, "red_mug", "brown_table") is False
    assert at(scene, "red_mug") == pytest.approx(fell.position, abs=0.05)


def test_what_was_let_go_and_is_seen_on_the_table_is_on_it() -> None:
    over = (2.9, 1.0, 0.845)
    watch = carried_over(over)
    watch.hold(0.08, over)
    scene = watch.see([TABLE, mug(2.9, 1.0)], 4)
    assert not scene.by_name()["red_mug"].let_go
    assert on(scene, "red_mug", "brown_table") is True


def test_what_slipped_over_an_edge_and_is_not_seen_is_not_taken_to_lie_below() -> None:
    over = (2.9, -0.2, 1.1)
    watch = carried_over(over)
    watch.hold(0.08, over)
    watch.see([TABLE], 12)
    assert watch.flat.missing == {"red_mug"}


def test_what_was_dropped_into_something_and_is_not_seen_is_missing() -> None:
    sides = (((0.2, 0.0), (0.02, 0.4)), ((-0.2, 0.0), (0.02, 0.4)), ((0.0, 0.2), (0.4, 0.02)),
             ((0.0, -0.2), (0.4, 0.02)))  # fmt: skip
    bin_ = [
        Solid("white", (2.6 + x, -0.9 + y, 0.25), (a, b, 0.5), label="white trash_bin")
        for (x, y), (a, b) in sides
    ]
    watch = carried_over((2.6, -0.9, 0.7), *bin_)
    watch.hold(0.08, (2.6, -0.9, 0.7))
    assert "red_mug" not in watch.see([TABLE, *bin_], 12).by_name()
    inside = mug(2.6, -0.9, 0.0)
    scene = watch.see([TABLE, *bin_, inside], 4, target=(2.6, -0.9, 0.0), eye=(2.4, -0.9, 1.4))
    assert SceneView(scene, FLAT).truth(Atom("in", ("red_mug", "white_trash_bin"))) is True


def test_nouns_can_be_watched_later() -> None:
    watch = Watch([TABLE, MUG], ["table"])
    assert [o.name for o in watch.see([TABLE, MUG]).objects] == ["brown_table"]
    assert [o.name for o in watch.flat.watch(["table", "cup"])] == ["red_mug"]
    assert watch.flat.watched == ("table", "mug")


def test_a_thing_looked_for_by_a_more_special_word_is_no_second_thing() -> None:
    board = table(3.0, 0.8, word="ironing_board_table")
    watch = Watch([board, MUG], ["table"])
    assert [o.name for o in watch.see([board, MUG]).objects] == ["brown_table"]
    (known,) = watch.flat.watch(["ironing board table"])
    assert (known.name, known.category) == ("brown_table", "ironing board table")
    scene = watch.see([board, MUG], 8)
    assert [(o.name, o.category, o.visible) for o in scene.objects] == [(*known_as(known), True)]


def test_a_new_thing_of_a_more_special_kind_is_the_known_one() -> None:
    board = table(3.0, 0.8, word="ironing_board_table")
    watch = Watch([board], ["table"])
    watch.flat.watch(["bed", "ironing board table"])
    assert len(watch.see([board], 12).objects) == 1


def known_as(thing: SceneObject) -> tuple[str, str]:
    return thing.name, thing.category
