"""Synthetic table scenes seen by both cameras, made once per run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from support.synthetic_frames import (
    Solid,
    block,
    bowl,
    cabinet,
    coaster,
    mug,
    plate,
    render,
)

OPENING_M = 0.12
FULL: tuple[Solid, ...] = (
    plate(0.42, 0.05),
    block("red", 0.42, 0.06, 0.012, 0.3),
    block("blue", 0.5, -0.2, 0.0, 0.6),
    block("green", 0.5, -0.2, 0.045, 0.4),
    mug(0.34, -0.25),
    coaster(0.62, 0.1),
    *bowl(0.62, -0.1),
    block("yellow", 0.62, -0.1, 0.006),
    *cabinet(0.56, 0.38, OPENING_M),
    block("purple", 0.49, 0.38, 0.075),
)


@lru_cache(maxsize=4)
def both(solids: tuple[Solid, ...]) -> tuple[RgbdFrame, ...]:
    """Noisy frames of both cameras."""
    rng = np.random.default_rng(0)
    return tuple(render(solids, camera, rng=rng) for camera in ("left", "right"))


def full_frames() -> tuple[RgbdFrame, ...]:
    return both(FULL)


@lru_cache(maxsize=1)
def full_scene() -> Scene:
    """What perception makes of everything at once."""
    return ScenePerception(RgbdSegmenter()).observe(full_frames(), RobotState())


def apart(a: SceneObject, position: Sequence[float]) -> float:
    return float(np.linalg.norm(np.subtract(a.position, position)))
