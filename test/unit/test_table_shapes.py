"""Surfaces of drawn shapes: even, outside, and each point told which part it is of."""

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.worlds.table.shapes.families import FAMILIES, Block, Mug, draw
from sayso.worlds.table.shapes.pieces import Shape
from sayso.worlds.table.shapes.surface import mesh, sample


def _points(shape: Shape, count: int = 4000):
    return sample(shape, count, np.random.default_rng(0))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_draws_the_same_shape_again_and_another_one_another(family):
    assert draw(family, 7) == draw(family, 7)
    assert draw(family, 7).pieces != draw(family, 8).pieces


def test_an_unknown_family_is_refused_with_the_known_ones():
    with pytest.raises(SaySoError) as refused:
        draw("teapot", 0)
    assert refused.value.code is Code.INVALID
    assert set(refused.value.choices) == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_part_is_seen(family):
    shape = draw(family, 11)
    cloud = _points(shape)
    assert set(cloud.parts) == set(shape.parts)
    assert len(cloud.points) == 4000


def test_a_blocks_points_lie_on_its_six_sides_evenly():
    cloud = _points(Block((0.1, 0.2, 0.3), 1.0).made(), 20000).points
    on_side = np.isclose(np.abs(cloud), [0.05, 0.1, 0.15])
    assert (on_side.sum(axis=1) >= 1).all()
    shares = on_side.mean(axis=0)
    areas = np.array([0.2 * 0.3, 0.1 * 0.3, 0.1 * 0.2])
    assert shares == pytest.approx(areas / areas.sum(), abs=0.02)


def test_a_mugs_handle_is_beside_it_and_its_inside_within():
    shape = draw("mug", 5)
    cloud, radius = _points(shape), shape.size[0] / 2
    handle, hollow, rim = (cloud.of(p) for p in ("handle", "inside", "rim"))
    assert handle[:, 0].min() > 0.5 * radius and handle[:, 0].max() > radius + 0.02
    assert np.hypot(hollow[:, 0], hollow[:, 1]).max() < radius
    assert rim[:, 2] == pytest.approx(shape.size[2] / 2)
    loop = np.array(shape.frames["handle"].position)
    assert np.linalg.norm(cloud.points - loop, axis=1).min() > 0.008, "a peg goes through"


def test_nothing_of_a_handle_is_inside_the_wall():
    mug = Mug(0.04, 1.0, 0.09, 0.006, "square", 0.03, 0.026, 0.0, 0.005, 0.2)
    handle = _points(mug.made()).of("handle")
    out = np.hypot(handle[:, 0], handle[:, 1])
    assert not ((out > 0.0342) & (out < 0.0398)).any()


@pytest.mark.parametrize("family", FAMILIES)
def test_triangles_enclose_the_box_of_the_shape(family):
    shape = draw(family, 2)
    whole = mesh(shape)
    used = whole.vertices[np.unique(whole.faces)]
    assert used[:, 2].min() == pytest.approx(-shape.size[2] / 2, abs=1e-6)
    assert whole.areas().min() > 0
