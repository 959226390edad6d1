"""Frames of a room with boxes for furniture, ray-cast without a simulator, and tours of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sayso.core.geometry import Vector3
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception.flat.memory import FrameMemory
from support.synthetic_frames import Solid, look_at, render

CAMERA = Intrinsics(240, 180, 156.0, 156.0, 119.5, 89.5)
"""As wide as the flat robot's, and coarse."""
EYES: tuple[Vector3, ...] = (
    (0.2, -1.2, 1.4), (0.4, 0.0, 1.4), (0.2, 1.2, 1.4), (1.2, 0.6, 1.4), (1.2, -0.8, 1.4),
)  # fmt: skip
_BACKGROUND_M = 9.0
_MISSING = 0.004


def sofa(x: float, y: float, color: str = "blue", word: str = "sofa") -> Solid:
    return Solid(color, (x, y, 0.4), (0.9, 1.8, 0.8), label=f"{color} {word}")


def table(x: float, y: float, color: str = "brown", word: str = "table") -> Solid:
    return Solid(color, (x, y, 0.35), (0.8, 1.2, 0.7), label=f"{color} {word}")


def mug(x: float, y: float, foot: float = 0.7, color: str = "red") -> Solid:
    return Solid(color, (x, y, foot + 0.06), (0.1, 0.1, 0.12), round=True, label=f"{color} mug")


def cat(x: float, y: float) -> Solid:
    return Solid("orange", (x, y, 0.16), (0.5, 0.2, 0.32), label="orange cat")


def seen(
    solids: Sequence[Solid],
    eye: Vector3 = (0.2, 0.0, 1.4),
    target: Vector3 = (3.0, 0.0, 0.4),
    stamp_s: float = 0.0,
) -> RgbdFrame:
    """What the camera sees from one place, with noise that the stamp seeds."""
    clean = _clean(tuple(solids), eye, target)
    rng = np.random.default_rng(round(stamp_s * 10))
    shape = clean.depth_m.shape
    rgb = clean.rgb + 4 * rng.standard_normal((*shape, 3), np.float32)
    depth = clean.depth_m + 0.0012 * rng.standard_normal(shape, np.float32) * clean.depth_m**2
    depth[rng.random(shape) < _MISSING] = 0.0
    return replace(clean, stamp_s=stamp_s, rgb=np.clip(rgb, 0, 255).astype(np.uint8), depth_m=depth)


@lru_cache(maxsize=64)
def _clean(solids: tuple[Solid, ...], eye: Vector3, target: Vector3) -> RgbdFrame:
    with np.errstate(invalid="ignore"):
        frame = render(solids, "front", pose=look_at(eye, target), intrinsics=CAMERA)
    far = (frame.depth_m <= 0) | (frame.depth_m > _BACKGROUND_M)
    return replace(frame, depth_m=np.where(far, np.float32(_BACKGROUND_M), frame.depth_m))


def tour(
    solids: Sequence[Solid],
    eyes: Iterable[Vector3] = EYES,
    start_s: float = 1.0,
    target: Vector3 = (3.2, 0.0, 0.4),
) -> list[RgbdFrame]:
    """A frame from each place, one a second."""
    return [seen(solids, eye, target, start_s + i) for i, eye in enumerate(eyes)]


def remembered(frames: Iterable[RgbdFrame]) -> FrameMemory:
    """A memory of some frames."""
    memory = FrameMemory()
    for frame in frames:
        memory.add(frame)
    return memory
