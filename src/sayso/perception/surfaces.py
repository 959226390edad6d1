"""Where the surface is that points in voxels are of: noise spreads them over its neighbours.

A wall that is seen from some metres away, from places that are known to a centimetre or two,
leaves points in the voxels in front of it and behind it, and over a tour enough of them to take
these for part of it. All its points together tell where it is far better than a voxel's size.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sayso.core.geometry import Array
from sayso.perception.voxels import Keys, Leans, pack

INWARD = 0.2
"""How far behind its surface a point is what stands there [voxels], along the rays.

At 0.5 a cell would count as taken where its middle is, as in maps drawn by hand. Less keeps the
walls a centimetre or two on the safe side: bodies are driven by such maps.
"""


def surface_cells(cells: Keys, hits: Keys, leans: Leans, voxel_m: float) -> Keys:
    """(N, 2) for each voxel the cell of the floor in which the surface that it shows stands.

    The points of a voxel and of those around it, at its height, have their middle on the surface
    (one step of mean shift, Comaniciu and Meer 2002). From there it goes a little along the rays,
    as far as they agree: what is solid lies behind. Each voxel gives one cell, at most two away:
    nothing gets lost, however thin it is.

    Args:
        cells: (N, 3) distinct voxels, ascending by key, as counts along x, y, z.
        hits: (N,) points in each.
        leans: (N, 4) see `VoxelStore`.
        voxel_m: side of a voxel.
    """
    keys = pack(cells)
    middles = (cells[:, :2] + 0.5) * voxel_m + leans[:, :2]
    own = np.column_stack([np.ones(len(cells)), middles, leans[:, 2:]]) * hits[:, None]
    around = np.zeros_like(own)
    for dx, dy in product((-1, 0, 1), repeat=2):
        wanted = pack(cells + np.array([dx, dy, 0]))
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = keys[at] == wanted
        around[there] += own[at[there]]
    mean: Array = around[:, 1:] / around[:, :1]
    inside = mean[:, :2] + INWARD * voxel_m * mean[:, 2:]
    return np.asarray(np.floor(inside / voxel_m), np.int64)
