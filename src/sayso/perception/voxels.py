"""Voxels with what speaks for them: a sorted list of keys, in place of a grid of all space."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array

Keys = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Leans = npt.NDArray[np.float32]
"""(N, 4) where in each voxel its points lie, and from where they were seen; see `VoxelStore`."""

STRUCK, PASSED = 2, -1
"""What a frame adds to the evidence for a voxel in which a ray ended, or that rays went through."""

_BITS = 20
_HALF = 1 << (_BITS - 1)
"""Voxels are counted from the middle of this many along each axis: 26 km at 5 cm."""


@dataclass
class VoxelStore:
    """Voxels in the order of their keys.

    Evidence is bounded, as OctoMap's is by clamping (Hornung et al. 2013, sec. 3.4): however
    long a thing was seen, a few frames without it suffice to forget it.

    Attributes:
        most: bound of the evidence.
        keys: (N,) ascending.
        hits: (N,) points that fell into each.
        colors: (N, 3) mean colour of these points.
        leans: (N, 4) their mean place (x, y) from the voxel's centre [m], and the mean of the
            directions (x, y) of length 1 in which the rays went, seen from above: it is as long
            as they agree.
        evidence: (N,) from 1 to `most`; a voxel whose evidence is used up is dropped.
    """

    most: int
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    hits: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    colors: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    leans: Leans = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    evidence: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))

    def strike(self, keys: Keys, hits: Keys, colors: npt.NDArray[np.float32], leans: Leans) -> Keys:
        """Take in the distinct, ascending voxels that a frame's rays ended in.

        Args:
            hits: (N,) points in each; colors: (N, 3) their mean colours; leans: (N, 4).

        Returns:
            (N,) where these voxels are now.
        """
        self._make_room(keys[~self._holds(keys)])
        at = np.searchsorted(self.keys, keys)
        total = self.hits[at] + hits
        share = (hits / total)[:, None].astype(np.float32)
        self.colors[at] += share * (colors - self.colors[at])
        self.leans[at] += share * (leans - self.leans[at])
        self.hits[at] = total
        self.evidence[at] = np.minimum(self.evidence[at] + STRUCK, self.most)
        return at

    def pass_through(self, passed: Mask) -> None:
        """Count once against voxels (N,); those with nothing left to say for them go."""
        self.evidence[passed] += PASSED
        self.keep(self.evidence > 0)

    def keep(self, kept: Mask) -> None:
        """Drop all other voxels."""
        if not kept.all():
            self.keys, self.hits = self.keys[kept], self.hits[kept]
            self.colors, self.leans = self.colors[kept], self.leans[kept]
            self.evidence = self.evidence[kept]

    def _holds(self, keys: Keys) -> Mask:
        if not len(self.keys):
            return np.zeros(len(keys), bool)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.asarray(self.keys[at] == keys)

    def _make_room(self, new: Keys) -> None:
        """Put in keys, ascending, that are not there yet, with nothing said for them."""
        if not len(new):
            return
        at = np.searchsorted(self.keys, new)
        self.keys = np.insert(self.keys, at, new)
        self.hits = np.insert(self.hits, at, 0)
        self.colors = np.insert(self.colors, at, 0, axis=0)
        self.leans = np.insert(self.leans, at, 0, axis=0)
        self.evidence = np.insert(self.evidence, at, 0)


def keys_of(points: Array, voxel_m: float) -> Keys:
    """(N,) the keys of the voxels that (N, 3) points [m] are in."""
    return pack(np.floor(points / voxel_m).astype(np.int64))


def centres_of(keys: Keys, voxel_m: float) -> Array:
    """(N, 3) the centres of voxels [m]."""
    return np.asarray((unpack(keys) + 0.5) * voxel_m)


def pack(cells: Keys) -> Keys:
    """(N,) keys of (N, 3) counts of voxels along x, y, z."""
    shifted = cells + _HALF
    return np.asarray((shifted[:, 0] << 2 * _BITS) | (shifted[:, 1] << _BITS) | shifted[:, 2])


def unpack(keys: Keys) -> Keys:
    """(N, 3) counts of voxels along x, y, z."""
    mask = (1 << _BITS) - 1
    parts = (keys >> 2 * _BITS, (keys >> _BITS) & mask, keys & mask)
    return np.stack(parts, axis=1) - _HALF


def grouped(keys: Keys, values: Array) -> tuple[Keys, Keys, npt.NDArray[np.float32]]:
    """Points gathered by voxel: distinct keys ascending, points in each, means of (N, K) values."""
    distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = [np.bincount(inverse, column, len(distinct)) for column in values.T]
    means = (np.stack(sums, axis=1) / counts[:, None]).astype(np.float32)
    return distinct, counts.astype(np.int64), means
