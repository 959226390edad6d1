"""Where the surface is that points in voxels are of: noise spreads them over its neighbours.

A wall that is seen from some metres away, from places that are known to a centimetre or two,
leaves points in the voxels in front of it and behind it, and over a tour enough of them to take
these for part of it. All its points together tell where it is far better than a voxel's size.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sayso.core.geometry import Array
from sayso.perception.voxels import Keys, Leans, Mask, pack

INWARD = 0.2
"""How far behind its surface a point is what stands there [voxels], along the rays.

At 0.5 a cell would count as taken where its middle is, as in maps drawn by hand. Less keeps the
walls a centimetre or two on the safe side: bodies are driven by such maps.
"""


COVERED = 0.5
"""The share of the points of a full voxel from which on one at the rim of a flat top stays."""


def surface_cells(cells: Keys, hits: Keys, leans: Leans, voxel_m: float) -> Keys:
    """(N, 2) for each voxel the cell of the floor in which the surface that it shows stands.

    The points of a voxel and of those around it, at its height, have their middle on the surface
    (one step of mean shift, Comaniciu and Meer 2002). From there it goes a little along the rays,
    as far as they agree: what is solid lies behind. Each voxel gives one cell, at most two away:
    nothing gets lost, however thin it is.

    Of a flat top, as a table's, that middle lies inside of its rim. There a voxel stays where it
    is if the top covers about half of it, which its share of points tells.

    Args:
        cells: (N, 3) distinct voxels, ascending by key, as counts along x, y, z.
        hits: (N,) points in each.
        leans: (N, 4) see `VoxelStore`.
        voxel_m: side of a voxel.
    """
    keys = pack(cells)
    middles = (cells[:, :2] + 0.5) * voxel_m + leans[:, :2]
    own = np.column_stack([np.ones(len(cells)), middles, leans[:, 2:]]) * hits[:, None]
    around, most, flat = np.zeros_like(own), np.zeros_like(hits), np.ones(len(cells), bool)
    for dx, dy in product((-1, 0, 1), repeat=2):
        wanted = pack(cells + np.array((dx, dy, 0)))
        at = np.searchsorted(keys, wanted)
        there = _is_at(keys, at, wanted)
        around[there] += own[at[there]]
        most[there] = np.maximum(most[there], hits[at[there]])
        # Noise puts the points of a top into two layers of voxels, but not into a third. Keys
        # ascend by height in each column: what is two voxels higher stands within two of them.
        for away, layer in ((0, 2), (1, 2), (2, 2), (-1, -2), (-2, -2)):
            flat &= ~_is_at(keys, at + away, wanted + layer)
    mean: Array = around[:, 1:] / around[:, :1]
    inside = mean[:, :2] + INWARD * voxel_m * mean[:, 2:]
    found = np.asarray(np.floor(inside / voxel_m), np.int64)
    stays = flat & (hits >= COVERED * most)
    found[stays] = cells[stays, :2]
    return found


def _is_at(keys: Keys, at: Keys, wanted: Keys) -> Mask:
    """(M,) whether keys (N,) have those wanted (M,) where they should be."""
    return np.asarray(keys[np.clip(at, 0, len(keys) - 1)] == wanted)
