"""The colour that a person would call a thing by, from pixels of it in the light of a room.

`perception.colors` names what a lamp over a table shows. In a room most sides of things lie in
shade: white ones look grey there, orange ones brown, and dark screens have a tint. And furniture
has parts: a bed with white sheets is a blue bed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.perception.colors import FAMILIES, Image, family_image
from sayso.perception.flat.sightings import Sighting

_WHITE_VALUE = 0.47  # of a hueless thing whose sides are in shade
_DARK_VALUE, _DARK_SATURATION = 0.26, 0.6  # below both: black with a tint
_ORANGE_SATURATION = 0.7  # what is paler is wood, however bright
_ORANGE_VALUE = 0.58  # of the lit side of what is orange; what is brown is darker
_LIT = 0.9  # share of a thing that is darker than its lit side
_BLACK, _GREY, _WHITE = (FAMILIES.index(n) for n in ("black", "grey", "white"))
_TELLING = 0.3  # share of a thing that a hue must have to be its colour


def color_of(seen: Sequence[Sighting]) -> str:
    """The colour's name of what some sightings show; near ones count more."""
    weights = np.concatenate([np.full(len(s.rgb), 1.0 / (0.5 + s.distance_m)) for s in seen])
    return color_name(np.concatenate([s.rgb for s in seen]), weights)


def color_name(rgb: Image, weights: Array | None = None) -> str:
    """The colour's name of (N, 3) pixels; '' for none."""
    if not len(rgb):
        return ""
    family = _families(rgb)
    votes = np.bincount(family, weights, minlength=len(FAMILIES)).astype(float)
    hues = votes.copy()
    hues[[_BLACK, _GREY, _WHITE]] = 0.0
    best = int(hues.argmax())
    if hues[best] < _TELLING * votes.sum():
        best = int(votes.argmax())
    if best in (_GREY, _WHITE):
        bright = np.median(rgb[(family == _GREY) | (family == _WHITE)].max(axis=1)) / 255
        return "white" if bright > _WHITE_VALUE else "grey"
    if FAMILIES[best] == "orange":  # or brown, which is a dark orange
        own = rgb[family == best]
        middle, bright = np.median(own, axis=0), own.max(axis=1)
        pale = 1.0 - middle.min() / max(float(middle.max()), 1.0) < _ORANGE_SATURATION
        lit = np.quantile(bright, _LIT) / 255
        return "orange" if lit > _ORANGE_VALUE and not pale else "brown"
    return FAMILIES[best]


def _families(rgb: Image) -> npt.NDArray[np.uint8]:
    family = family_image(rgb)
    value = rgb.max(axis=1) / 255.0
    saturation = 1.0 - rgb.min(axis=1) / np.maximum(rgb.max(axis=1), 1)
    tinted = (value < _DARK_VALUE) & (saturation < _DARK_SATURATION)
    return np.where(tinted, _BLACK, family).astype(np.uint8)
