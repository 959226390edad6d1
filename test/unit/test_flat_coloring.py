"""What colour a person would call a thing by, whose sides mostly lie in shade."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.perception.flat.coloring import color_name
from sayso.worlds.flat.colors import PALETTE

PAINTED = {c: c for c in PALETTE if c not in ("wooden", "metal", "glass")} | {"wooden": "brown"}


def picture(color: str, lit: float = 0.3, shade: float = 0.57) -> np.ndarray:
    """(2000, 3) noisy pixels of a thing of which a share is lit and the rest lies in shade."""
    rng = np.random.default_rng(0)
    light = np.where(np.arange(2000) < 2000 * lit, 1.0, shade)
    rgb = 255 * np.asarray(PALETTE[color][:3]) * light[:, None]
    return np.clip(rgb + rng.normal(0, 3, rgb.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("lit", [0.2, 0.4])
@pytest.mark.parametrize("color", PAINTED)
def test_a_thing_is_called_by_its_paint_though_its_sides_lie_in_shade(color, lit):
    assert color_name(picture(color, lit)) == PAINTED[color]


def test_what_is_orange_is_not_brown_where_no_side_is_fully_lit():
    assert color_name(picture("orange", 1.0) * 0.65) == "orange"


def test_nothing_has_no_colour():
    assert color_name(np.zeros((0, 3), np.uint8)) == ""
