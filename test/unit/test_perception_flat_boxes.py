"""Boxes around what was seen of things in a flat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.geometry import Array
from sayso.perception.flat.boxes import fit_box, fit_round

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


def near_side(radius_m: float, turn: float, arc: float, noise_m: float) -> Array:
    """(700, 3) points that a view shows of a cylinder 12 cm high at (1, 2), its top included."""
    rng = np.random.default_rng(0)
    angle, height = turn + rng.uniform(-arc / 2, arc / 2, 500), rng.uniform(0.7, 0.82, 500)
    side = np.column_stack([radius_m * np.cos(angle), radius_m * np.sin(angle), height])
    out, way = radius_m * np.sqrt(rng.uniform(size=200)), rng.uniform(0, 2 * np.pi, 200)
    top = np.column_stack([out * np.cos(way), out * np.sin(way), np.full(200, 0.82)])
    return (
        np.concatenate([side, top]) + np.array([1.0, 2.0, 0.0]) + rng.normal(0, noise_m, (700, 3))
    )


@given(st.floats(0.02, 0.1), st.floats(0.0, 6.3), st.floats(2.1, 3.1), st.floats(0.0, 0.015))
def test_of_what_is_round_the_near_side_tells_the_middle(
    radius_m: float, turn: float, arc: float, noise: float
) -> None:
    points = near_side(radius_m, turn, arc, noise * radius_m)
    box = fit_round(points, fit_box(points))
    assert box is not None
    assert np.allclose(box.centre[:2], (1.0, 2.0), atol=0.05 * radius_m)
    assert box.size[:2] == pytest.approx((2 * radius_m,) * 2, rel=0.06)
    assert (box.low_z, box.size[2]) == pytest.approx((0.7, 0.12), abs=0.01)


@given(st.floats(0.03, 0.3), st.floats(0.2, 1.0), st.floats(0.0, 3.2), st.floats(0.0, 0.003))
def test_two_sides_of_a_box_are_not_round(
    length: float, share: float, yaw: float, noise_m: float
) -> None:
    rng = np.random.default_rng(0)
    width, n = share * length, 600
    along, height = rng.uniform(-0.5, 0.5, n), rng.uniform(0.7, 0.8, n)
    long = rng.uniform(size=n) < length / (length + width)
    x = np.where(long, length * along, -length / 2)
    y = np.where(long, -width / 2, width * along)
    c, s = np.cos(yaw), np.sin(yaw)
    points = np.column_stack([c * x - s * y, s * x + c * y, height])
    points += rng.normal(0, noise_m, points.shape)
    assert fit_round(points, fit_box(points)) is None


def test_too_few_points_are_not_round() -> None:
    points = near_side(0.03, 0.0, 2.6, 0.0)[:20]
    assert fit_round(points, fit_box(points)) is None
