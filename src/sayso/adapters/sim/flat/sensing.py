"""What the mobile robot senses besides its cameras: where it is, and how far things are."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.adapters.sim.flat import robot
from sayso.adapters.sim.flat.scene import about_z
from sayso.adapters.sim.noise import NO_NOISE, NoiseModel
from sayso.core.geometry import Array, Pose

LASER_BEAMS = 360
LASER_RANGE_M = (0.05, 12.0)
LASER_ANGLE_RAD = 1.5 * np.pi
_SEEN_GROUPS = np.array([1, 1, 0, 0, 0, 0], np.uint8)


@dataclass(frozen=True)
class FlatNoise:
    """Noise of the mobile robot's senses.

    Attributes:
        sensors: of cameras and joint readings.
        place_sigma_m, heading_sigma_rad: of each localisation fix (a robot that knows the map
            from its tour, as Spot's own localisation does, is off by about this much).
        drift_share: odometry's error over the way gone; it adds up.
        range_sigma_m: of each laser beam.
    """

    sensors: NoiseModel = field(default_factory=NoiseModel)
    place_sigma_m: float = 0.01
    heading_sigma_rad: float = 0.005
    drift_share: float = 0.02
    range_sigma_m: float = 0.01


SILENT = FlatNoise(NO_NOISE, 0.0, 0.0, 0.0, 0.0)
"""Perfect senses."""


@dataclass(frozen=True)
class Odometry:
    """Where the base is, in the frame in which the pose is told, and its own velocity.

    `velocity` is forward, left [m/s] and turn [rad/s] in the base frame.
    """

    stamp_s: float
    pose: Pose
    velocity: tuple[float, float, float]


@dataclass(frozen=True)
class LaserScan:
    """Ranges (N,) [m] at equal angles from `-LASER_ANGLE_RAD / 2`; inf where nothing was hit."""

    stamp_s: float
    ranges: npt.NDArray[np.float32]


class DeadReckoning:
    """Adds up how the base moved, with an error that grows."""

    def __init__(self, start: Array, noise: FlatNoise, rng: np.random.Generator) -> None:
        self._last, self._place = np.array(start), np.zeros(3)
        self._noise, self._rng = noise, rng

    def moved(self, now: Array) -> None:
        """Take the base's new true joint position (3,)."""
        world = now[:2] - self._last[:2]
        c, s = np.cos(self._last[2]), np.sin(self._last[2])
        own = np.array([c * world[0] + s * world[1], -s * world[0] + c * world[1]])
        turn = float(now[2] - self._last[2])
        way = float(np.linalg.norm(own)) + 0.2 * abs(turn)
        error = self._noise.drift_share * way * self._rng.standard_normal(3)
        own += error[:2]
        a = self._place[2]
        self._place[:2] += (
            np.cos(a) * own[0] - np.sin(a) * own[1],
            np.sin(a) * own[0] + np.cos(a) * own[1],
        )
        self._place[2] += turn + error[2]
        self._last = np.array(now)

    @property
    def pose(self) -> Pose:
        """In the frame `odom`, which is where the robot started."""
        return planar(self._place)


def planar(place: Array) -> Pose:
    """The pose of x, y [m] and yaw [rad] on the floor."""
    return Pose((float(place[0]), float(place[1]), 0.0), about_z(float(place[2])))


def believed(place: Array, noise: FlatNoise, rng: np.random.Generator) -> Array:
    """A localisation fix (3,) of a true place."""
    sigma = np.array([noise.place_sigma_m, noise.place_sigma_m, noise.heading_sigma_rad])
    return np.asarray(place + sigma * rng.standard_normal(3))


def laser_ranges(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    base: Pose,
    noise: FlatNoise,
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    """One scan from the laser's place on a base whose true pose is given."""
    mount = base @ robot.LASER_MOUNT
    yaw = 2 * np.arctan2(base.orientation[2], base.orientation[3])
    angles = yaw + np.linspace(-LASER_ANGLE_RAD / 2, LASER_ANGLE_RAD / 2, LASER_BEAMS)
    beams = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(LASER_BEAMS)])
    hit = np.empty(LASER_BEAMS, np.int32)
    ranges = np.empty(LASER_BEAMS)
    mujoco.mj_multiRay(
        model, data, np.array(mount.position), beams.ravel(), _SEEN_GROUPS, 1, -1, hit, ranges,
        None, LASER_BEAMS, LASER_RANGE_M[1],
    )  # fmt: skip
    ranges += noise.range_sigma_m * rng.standard_normal(LASER_BEAMS)
    nothing = (hit < 0) | (ranges < LASER_RANGE_M[0])
    return np.where(nothing, np.inf, ranges).astype(np.float32)
