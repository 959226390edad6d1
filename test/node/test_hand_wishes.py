"""What a person wishes, as topics tell it: it counts for a moment."""

from __future__ import annotations

import pytest
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from sensor_msgs.msg import Joy
from std_msgs.msg import Int8

from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.qos import SENSOR
from sayso.ros.robot.hand_wishes import COUNTS_S, GAMEPAD, SPACEMOUSE, HandWishes
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S, STILL, Wish

AHEAD = Wish((0.1, 0.0, 0.0))
HELD = [0] * 9 + [1]


class Clock:
    time_s = 100.0

    def __call__(self) -> float:
        return self.time_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def wishes(graph, clock):
    return HandWishes(graph.tester, "base", clock)


def test_a_wish_counts_for_a_moment(graph, wishes, clock):
    graph.publisher(TwistStamped, "/servo", SENSOR).publish(
        TwistStamped(twist=Twist(linear=Vector3(x=0.1)))
    )
    graph.wait_until(lambda: wishes.newest() == AHEAD, "it is heard")
    clock.time_s += COUNTS_S
    assert wishes.newest() == STILL


def test_fingers_come_before_all_else(graph, wishes):
    graph.publisher(TwistStamped, "/servo", SENSOR).publish(
        TwistStamped(twist=Twist(linear=Vector3(x=0.1)))
    )
    graph.publisher(Int8, "/servo_fingers", SENSOR).publish(Int8(data=-3))
    graph.wait_until(lambda: wishes.newest().fingers == -1, "it is heard")


def test_what_cannot_be_read_ends_the_wish_before(graph, wishes):
    publisher = graph.publisher(Joy, "/joy", SENSOR)
    publisher.publish(Joy(axes=[0.0, 1.0, 0.0, 0.0], buttons=HELD))
    graph.wait_until(lambda: wishes.newest() == Wish((FASTEST_M_S, 0.0, 0.0)), "it is heard")
    publisher.publish(Joy(axes=[], buttons=[]))
    graph.wait_until(lambda: wishes.newest() == STILL, "it is over")


def test_a_gamepad_moves_nothing_without_its_button():
    pushed = [0.0, 1.0, 0.5, 0.05]
    assert GAMEPAD.wish(pushed, [1, 0] + [0] * 8) == STILL
    wish = GAMEPAD.wish(pushed, HELD)
    assert wish == Wish((FASTEST_M_S, 0.0, 0.0), (0.0, 0.0, 0.5 * FASTEST_RAD_S))
    assert GAMEPAD.wish(pushed, [0, 1, *HELD[2:]]).fingers == 1


def test_a_spacemouse_springs_back_by_itself():
    wish = SPACEMOUSE.wish([0.0, 0.0, -1.0, 0.0, 0.0, float("nan")], [1, 0])
    assert wish == Wish((0.0, 0.0, -FASTEST_M_S), fingers=-1)


def test_a_device_with_too_few_axes_is_refused():
    with pytest.raises(SaySoError) as error:
        SPACEMOUSE.wish([1.0], [0, 0])
    assert error.value.code is Code.INVALID
