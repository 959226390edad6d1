"""Perception's geometry: what is projected comes back, what is built is fitted."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.geometry import Pose, quaternion_from_matrix
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception.camera import cloud, project, see
from sayso.perception.shapes import fit_circle, fit_rectangle, quarter_turn
from sayso.perception.table import TableSearch, estimate_table

steady = settings(derandomize=True, deadline=None, max_examples=25)
numbers = st.floats(-1.0, 1.0)
seeds = st.integers(0, 2**32 - 1)
lenses = st.builds(
    Intrinsics,
    width=st.integers(4, 40),
    height=st.integers(4, 40),
    fx=st.floats(20, 900),
    fy=st.floats(20, 900),
    cx=st.floats(-5, 45),
    cy=st.floats(-5, 45),
)


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    matrix = np.random.default_rng(draw(seeds)).normal(size=(3, 3))
    rotation, _ = np.linalg.qr(matrix)
    rotation *= np.sign(np.linalg.det(rotation))
    return Pose((draw(numbers), draw(numbers), draw(numbers)), quaternion_from_matrix(rotation))


@steady
@given(lenses, seeds, st.integers(1, 3))
def test_projecting_a_cloud_gives_the_pixels(lens, seed, stride):
    depth = np.random.default_rng(seed).uniform(0.2, 3.0, (lens.height, lens.width))
    rgb = np.zeros((*depth.shape, 3), np.uint8)
    frame = RgbdFrame("c", 0.0, rgb, depth.astype(np.float32), lens, Pose())
    pixels = project(cloud(frame, stride).points.reshape(-1, 3).astype(float), lens)
    v, u = np.mgrid[0 : lens.height : stride, 0 : lens.width : stride]
    np.testing.assert_allclose(pixels, np.column_stack([u.ravel(), v.ravel()]), atol=1e-3)


@steady
@given(lenses, poses(), seeds)
def test_a_camera_sees_its_own_cloud_where_it_is(lens, pose, seed):
    depth = np.random.default_rng(seed).uniform(0.2, 3.0, (lens.height, lens.width))
    depth[0, 0] = 0.0
    rgb = np.zeros((*depth.shape, 3), np.uint8)
    view = cloud(RgbdFrame("c", 0.0, rgb, depth.astype(np.float32), lens, pose))
    assert not view.valid[0, 0] and view.valid.sum() == depth.size - 1
    pixels, depths, inside = see(view.points[view.valid].astype(float), pose, lens)
    assert inside.all()
    np.testing.assert_allclose(depths, depth[view.valid], rtol=1e-4)
    np.testing.assert_allclose(np.rint(pixels), np.argwhere(view.valid)[:, ::-1])


@steady
@given(poses())
def test_nothing_behind_a_camera_is_seen(pose):
    lens = Intrinsics(40, 30, 40.0, 40.0, 19.5, 14.5)
    behind = pose.transform(np.array([[0.0, 0.0, -1.0], [0.1, 0.0, -0.2], [0.0, 0.0, 0.0]]))
    _, _, inside = see(behind, pose, lens)
    assert not inside.any()


@steady
@given(st.floats(-0.04, 0.04), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02), seeds, st.booleans())
def test_the_table_is_found_under_clutter(height, slope_x, slope_y, seed, cluttered):
    rng = np.random.default_rng(seed)
    xy = rng.uniform([0.2, -0.5], [0.9, 0.5], (3000, 2))
    z = height + slope_x * xy[:, 0] + slope_y * xy[:, 1] + rng.normal(0, 0.001, 3000)
    if cluttered:
        z[:900] += rng.uniform(0.0, 0.2, 900)
    points = np.column_stack([xy, z]).astype(np.float32)
    plane = estimate_table(points, TableSearch(reach_m=0.09))
    for x, y in ((0.3, -0.4), (0.8, 0.4)):
        assert abs(plane.at(x, y) - (height + slope_x * x + slope_y * y)) < 0.002


@steady
@given(numbers, numbers, st.floats(0.03, 0.3), st.floats(0.2, 1.0), st.floats(0, 3.1), seeds)
def test_a_rectangle_is_fitted(x, y, length, ratio, yaw, seed):
    width = length * ratio
    rng = np.random.default_rng(seed)
    local = rng.uniform(-0.5, 0.5, (2500, 2)) * [length, width]
    c, s = np.cos(yaw), np.sin(yaw)
    fitted = fit_rectangle(local @ np.array([[c, s], [-s, c]]) + [x, y])
    slack = 0.05 * length
    assert np.hypot(fitted.centre[0] - x, fitted.centre[1] - y) < slack
    assert abs(fitted.length - length) < 2 * slack
    assert abs(fitted.width - width) < 2 * slack
    assert abs(quarter_turn(fitted.yaw - yaw)) < 0.12


@steady
@given(numbers, numbers, st.floats(0.035, 0.12), st.floats(0, 6.2), st.floats(0.5, 1.0), seeds)
def test_a_circle_is_fitted_from_half_of_it_and_a_handle(x, y, radius, start, share, seed):
    rng = np.random.default_rng(seed)
    angles = start + rng.uniform(0, 2 * np.pi * share, 600)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * radius
    ring += rng.normal(0, 0.0004, ring.shape)
    out = rng.uniform(radius, radius + 0.03, 60)
    handle = np.column_stack([np.cos(start + 1), np.sin(start + 1)]) * out[:, None]
    circle = fit_circle(np.vstack([ring, handle]) + np.array([x, y]), (0.03, 0.13))
    assert circle is not None
    assert np.hypot(circle.centre[0] - x, circle.centre[1] - y) < 0.005
    assert abs(circle.radius - radius) < 0.005


@steady
@given(st.floats(-20, 20))
def test_a_quarter_turn_is_no_turn_for_a_square(yaw):
    turned = quarter_turn(yaw)
    assert -np.pi / 4 <= turned < np.pi / 4 + 1e-9
    assert abs(np.sin(2 * (turned - yaw))) < 1e-6
