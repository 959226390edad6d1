"""What the mobile skills must know of a robot, and how they go about things."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.core.base_limits import DEFAULT_BASE, BaseLimits
from sayso.core.geometry import Pose
from sayso.core.ports import Obstacle
from sayso.skills.driving import DriveLimits
from sayso.skills.gate_limits import GateLimits
from sayso.skills.settings import SkillSettings

Posture = tuple[float, ...]
_HIGHEST_M = 1.25
"""Above the arm's foot: higher than a hand over a worktop."""
_BEHIND_M = 0.65
"""Of the arm's foot: the hand may pass over the robot's own back on its way."""
_ASIDE_M = 0.95
"""As far as the arm reaches: around a robot there is no table's edge."""


@dataclass(frozen=True)
class Reach:
    """About how far an arm reaches, told without solving for its joints.

    Attributes:
        shoulder_m: height of its shoulder above the arm's foot.
        wrist_m: from its wrist to the tool centre point, along the tool.
        least_m, most_m: from shoulder to wrist.
    """

    shoulder_m: float
    wrist_m: float
    least_m: float
    most_m: float


@dataclass(frozen=True)
class MobileRobot:
    """A base with an arm on it.

    Attributes:
        mount: the arm's foot in the base's frame; upright.
        footprint_m: length and width of the base.
        stowed: postures [rad] of the empty arm for driving, best first.
        carrying: postures for driving with something in the hand, best first.
        reach: of the arm.
        limits: of the base.
        body: what the arm must keep off on its own robot, in the arm's frame.
        camera: the optical frame of the hand's camera in the tool's frame; None without one.
        width_m: to which the hand opens.
    """

    mount: Pose
    footprint_m: tuple[float, float]
    stowed: tuple[Posture, ...]
    carrying: tuple[Posture, ...]
    reach: Reach
    limits: BaseLimits = DEFAULT_BASE
    body: tuple[Obstacle, ...] = ()
    camera: Pose | None = None
    width_m: float = GateLimits().width_m

    def drive_limits(self) -> DriveLimits:
        """The gate's, with this robot's speeds, outline and postures for driving."""
        stowed = (*self.stowed, *self.carrying)
        return DriveLimits(base=self.limits, footprint_m=self.footprint_m, stowed=stowed)

    def gate_limits(self) -> GateLimits:
        """The gate's, for an arm that also reaches down to the floor."""
        far = GateLimits().high[0]
        return replace(
            GateLimits(),
            low=(-_BEHIND_M, -_ASIDE_M, -self.mount.position[2]),
            high=(far, _ASIDE_M, _HIGHEST_M),
            width_m=self.width_m,
        )


_ARM = SkillSettings(speed=0.7, slow_speed=0.35, release_gap_m=0.012)


@dataclass(frozen=True)
class MobileSettings:
    """Lengths in metres, in the map or the arm's frame.

    Attributes:
        arm: of the arm's own motions.
        stand_m: distances from a thing to the middle of the base to try, best first.
        stand_turns: directions around the thing to try.
        room_m: clearance of the footprint where the robot stands.
        turn_room_m: clearance of the whole circle in which it turns, where there is that much.
        carried_ahead_m: how far the hand and what it holds reach beyond the base's front, where
            they do not fit into the first posture for carrying.
        stands: places whose reach is looked into before the robot drives to one.
        tries: places to drive to, or grasps to make, before the skill fails.
        near_m: how far around the arm's foot things count as obstacles.
        looks: scenes that are averaged before the hand reaches for something.
        look_s: so long the hand's camera waits to see a thing, or that it is gone.
        look_m: heights of the tool above a thing for looking at it, best first.
        grip_depth_m: how far below a thing's top the hand takes it.
        lift_m: lengths of the straight way down to a thing and up again, best first.
        lower_m: lengths of the straight way down to where a thing is let go, where the arm's own
            begins out of reach; best first.
        drop_tilts: by how much a thing that is dropped into something may lean towards the robot
            [rad]: over a high rim the hand reaches farther when it is slanted; best first.
        beside_m: gap between a receptacle and what is put beside it.
    """

    arm: SkillSettings = _ARM
    stand_m: tuple[float, ...] = (0.80, 0.90, 0.72, 1.0, 1.10)
    stand_turns: int = 24
    room_m: float = 0.03
    turn_room_m: float = 0.02
    carried_ahead_m: float = 0.10
    stands: int = 6
    tries: int = 3
    near_m: float = 1.15
    looks: int = 4
    look_s: float = 3.0
    look_m: tuple[float, ...] = (0.24, 0.17, 0.12)
    grip_depth_m: float = 0.035
    lift_m: tuple[float, ...] = (0.10, 0.07)
    lower_m: tuple[float, ...] = (0.06, 0.03)
    drop_tilts: tuple[float, ...] = (0.0, 0.35, 0.7)
    beside_m: float = 0.10


DEFAULT_MOBILE = MobileSettings()
