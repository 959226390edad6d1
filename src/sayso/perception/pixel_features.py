"""What a network that names pixels is shown of a frame: colour, height and nearness."""

from __future__ import annotations

import numpy as np

from sayso.core.ports import RgbdFrame
from sayso.perception.camera import Floats, cloud

CHANNELS = 6
_HIGH_M = (-0.5, 3.0)
_NEAREST_M = 0.25


def pixel_features(frame: RgbdFrame, stride: int = 1) -> Floats:
    """(6, h, w) of every `stride`-th pixel: red, green, blue, height, nearness, measured.

    Colours lie within -1 to 1; the height over the floor of the frame's map [2 m] and the nearness
    (one over depth, [2/m]) are 0 where no depth was measured, and `measured` is 1 where it was.
    Heights tell a table from a coffee table, which a picture alone cannot.
    """
    seen = cloud(frame, stride)
    features = np.empty((CHANNELS, *seen.valid.shape), np.float32)
    features[:3] = np.moveaxis(seen.rgb, -1, 0)
    features[:3] *= np.float32(2 / 255)
    features[:3] -= 1
    features[3] = np.where(seen.valid, np.clip(seen.points[..., 2], *_HIGH_M) / 2, 0.0)
    features[4] = np.where(seen.valid, 0.5 / np.maximum(seen.depth_m, _NEAREST_M), 0.0)
    features[5] = seen.valid
    return features
