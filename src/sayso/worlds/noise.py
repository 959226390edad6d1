"""What real sensors add: noise of depth, colour and joint readings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_BANK = 1 << 21
"""Random numbers kept; more than a colour image of 640 x 480 needs twice."""


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


class CameraNoise:
    """Adds a model's noise to images, quickly.

    Random numbers are drawn once into a bank several images long; each image reads them from
    a random place on. Drawing anew would cost three times as much as rendering does.
    """

    def __init__(self, model: NoiseModel, rng: np.random.Generator) -> None:
        self._model = model
        self._rng = rng
        normal = rng.standard_normal(_BANK, dtype=np.float32)
        self._normal = normal * np.float32(model.depth_quadratic)
        self._color = np.rint(normal * np.float32(model.color_sigma)).astype(np.int16)
        self._chance = rng.random(_BANK, dtype=np.float32)

    def depth(self, depth_m: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Depth (H, W) [m] as a sensor would give it; 0 where missing."""
        model, out = self._model, depth_m
        if model.depth_quadratic > 0:
            out = depth_m + self._from(self._normal, depth_m.shape) * depth_m * depth_m
        if model.depth_step_m > 0:
            step = np.float32(model.depth_step_m)
            out = np.rint(out * (1 / step)) * step
        if model.missing > 0 or model.edge_missing > 0:
            out = np.where(self._lost(depth_m), np.float32(0.0), out)
        return np.asarray(out, dtype=np.float32)

    def color(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """An (H, W, 3) image as a sensor would give it."""
        model = self._model
        if model.color_sigma <= 0 and model.exposure_sigma <= 0:
            return rgb
        gain = 1.0 + model.exposure_sigma * self._rng.standard_normal()
        exposed = np.rint(np.arange(256) * gain).astype(np.int16)[rgb]
        exposed += self._from(self._color, rgb.shape)
        return np.asarray(np.clip(exposed, 0, 255, out=exposed), np.uint8)

    def _lost(self, depth_m: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
        model = self._model
        chance = self._from(self._chance, depth_m.shape)
        lost = chance < model.missing
        if model.edge_missing > 0:
            lost |= edges(depth_m, model.edge_jump_m) & (chance < model.edge_missing)
        return np.asarray(lost)

    def _from(self, bank: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        count = int(np.prod(shape))
        start = int(self._rng.integers(0, len(bank) - count))
        return bank[start : start + count].reshape(shape)


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
