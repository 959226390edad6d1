"""What the mobile robot senses besides its cameras: where it is, and how far things are."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose
from sayso.worlds.flat import robot
from sayso.worlds.flat.scene import about_z
from sayso.worlds.noise import NO_NOISE, NoiseModel

LASER_BEAMS = 720
"""Of the scan that both lasers make together, all around."""
LASER_RANGE_M = (0.05, 12.0)
SWEEP_BEAMS = 540
"""Of each laser's own sweep over `SWEEP_RAD`."""
SWEEP_RAD = 1.5 * np.pi
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


LEAST_VARIANCE = 1e-8
"""What even perfect senses are told with: filters take 0 for certain, and divide by it."""
SILENT = FlatNoise(NO_NOISE, 0.0, 0.0, 0.0, 0.0)
"""Perfect senses."""


@dataclass(frozen=True)
class Odometry:
    """Where the base is, in the frame in which the pose is told, and its own velocity.

    Attributes:
        velocity: forward, left [m/s] and turn [rad/s] in the base frame.
        covariance: (3, 3) of x, y [m] and yaw [rad] of the pose.
    """

    stamp_s: float
    pose: Pose
    velocity: tuple[float, float, float]
    covariance: Array


@dataclass(frozen=True)
class LaserScan:
    """Ranges (N,) [m] at `laser_angles`; inf where nothing was hit."""

    stamp_s: float
    ranges: npt.NDArray[np.float32]


class DeadReckoning:
    """Adds up how the base moved, with an error that grows."""

    def __init__(self, start: Array, noise: FlatNoise, rng: np.random.Generator) -> None:
        self._last, self._place = np.array(start), np.zeros(3)
        self._covariance = LEAST_VARIANCE * np.eye(3)
        self._noise, self._rng = noise, rng

    def moved(self, now: Array) -> None:
        """Take the base's new true joint position (3,)."""
        world = now[:2] - self._last[:2]
        c, s = np.cos(self._last[2]), np.sin(self._last[2])
        own = np.array([c * world[0] + s * world[1], -s * world[0] + c * world[1]])
        turn = float(now[2] - self._last[2])
        way = float(np.linalg.norm(own)) + 0.2 * abs(turn)
        sigma = self._noise.drift_share * way
        error = sigma * self._rng.standard_normal(3)
        own += error[:2]
        a = self._place[2]
        step = (
            np.cos(a) * own[0] - np.sin(a) * own[1],
            np.sin(a) * own[0] + np.cos(a) * own[1],
        )
        self._place[:2] += step
        self._place[2] += turn + error[2]
        # A heading that is wrong leads the step aside, beside the step's own error.
        aside = np.array([[1.0, 0.0, -step[1]], [0.0, 1.0, step[0]], [0.0, 0.0, 1.0]])
        self._covariance = aside @ self._covariance @ aside.T + sigma**2 * np.eye(3)
        self._last = np.array(now)

    @property
    def covariance(self) -> Array:
        """(3, 3) of the pose's x, y [m] and yaw [rad]."""
        return self._covariance.copy()

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


def laser_angles() -> Array:
    """(N,) of the beams of a scan, in the frame of the scan [rad]: all around, from behind."""
    return -np.pi + 2 * np.pi / LASER_BEAMS * np.arange(LASER_BEAMS, dtype=np.float64)


def laser_ranges(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    base: Pose,
    noise: FlatNoise,
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    """One scan of a base whose true pose is given: the nearest that any laser met, by direction."""
    scan = np.full(LASER_BEAMS, np.inf)
    for mount in robot.LASERS:
        met = robot.LASER_MOUNT.inverse().transform(_sweep(model, data, base, mount, noise, rng))
        ways = np.arctan2(met[:, 1], met[:, 0]) + np.pi
        beams = np.round(ways / (2 * np.pi) * LASER_BEAMS).astype(np.intp) % LASER_BEAMS
        np.minimum.at(scan, beams, np.hypot(met[:, 0], met[:, 1]))
    return scan.astype(np.float32)


def _sweep(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    base: Pose,
    mount: Pose,
    noise: FlatNoise,
    rng: np.random.Generator,
) -> Array:
    """(N, 3) what one laser meets, in the base's frame [m]."""
    angles = np.linspace(-SWEEP_RAD / 2, SWEEP_RAD / 2, SWEEP_BEAMS)
    beams = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(SWEEP_BEAMS)])
    laser = base @ mount
    start = np.array(laser.position)
    hit, ranges = np.empty(SWEEP_BEAMS, np.int32), np.empty(SWEEP_BEAMS)
    mujoco.mj_multiRay(
        model, data, start, (laser.transform(beams) - start).ravel(), _SEEN_GROUPS, 1, -1, hit,
        ranges, None, SWEEP_BEAMS, LASER_RANGE_M[1],
    )  # fmt: skip
    ranges += noise.range_sigma_m * rng.standard_normal(SWEEP_BEAMS)
    met = (hit >= 0) & (ranges >= LASER_RANGE_M[0])
    return mount.transform(beams[met] * ranges[met, None])
