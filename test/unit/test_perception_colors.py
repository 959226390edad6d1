from __future__ import annotations

import numpy as np
import pytest

from sayso.perception.colors import FAMILIES, family, family_image, name_color, name_colors
from support.synthetic_frames import COLORS


@pytest.mark.parametrize(("name", "rgb"), COLORS.items())
def test_a_color_keeps_its_name_under_noise_and_other_light(name, rgb):
    rng = np.random.default_rng(0)
    for gain in (0.9, 1.0, 1.05):
        pixels = np.clip(rng.normal(np.array(rgb) * gain, 5, (200, 3)), 0, 255).astype(np.uint8)
        assert name_colors(pixels) == name


def test_shade_turns_orange_to_brown_but_not_to_another_family():
    orange = np.array([235, 120, 20])
    assert name_color(orange) == "orange"
    assert name_color(orange * 0.4) == "brown"
    assert family("brown") == family("orange") == "orange"


def test_the_image_of_families_agrees_with_single_colors():
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (40, 50, 3)).astype(np.uint8)
    image &= 0xF8
    image |= 4  # the middle of each step of the look-up table
    named = [[family(name_color(pixel.astype(float))) for pixel in row] for row in image]
    found = np.array(FAMILIES)[family_image(image)]
    assert (found == np.array(named)).all()


def test_very_dark_pixels_have_no_hue():
    assert name_color(np.array([20.0, 6.0, 4.0])) == "black"
    assert name_color(np.array([60.0, 10.0, 8.0])) == "red"
