"""Which pieces belong to one thing: same colour family, and touching in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from sayso.core.geometry import rotation_matrix
from sayso.core.scene import SceneObject
from sayso.perception.camera import Floats
from sayso.perception.colors import Image, family
from sayso.perception.shapes import thin

_TREE_POINTS = 1200


@dataclass(frozen=True)
class Piece:
    """Points (N, 3) of one colour; `rgb` (N, 3) are their pixels, where those are at hand."""

    points: Floats
    color: str
    rgb: Image | None = None


def group(
    pieces: Sequence[Piece], gap_m: float, together: Sequence[Sequence[int]] = ()
) -> list[list[int]]:
    """Indices of the pieces of each thing: same family, no farther apart than `gap_m`.

    `together` lists pieces that are known to be of one thing, however far apart.
    """
    parent = list(range(len(pieces)))
    for first, *others in filter(None, together):
        for other in others:
            parent[_root(parent, other)] = _root(parent, first)
    trees = _Trees(pieces)
    for i, a in enumerate(pieces):
        for j in range(i + 1, len(pieces)):
            if family(a.color) != family(pieces[j].color):
                continue
            ri, rj = _root(parent, i), _root(parent, j)
            if ri != rj and trees.touch(i, j, gap_m):
                parent[rj] = ri
    groups: dict[int, list[int]] = {}
    for i in range(len(pieces)):
        groups.setdefault(_root(parent, i), []).append(i)
    return list(groups.values())


class _Trees:
    """Search trees over the pieces, made when first needed."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._points = [np.asarray(thin(p.points, _TREE_POINTS), float) for p in pieces]
        self._low = [p.points.min(axis=0) for p in pieces]
        self._high = [p.points.max(axis=0) for p in pieces]
        self._trees: dict[int, cKDTree] = {}

    def touch(self, i: int, j: int, gap_m: float) -> bool:
        apart = np.maximum(self._low[i] - self._high[j], self._low[j] - self._high[i])
        if (apart > gap_m).any():
            return False
        distance, _ = self._tree(i).query(self._points[j], distance_upper_bound=gap_m)
        return bool(np.isfinite(distance).any())

    def _tree(self, i: int) -> cKDTree:
        if i not in self._trees:
            self._trees[i] = cKDTree(self._points[i])
        return self._trees[i]


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        i = parent[i]
    return i


def share_within(points: Floats, obj: SceneObject, margin_m: float) -> float:
    """The share of (N, 3) points inside the object's box, widened by a margin."""
    local = (points - np.asarray(obj.position)) @ rotation_matrix(obj.orientation)
    return float((np.abs(local) < np.asarray(obj.size) / 2 + margin_m).all(axis=1).mean())


def stack(arrays: Sequence[npt.NDArray[np.float32]]) -> Floats:
    """All points of some pieces, (N, 3)."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
