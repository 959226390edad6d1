"""What the 2D kitchen's physics does to things, and what a robot hears of it."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import SceneView
from sayso.worlds.kitchen2d.scene import Item, KitchenScene
from sayso.worlds.kitchen2d.world import Kitchen2D, Noise

SHELF = Item("shelf", "shelf", "white", 0.24, 0.035, -0.6)
CAN = Item("can", "can", "red", 0.06, 0.07, 0.0)
BOX = Item("box", "box", "blue", 0.065, 0.055, 0.25)
TIN = Item("tin", "tin", "green", 0.07, 0.04, 0.5)
MAT = Item("mat", "mat", "white", 0.3, 0.012, -0.8)
PLATE = Item("plate", "plate", "white", 0.2, 0.03, -0.4)
BOARD = Item("board", "board", "white", 0.22, 0.03, -0.08)
POT = Item("pot", "pot", "black", 0.175, 0.17, -0.8)
BASKET = Item("basket", "basket", "yellow", 0.175, 0.155, -0.5)
CUP = Item("cup", "cup", "white", 0.072, 0.09, -0.2)
MUG = Item("other_cup", "cup", "red", 0.072, 0.09, 0.05)
EGG = Item("egg", "egg", "white", 0.068, 0.042, 0.3)
POTATO = Item("potato", "potato", "yellow", 0.07, 0.04, 0.55)
FAUCET = Item("faucet", "faucet", "white", 0.16, 0.46, 1.1)


def kitchen(*items: Item, **options: object) -> Kitchen2D:
    return Kitchen2D(KitchenScene(items), **options)  # type: ignore[arg-type]


def do(world: Kitchen2D, *calls: str) -> list[bool]:
    """Whether each of some actions such as "pick_up can" worked."""
    return [world.act(*call.split()).reached for call in calls]


def look(world: Kitchen2D) -> SceneView:
    return SceneView(world.observe())


def test_stacks_are_built_and_taken_apart() -> None:
    world = kitchen(SHELF, CAN, BOX)
    assert all(do(world, "pick_up can", "place_first_on_second can shelf", "pick_up box"))
    assert all(do(world, "place_first_on_second box can"))
    view = look(world)
    assert view.bottom("box") == pytest.approx(view.top("can"), abs=0.003)
    assert view.bottom("can") == pytest.approx(view.top("shelf"), abs=0.003)
    assert all(do(world, "pick_up box", "place_on_table box", "pick_up can"))


def test_the_fingers_stay_closed_around_what_they_hold() -> None:
    world = kitchen(SHELF, CAN)
    widths = [look(world).gripper_width]
    for call in ("pick_up can", "place_first_on_second can shelf"):
        assert all(do(world, call))
        widths.append(look(world).gripper_width)
    assert widths == pytest.approx([0.08, CAN.width_m, 0.08], abs=0.003)


@pytest.mark.parametrize(
    ("before", "call"),
    [
        (["pick_up can"], "pick_up box"),
        ([], "pick_up shelf"),
        ([], "place_on_table can"),
        (["pick_up box"], "place_first_on_second can shelf"),
        (["pick_up can", "place_first_on_second can box"], "pick_up box"),
        (
            ["pick_up can", "place_first_on_second can shelf", "pick_up box"],
            "place_first_on_second box shelf",
        ),
    ],
    ids=["hand full", "too wide", "not held", "other held", "covered", "target taken"],
)
def test_what_is_in_the_way_makes_an_action_fail_and_stays(before: list[str], call: str) -> None:
    world = kitchen(SHELF, CAN, BOX)
    assert all(do(world, *before))
    then = look(world)
    assert do(world, call) == [False]
    now = look(world)
    for name in ("shelf", "can", "box"):
        if not now.carried(name):
            assert np.abs(now.position(name) - then.position(name)).max() < 0.005
        assert now.carried(name) == then.carried(name)


def test_what_stands_too_far_out_falls() -> None:
    out = kitchen(CAN, Item("box", "box", "blue", 0.065, 0.055, 0.04, on="can"))
    assert look(out).bottom("box") < look(out).top("can") - 0.03
    held = kitchen(CAN, Item("box", "box", "blue", 0.065, 0.055, 0.02, on="can"))
    assert look(held).bottom("box") == pytest.approx(look(held).top("can"), abs=0.003)


def test_what_is_put_down_badly_falls_and_the_action_has_failed() -> None:
    results = set()
    for seed in range(12):
        world = kitchen(CAN, TIN, seed=seed, noise=Noise(placing_m=0.03))
        assert do(world, "pick_up tin")
        (worked,) = do(world, "place_first_on_second tin can")
        on = abs(look(world).bottom("tin") - look(world).top("can")) < 0.005
        assert worked == on
        results.add(worked)
    assert results == {True, False}


def test_plates_climb_mats_and_nothing_higher() -> None:
    world = kitchen(MAT, PLATE, BOARD, CAN)
    assert do(world, "push_plate_on_object plate board") == [False]
    assert do(world, "push_plate_on_object plate mat") == [True]
    view = look(world)
    assert view.bottom("plate") == pytest.approx(view.top("mat"), abs=0.003)
    assert view.position("plate")[0] == pytest.approx(view.position("mat")[0], abs=0.01)


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ([], "push_plate_on_object can mat"),
        (["pick_up can"], "push_plate_on_object plate mat"),
        (["pick_up can", "place_first_on_second can plate"], "push_plate_on_object plate mat"),
        (["pick_up can", "place_first_on_second can mat"], "push_plate_on_object plate mat"),
        ([], "push_plate_on_object plate can"),
    ],
    ids=["no plate", "hand full", "plate taken", "mat taken", "too high"],
)
def test_pushes_that_cannot_work_fail(before: list[str], call: str) -> None:
    world = kitchen(MAT, PLATE, Item("can", "can", "red", 0.06, 0.07, 0.3))
    assert all(do(world, *before))
    assert do(world, call) == [False]


def test_water_is_fetched_poured_and_spilled() -> None:
    world = kitchen(POT, CUP, MUG, FAUCET)
    assert all(do(world, "pick_up cup", "get_water_from_faucet cup"))
    full = look(world).water("cup")
    assert 0.12 <= full <= 0.24
    assert do(world, "get_water_from_faucet cup") == [False], "a full cup runs over"
    assert look(world).water("cup") < 0.36
    assert do(world, "pour_water_from_first_to_second cup pot") == [True]
    assert look(world).water("cup") <= 0.02
    assert look(world).water("pot") >= full / 2
    assert do(world, "pour_water_from_first_to_second cup pot") == [False], "it is empty"
    assert all(
        do(world, "get_water_from_faucet cup", "pour_water_from_first_to_second cup other_cup")
    )
    assert look(world).water("other_cup") >= 0.05


def test_only_vessels_take_water() -> None:
    world = kitchen(POT, CUP, EGG, POTATO, FAUCET)
    assert do(world, "pick_up egg", "get_water_from_faucet egg") == [True, False]
    assert look(world).water("egg") == 0.0
    assert all(do(world, "place_on_table egg", "pick_up cup", "get_water_from_faucet cup"))
    assert do(world, "pour_water_from_first_to_second cup egg") == [False]
    assert sum(look(world).water(n) for n in look(world).objects()) <= 0.02, "it went past"


def test_food_goes_into_pots_and_not_out_again() -> None:
    world = kitchen(POT, BASKET, CUP, EGG, POTATO)
    assert all(do(world, "pick_up egg", "place_first_in_second egg pot"))
    assert do(world, "pick_up egg") == [False], "the palm does not fit into the pot"
    assert do(world, "pick_up potato", "place_first_in_second potato cup") == [True, False]
    assert look(world).carried("potato"), "what does not fit stays in the hand"
    assert do(world, "place_first_in_second potato basket") == [True]
    view = look(world)
    assert view.low("pot")[0] < view.position("egg")[0] < view.high("pot")[0]
    assert view.top("egg") < view.top("pot")
    assert do(world, "pick_up cup", "place_first_in_second cup pot") == [True, False]


def test_noise_is_on_what_is_seen_alone() -> None:
    noisy = kitchen(SHELF, CAN, noise=Noise(position_m=0.002, size_m=0.001, water_l=0.01), seed=3)
    exact = kitchen(SHELF, CAN, seed=3)
    seen = np.array([SceneView(noisy.observe()).position("can") for _ in range(200)])
    assert 0.0015 < seen[:, 0].std() < 0.0025
    assert seen[:, 0].mean() == pytest.approx(look(exact).position("can")[0], abs=0.0006)
    assert len({look(exact).position("can")[0] for _ in range(5)}) == 1
    assert all(do(noisy, "pick_up can", "place_first_on_second can shelf"))


def test_a_wrong_call_is_an_error_and_moves_nothing() -> None:
    world = kitchen(CAN, BOX)
    before = world.observe()
    for call, code in {
        ("fly", "can"): Code.INVALID,
        ("pick_up",): Code.INVALID,
        ("place_first_on_second", "can", "can"): Code.INVALID,
        ("pick_up", "spoon"): Code.UNKNOWN_OBJECT,
    }.items():
        with pytest.raises(SaySoError) as caught:
            world.act(*call)
        assert caught.value.code == code
    assert world.observe() == before


def test_a_picture_shows_the_things() -> None:
    image = kitchen(SHELF, CAN).picture(640)
    assert image.size[0] == 640
    pixels = np.asarray(image).reshape(-1, 3)
    assert (pixels == (0xD6, 0x45, 0x41)).all(axis=1).sum() > 50, "the red can"


def test_a_robot_is_offered_no_truth() -> None:
    """Neither the causes of failures nor the physics can be asked for."""
    world = kitchen(CAN, BOX)
    assert {n for n in dir(world) if not n.startswith("_")} == {"act", "observe", "picture"}
    assert set(vars(world.act("pick_up", "can"))) == {"reached", "duration_s"}
