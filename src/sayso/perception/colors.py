"""Colour names of pixels and of whole segments, from hue, saturation and value.

Segments are cut by *family*: the part of a colour that lighting hardly changes. An orange
thing in shade is brown, so both are one family; which of the two it is, the segment's median
colour decides.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

# Upper bounds of hue [degrees]; above the last it is red again.
_HUES: tuple[tuple[float, str], ...] = (
    (13.0, "red"),
    (43.0, "orange"),
    (70.0, "yellow"),
    (165.0, "green"),
    (195.0, "cyan"),
    (255.0, "blue"),
    (310.0, "purple"),
    (345.0, "pink"),
)
_GREYISH = 0.22  # saturation below which a colour has no hue to speak of
_BLACK_VALUE = 0.20  # below it a greyish colour is black,
_DARKEST_VALUE = 0.09  # and below this one any colour: noise makes up its hue
_WHITE_VALUE = 0.72
_BROWN_VALUE = 0.62
FAMILIES: tuple[str, ...] = (
    "black",
    "grey",
    "white",
    "red",
    "orange",
    "yellow",
    "green",
    "cyan",
    "blue",
    "purple",
    "pink",
)
_INDEX = {name: i for i, name in enumerate(FAMILIES)}
_MEDIAN_PIXELS = 300
_BITS = 5  # of each channel that tell colours apart


def family(color: str) -> str:
    """The family of a colour's name."""
    return "orange" if color == "brown" else color


def name_color(rgb: npt.NDArray[np.floating] | Image) -> str:
    """The name of one colour (3,), channels 0 to 255."""
    hue, saturation, value = (float(x[0]) for x in _hsv(np.asarray(rgb, float)[None]))
    name = FAMILIES[int(_family_of(*(np.array([x]) for x in (hue, saturation, value)))[0])]
    return "brown" if name == "orange" and value < _BROWN_VALUE else name


def name_colors(rgb: Image) -> str:
    """The name of the median colour of (N, 3) pixels."""
    few = rgb if len(rgb) <= _MEDIAN_PIXELS else rgb[:: -(-len(rgb) // _MEDIAN_PIXELS)]
    return name_color(np.median(few, axis=0))


def family_image(rgb: Image) -> npt.NDArray[np.uint8]:
    """(h, w) index into `FAMILIES` of each pixel of an (h, w, 3) image."""
    shift = 8 - _BITS
    r, g, b = (rgb[..., i].astype(np.uint16) >> shift for i in range(3))
    result: npt.NDArray[np.uint8] = _table()[(r << (2 * _BITS)) | (g << _BITS) | b]
    return result


@lru_cache(maxsize=1)
def _table() -> npt.NDArray[np.uint8]:
    levels = (np.arange(1 << _BITS) + 0.5) * (1 << (8 - _BITS))
    grid = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    return _family_of(*_hsv(grid))


def _hsv(rgb: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.float64], ...]:
    """Hue [degrees], saturation and value (0 to 1) of (N, 3) colours of 0 to 255."""
    r, g, b = (rgb[:, i] / 255.0 for i in range(3))
    value = rgb.max(axis=1) / 255.0
    chroma = value - rgb.min(axis=1) / 255.0
    safe = np.where(chroma > 0, chroma, 1.0)
    sextant = np.where(
        value == r,
        (g - b) / safe % 6,
        np.where(value == g, (b - r) / safe + 2, (r - g) / safe + 4),
    )
    saturation = np.where(value > 0, chroma / np.where(value > 0, value, 1.0), 0.0)
    return np.where(chroma > 0, 60.0 * sextant, 0.0), saturation, value


def _family_of(
    hue: npt.NDArray[np.float64],
    saturation: npt.NDArray[np.float64],
    value: npt.NDArray[np.float64],
) -> npt.NDArray[np.uint8]:
    bounds = [bound for bound, _ in _HUES]
    names = np.array([_INDEX[name] for _, name in _HUES] + [_INDEX["red"]], np.uint8)
    chromatic = names[np.searchsorted(bounds, hue, side="right")]
    grey = np.where(value < _WHITE_VALUE, _INDEX["grey"], _INDEX["white"])
    without_hue = np.where(value < _BLACK_VALUE, _INDEX["black"], grey)
    # The darker, the more saturated a colour must be for its hue to rise above the noise.
    needed = _GREYISH + 0.5 * np.clip((_BLACK_VALUE - value) / _BLACK_VALUE, 0.0, 1.0)
    hueless = (saturation < needed) | (value < _DARKEST_VALUE)
    return np.where(hueless, without_hue, chromatic).astype(np.uint8)
