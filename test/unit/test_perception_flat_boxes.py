"""Boxes around what was seen of things in a flat."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.geometry import Array
from sayso.perception.flat.boxes import fit_box

NOISE_M = 0.01


def two_sides(length: float, width: float, yaw: float, seed: int = 0) -> Array:
    """(N, 3) noisy points of two upright sides that meet at the origin, 1.5 m high."""
    rng = np.random.default_rng(seed)
    along = np.sort(rng.uniform(-length, width, 1500))
    x, y = np.maximum(-along, 0.0), np.maximum(along, 0.0)
    local = np.column_stack([x, y, rng.uniform(0.1, 1.5, len(along))])
    c, s = np.cos(yaw), np.sin(yaw)
    turned = local @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return np.asarray(turned + NOISE_M * rng.standard_normal(local.shape))


@pytest.mark.parametrize("yaw", [0.0, 0.3, -0.7])
@pytest.mark.parametrize("size", [(0.68, 0.70), (1.2, 0.6)])
def test_two_sides_that_were_seen_are_sides_of_the_box(
    size: tuple[float, float], yaw: float
) -> None:
    length, width = size
    box = fit_box(two_sides(length, width, yaw))
    c, s = np.cos(yaw), np.sin(yaw)
    middle = (c * length / 2 - s * width / 2, s * length / 2 + c * width / 2)
    assert np.allclose(box.centre[:2], middle, atol=0.04)
    off = (box.yaw - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
    assert abs(off) < 0.05
    assert np.allclose(sorted(box.size[:2]), sorted(size), atol=0.05)
