"""What real sensors add: noise of depth, colour and joint readings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class NoiseModel:
    """Sensor noise; the defaults resemble a RealSense-class camera and a Panda's encoders.

    Attributes:
        depth_quadratic: standard deviation of depth over its square [1/m]. Stereo noise
            grows with the square of the distance (Keselman et al. 2017, sec. 3).
        depth_step_m: depth is quantised to multiples of this.
        missing: share of pixels without depth, anywhere.
        edge_missing: share of pixels without depth where depth jumps.
        edge_jump_m: how large a jump between neighbours counts as an edge.
        color_sigma: standard deviation of each colour value (of 255).
        exposure_sigma: relative standard deviation of an image's brightness.
        joint_sigma_rad: standard deviation of each arm joint's reading.
        finger_sigma_m: standard deviation of each finger's reading.
    """

    depth_quadratic: float = 0.0012
    depth_step_m: float = 0.001
    missing: float = 0.004
    edge_missing: float = 0.5
    edge_jump_m: float = 0.02
    color_sigma: float = 3.0
    exposure_sigma: float = 0.02
    joint_sigma_rad: float = 0.0002
    finger_sigma_m: float = 0.0001


NO_NOISE = NoiseModel(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


def noisy_depth(
    depth_m: npt.NDArray[np.float32], noise: NoiseModel, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Depth (H, W) [m] as a sensor would give it; 0 where missing."""
    out = depth_m
    if noise.depth_quadratic > 0:
        spread = rng.standard_normal(depth_m.shape, dtype=np.float32)
        spread *= np.float32(noise.depth_quadratic)
        out = depth_m + spread * np.square(depth_m)
    if noise.depth_step_m > 0:
        step = np.float32(noise.depth_step_m)
        out = np.rint(out / step) * step
    lost = _lost(depth_m, noise, rng)
    if lost is not None:
        out = np.where(lost, np.float32(0.0), out)
    return np.asarray(out, dtype=np.float32)


def _lost(
    depth_m: npt.NDArray[np.float32], noise: NoiseModel, rng: np.random.Generator
) -> npt.NDArray[np.bool_] | None:
    if noise.missing <= 0 and noise.edge_missing <= 0:
        return None
    chance = rng.random(depth_m.shape, dtype=np.float32)
    lost = chance < noise.missing
    if noise.edge_missing > 0:
        lost |= edges(depth_m, noise.edge_jump_m) & (chance < noise.edge_missing)
    return np.asarray(lost)


def edges(depth_m: npt.NDArray[np.float32], jump_m: float) -> npt.NDArray[np.bool_]:
    """Pixels (H, W) on either side of a depth jump between horizontal or vertical neighbours."""
    found = np.zeros(depth_m.shape, dtype=bool)
    down = np.abs(np.diff(depth_m, axis=0)) > jump_m
    right = np.abs(np.diff(depth_m, axis=1)) > jump_m
    found[:-1] |= down
    found[1:] |= down
    found[:, :-1] |= right
    found[:, 1:] |= right
    return found


def noisy_color(
    rgb: npt.NDArray[np.uint8], noise: NoiseModel, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """An (H, W, 3) image as a sensor would give it."""
    if noise.color_sigma <= 0 and noise.exposure_sigma <= 0:
        return rgb
    gain = np.float32(1.0 + noise.exposure_sigma * rng.standard_normal())
    spread = rng.standard_normal(rgb.shape, dtype=np.float32)
    spread *= np.float32(noise.color_sigma)
    spread += rgb * gain
    return np.clip(spread, 0, 255).astype(np.uint8)
