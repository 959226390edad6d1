"""Profiles of robots: those that come along, and what is wrong with one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.robots.description import robot_spec
from sayso.robots.loading import load_robot, robot_names

OWN = "extends: panda\ntitle: mine\n"
BASE = """extends: mobile_panda
base:
  footprint_m: [0.8, 0.5]
  mount: {}
  stowed: [[0, -1.70, 0, -2.95, 0, 1.35, 0.78]]
  carrying: []
  reach: {shoulder_m: 0.333, wrist_m: 0.21, least_m: 0.22, most_m: 0.82}
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", sorted({*robot_names()} - {"spot"}))  # that one's is an extra
def test_a_profile_fits_its_description(name: str) -> None:
    robot = load_robot(name)
    assert robot_spec(robot).joint(robot.joints[0].joint) is not None
    for width in (0.0, 0.3 * robot.hand.width_m, robot.hand.width_m):
        assert robot.hand.width(robot.hand.position(width)) == pytest.approx(width)


def test_ones_own_profile_says_what_differs(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, OWN + "home: [0, -0.8, 0, -2.5, 0, 1.7, 0.7]\n"))
    assert (robot.name, robot.title, robot.home[1]) == ("mine", "mine", -0.8)
    assert robot.joint_names == load_robot("panda").joint_names


def test_a_base_is_driven_no_faster_than_its_profile_allows(tmp_path: Path) -> None:
    slow = BASE + "  limits: {speed_m_s: 0.4, turn_rad_s: 0.5, brake_m_s2: 0.3}\n"
    driving = load_robot(write(tmp_path, slow)).mobile_robot().drive_limits().base
    assert (driving.speed_m_s, driving.turn_rad_s, driving.brake_m_s2) == (0.4, 0.5, 0.3)
    assert BaseLimits(speed_m_s=0.6, turn_rad_s=0.2).within(driving) == BaseLimits(
        speed_m_s=0.4, turn_rad_s=0.2, brake_m_s2=0.3
    )


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        (OWN + "colour: red\n", "saturation"),
        ("title: mine\n", "description"),
        ("extends: pandaa\n", "panda"),
        (OWN + "home: [0, 1]\n", ""),
        (OWN + "saturation: much\n", ""),
        (OWN + "workspace: {low: [0, 0], high: [1, 1, 1]}\n", ""),
        (BASE + "  limits: {speed_m_s: 0}\n", ""),
        (BASE + "  limits: {speed: 0.5}\n", "speed_m_s"),
        ("[1, 2", ""),
    ],
)
def test_what_is_wrong_is_named_with_the_choices(tmp_path: Path, text: str, choice: str) -> None:
    with pytest.raises(SaySoError) as error:
        load_robot(write(tmp_path, text))
    assert error.value.code is Code.CONFIG
    assert "mine" in error.value.message
    assert not choice or choice in error.value.choices


def test_an_unknown_robot_names_the_known_ones() -> None:
    with pytest.raises(SaySoError) as error:
        load_robot("r2d2")
    assert set(error.value.choices) == set(robot_names())


def test_a_description_that_is_not_there_says_where_it_should_be(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, OWN + "description: nowhere/arm.xml\n"))
    with pytest.raises(SaySoError, match=r"nowhere/arm\.xml") as error:
        robot_spec(robot)
    assert error.value.code is Code.MISSING_DEPENDENCY


@pytest.mark.parametrize(
    ("known", "wrong", "choice"),
    [
        ("body: hand", "body: hnad", "hand"),
        ("  pads:", "  teeth: [no_tooth]\n  pads:", "hand_c"),
    ],
)
def test_a_name_that_the_description_lacks_is_told_with_those_it_has(
    tmp_path: Path, known: str, wrong: str, choice: str
) -> None:
    panda = Path(load_robot("panda").folder, "panda.yaml").read_text()
    robot = load_robot(write(tmp_path, panda.replace(known, wrong)))
    with pytest.raises(SaySoError) as error:
        robot_spec(robot)
    assert error.value.code is Code.CONFIG
    assert choice in error.value.choices


@pytest.mark.parametrize("paint", [(131, 96, 31), (188, 144, 45), (183, 138, 42), (111, 83, 25)])
def test_a_cameras_pictures_of_spots_hand_have_no_more_colour_than_the_robot(paint):
    """Pixels of its yellow jaw that a camera on its mast showed; more than so is a thing's."""
    assert (max(paint) - min(paint)) / max(paint) < load_robot("spot").saturation
