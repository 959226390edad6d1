"""Which velocities a driver passes on to a robot."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso.ros.nodes.driver_node import Newest


class Robot:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.now_s = 0.0
        self.newest = Newest(
            lambda *velocity: self.told.append(velocity),
            lambda: self.told.append("rest"),
            lambda: self.now_s,
        )


def test_the_newest_alone_is_passed_on() -> None:
    robot = Robot()
    first, second = robot.newest.take(0.1, 0.0, 0.0), robot.newest.take(0.2, 0.0, 0.0)
    first()
    second()
    assert robot.told == [(0.2, 0.0, 0.0)]


def test_one_that_waited_rests_the_robot() -> None:
    robot = Robot()
    send = robot.newest.take(0.1, 0.0, 0.0)
    robot.now_s = 10.0
    send()
    assert robot.told == ["rest"]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_no_number_rests_the_robot(wrong: float) -> None:
    robot = Robot()
    robot.newest.take(0.1, wrong, 0.0)()
    assert robot.told == ["rest"]
