"""Closed surfaces of revolution: smooth hulls for mugs, bowls and plates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def lathe(
    profile: Sequence[tuple[float, float]], segments: int = 48
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Vertices (N, 3) and outward triangles (M, 3) of a profile turned about z.

    Args:
        profile: (radius, height) pairs [m] from the axis at the bottom, around the outside,
            to the axis at the top; the first and last have radius 0, the others more.
        segments: how many facets a full turn has.
    """
    rings = profile[1:-1]
    angles = 2 * np.pi * np.arange(segments) / segments
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    vertices = [(0.0, 0.0, profile[0][1])]
    vertices += [(r * c, r * s, z) for r, z in rings for c, s in circle]
    vertices.append((0.0, 0.0, profile[-1][1]))
    faces = _caps(segments, len(rings)) + _bands(segments, len(rings))
    return np.asarray(vertices, dtype=float), np.asarray(faces, dtype=np.int32)


def _caps(n: int, rings: int) -> list[tuple[int, int, int]]:
    top, last = 1 + rings * n, 1 + (rings - 1) * n
    bottom = [(0, 1 + (i + 1) % n, 1 + i) for i in range(n)]
    return bottom + [(top, last + i, last + (i + 1) % n) for i in range(n)]


def _bands(n: int, rings: int) -> list[tuple[int, int, int]]:
    faces = []
    for ring in range(rings - 1):
        low, high = 1 + ring * n, 1 + (ring + 1) * n
        for i in range(n):
            j = (i + 1) % n
            faces += [(low + i, low + j, high + j), (low + i, high + j, high + i)]
    return faces
