"""Where a mobile robot can stand so that its arm reaches something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import Scene
from sayso.skills.arm import Arm
from sayso.skills.boxes import UprightBox, upright_box
from sayso.skills.handling import Target
from sayso.skills.mobile_settings import MobileRobot, MobileSettings, Reach
from sayso.skills.poses import upright

Mask: TypeAlias = npt.NDArray[np.bool_]

_OVERHEAD_M = 0.40
"""What begins higher than this does not meet the base."""
_SMALL_M = 0.03
"""What is lower than this is no obstacle to walking."""
_OF_A_RANK = 3


class Ways(Protocol):
    """Ways over free floor that obey what the task forbids now."""

    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        """The shortest path (N, 2) from a place to one of the goals (M, 2); None without one.

        `yaws` (M,) are the headings there [rad]; then narrow places will do.
        """

    def fits(self, places: Array, yaws: Array) -> Mask:
        """(N,) whether the base may stand at places (N, 2) with headings (N,) [rad]."""

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        """(K, 4) rectangles of what stands around a place and is no known thing: least x and y,
        greatest x and y [m]."""


@dataclass(frozen=True)
class Stand:
    """A place to stand.

    Attributes:
        x, y: of the base's centre [m].
        yaw: its heading, towards what is to be reached [rad].
        cramped: True where the robot only goes straight in and out, for lack of room.
    """

    x: float
    y: float
    yaw: float
    cramped: bool = False

    @property
    def pose(self) -> Pose:
        return upright((self.x, self.y, 0.0), self.yaw)


def stands_around(
    point: Array,
    scene: Scene,
    robot: MobileRobot,
    settings: MobileSettings,
    ahead_m: float = 0.0,
) -> list[Stand]:
    """Free places around a point (2,) of the map that face it, best first.

    `ahead_m` is how far the robot reaches beyond its front. Walls and what else is known of the
    floor are the matter of `Ways`.
    """
    boxes = [upright_box(o) for o in scene.objects if not o.carried]
    low = [b for b in boxes if b.low < _OVERHEAD_M and b.high > _SMALL_M]
    roomy, cramped = [], []
    length, width = robot.footprint_m
    for distance in settings.stand_m:
        for turn in 2 * np.pi * np.arange(settings.stand_turns) / settings.stand_turns:
            x, y = point + distance * np.array([np.cos(turn), np.sin(turn)])
            yaw = float(np.arctan2(-np.sin(turn), -np.cos(turn)))
            room = _room(x, y, low)
            radius = float(np.hypot(length / 2 + ahead_m, width / 2))
            if room > radius + settings.turn_room_m:
                roomy.append(Stand(float(x), float(y), yaw))
            elif _fits(x, y, yaw, low, robot, settings, ahead_m):
                cramped.append(Stand(float(x), float(y), yaw, cramped=True))
    return [*roomy, *cramped]


def _room(x: float, y: float, boxes: Iterable[UprightBox]) -> float:
    place = np.array([[x, y]])
    return min((float(b.gaps(place)[0]) for b in boxes), default=np.inf)


def _fits(
    x: float,
    y: float,
    yaw: float,
    boxes: Sequence[UprightBox],
    robot: MobileRobot,
    settings: MobileSettings,
    ahead_m: float,
) -> bool:
    """Whether the footprint, a little grown, touches nothing: its points are looked at."""
    length, width = (s + 2 * settings.room_m for s in robot.footprint_m)
    length += ahead_m
    grid = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 12), np.linspace(-0.5, 0.5, 7)), axis=-1)
    local = grid.reshape(-1, 2) * (length, width) + (ahead_m / 2, 0.0)
    c, s = np.cos(yaw), np.sin(yaw)
    points = local @ np.array([[c, s], [-s, c]]) + (x, y)
    return all(float(b.gaps(points).min()) > 0.02 for b in boxes)


def foot_at(stand: Pose, robot: MobileRobot) -> Pose:
    """The arm's foot in the map when the base stands there."""
    return stand @ robot.mount


def promising(tool: Pose, reach: Reach, share: float = 1.0) -> bool:
    """Whether the wrist of a tool pose in the arm's frame is about within a share of its reach."""
    approach = rotation_matrix(tool.orientation)[:, 2]
    wrist = np.asarray(tool.position) - reach.wrist_m * approach
    way = float(np.linalg.norm(wrist - (0.0, 0.0, reach.shoulder_m)))
    return reach.least_m < way < share * reach.most_m


def reached(
    arm: Arm,
    reach: Reach,
    targets: Sequence[Target],
    entered: Callable[[Array], bool],
    limit: int,
    most: int = 1,
) -> list[Target]:
    """The best targets (in the arm's frame) that can be come to and entered straight.

    Args:
        entered: whether a straight way (N, J), from the target outwards, is free and can be come
            to.
        limit: how many are looked into.
        most: how many are wanted.
    """
    found: list[Target] = []
    for target in _likely(targets, reach)[:limit]:
        out = arm.way_out(target.tool, target.away)
        if out is not None and entered(out):
            found.append(target)
        if len(found) == most:
            break
    return found


def _likely(targets: Sequence[Target], reach: Reach) -> list[Target]:
    """The targets about within reach, best first, a few of each rank."""
    found: list[Target] = []
    counts: Counter[int] = Counter()
    for target in sorted(targets, key=lambda t: t.rank):
        if counts[target.rank] < _OF_A_RANK and promising(target.tool, reach):
            counts[target.rank] += 1
            found.append(target)
    return found
