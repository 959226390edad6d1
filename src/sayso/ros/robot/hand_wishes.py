"""How a person wants the hand to go, from topics: velocities, or a gamepad or a SpaceMouse."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import Joy
from std_msgs.msg import Int8

from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.qos import SENSOR
from sayso.ros.runtime.boundary import receiving
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S, STILL, Wish

SERVO, FINGERS, JOY = "servo", "servo_fingers", "joy"
COUNTS_S = 0.2
"""So long a wish counts; whoever holds a button tells it more often."""
_DEAD_ZONE = 0.1
"""Sticks that rest tell less than this."""


@dataclass(frozen=True)
class Device:
    """What a device's axes and buttons mean.

    Attributes:
        along: axes for x, y, z.
        about: axes for turning about x, y, z; -1: none.
        close, open: buttons for the fingers.
        held: the button without which nothing moves; -1: its cap springs back by itself.
    """

    along: tuple[int, int, int]
    about: tuple[int, int, int]
    close: int
    open: int
    held: int = -1

    def wish(self, axes: Sequence[float], buttons: Sequence[int]) -> Wish:
        """Raises INVALID where a device has fewer of them."""
        needed = max(*self.along, *self.about), max(self.close, self.open, self.held)
        if len(axes) <= needed[0] or len(buttons) <= needed[1]:
            text = f"{len(axes)} axes and {len(buttons)} buttons are of no device that is known."
            hint = "run joy's game_controller_node, or spacenav."
            raise SaySoError(Code.INVALID, text, hint=hint)
        if self.held >= 0 and not buttons[self.held]:
            return STILL
        along, about = ([axes[i] if i >= 0 else 0.0 for i in a] for a in (self.along, self.about))
        fingers = int(bool(buttons[self.open])) - int(bool(buttons[self.close]))
        return Wish(_scaled(along, FASTEST_M_S), _scaled(about, FASTEST_RAD_S), fingers)


GAMEPAD = Device((1, 0, 3), (-1, -1, 2), close=0, open=1, held=9)
"""As joy's `game_controller_node` tells one: sticks, A closes, B opens, the left shoulder button
is held."""
SPACEMOUSE = Device((0, 1, 2), (3, 4, 5), close=0, open=1)
"""As `spacenav` tells one."""


def device_of(buttons: Sequence[int]) -> Device:
    """A SpaceMouse has two buttons."""
    return SPACEMOUSE if len(buttons) <= 2 else GAMEPAD


class HandWishes:
    """Keeps what was wished for last, each topic for itself.

    Args:
        frame: that of scenes, in which velocities are.
    """

    def __init__(self, node: Node, frame: str, now_s: Callable[[], float] = time.monotonic) -> None:
        self._frame, self._now_s = frame, now_s
        self._newest: dict[str, tuple[float, Wish]] = {}
        kinds: tuple[tuple[type, str, Callable[[Any], Wish]], ...] = (
            (TwistStamped, SERVO, self._of_twist),
            (Int8, FINGERS, lambda m: Wish(fingers=int(np.sign(m.data)))),
            (Joy, JOY, lambda m: device_of(m.buttons).wish(m.axes, m.buttons)),
        )
        for kind, topic, read in kinds:
            take = receiving(topic, self._taking(topic, read))
            group = MutuallyExclusiveCallbackGroup()
            node.create_subscription(kind, topic, take, SENSOR, callback_group=group)

    def newest(self) -> Wish:
        """What is wished for now; fingers before all else."""
        now_s = self._now_s()
        wishes = [w for at_s, w in list(self._newest.values()) if now_s - at_s < COUNTS_S]
        fingers = next((w for w in wishes if w.fingers), None)
        return fingers or next((w for w in wishes if w != STILL), STILL)

    def _taking(self, topic: str, read: Callable[[Any], Wish]) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            self._newest.pop(topic, None)  # one that cannot be read ends the one before
            self._newest[topic] = self._now_s(), read(message)

        return take

    def _of_twist(self, message: TwistStamped) -> Wish:
        """Raises INVALID for another frame than the scene's, or what is no number."""
        if (frame := message.header.frame_id) not in ("", self._frame):
            text = f"velocities in the frame '{frame}' are not understood."
            raise SaySoError(Code.INVALID, text, choices=(self._frame,))
        linear, angular = message.twist.linear, message.twist.angular
        velocity, turning = ((v.x, v.y, v.z) for v in (linear, angular))
        if not np.isfinite([*velocity, *turning]).all():
            raise SaySoError(Code.INVALID, "a velocity is not a number.")
        return Wish(velocity, turning)


def _scaled(values: Sequence[float], most: float) -> tuple[float, float, float]:
    x, y, z = (most * v if np.isfinite(v) and abs(v) > _DEAD_ZONE else 0.0 for v in values)
    return x, y, z
