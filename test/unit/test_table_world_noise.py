import numpy as np
import pytest

from sayso.worlds.noise import NO_NOISE, CameraNoise, NoiseModel, edges

SHAPE = (240, 320)


def flat(depth: float) -> np.ndarray:
    return np.full(SHAPE, depth, np.float32)


def noise(**settings) -> CameraNoise:
    values = {**vars(NO_NOISE), **settings}
    return CameraNoise(NoiseModel(**values), np.random.default_rng(0))


def test_without_noise_images_stay_as_they_are():
    rgb = np.full((*SHAPE, 3), 77, np.uint8)
    assert np.array_equal(noise().depth(flat(1.0)), flat(1.0))
    assert np.array_equal(noise().color(rgb), rgb)


@pytest.mark.parametrize("depth", [0.5, 1.0, 2.0])
def test_depth_noise_grows_with_the_square_of_the_distance(depth):
    out = noise(depth_quadratic=0.001).depth(flat(depth))
    assert out.std() == pytest.approx(0.001 * depth**2, rel=0.05)
    assert out.mean() == pytest.approx(depth, abs=1e-4)


def test_depth_comes_in_steps():
    out = noise(depth_quadratic=0.001, depth_step_m=0.001).depth(flat(1.0))
    assert np.allclose(out * 1000, np.rint(out * 1000), atol=1e-3)
    assert len(np.unique(out)) > 3


def test_pixels_are_missing_at_random_and_more_at_edges():
    depth = flat(1.0)
    depth[:, 160:] = 1.5
    out = noise(missing=0.01, edge_missing=0.5, edge_jump_m=0.02).depth(depth)
    at_edge = edges(depth, 0.02)
    assert at_edge.sum() == 2 * SHAPE[0]
    assert (out[at_edge] == 0).mean() == pytest.approx(0.5, abs=0.08)
    assert (out[~at_edge] == 0).mean() == pytest.approx(0.01, abs=0.003)


def test_two_images_get_different_noise_and_the_same_seed_the_same():
    one, other = noise(color_sigma=3.0), noise(color_sigma=3.0)
    grey = np.full((*SHAPE, 3), 128, np.uint8)
    first = one.color(grey)
    assert not np.array_equal(first, one.color(grey))
    assert np.array_equal(first, other.color(grey))
    assert first.astype(float).std() == pytest.approx(3.0, rel=0.05)


def test_colours_stay_in_range():
    out = noise(color_sigma=20.0, exposure_sigma=0.02).color(np.full((*SHAPE, 3), 250, np.uint8))
    assert out.dtype == np.uint8
    assert out.min() > 100
