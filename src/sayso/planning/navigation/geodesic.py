"""Shortest ways over the free cells of a floor, by Dijkstra's algorithm on the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import ndimage, sparse
from scipy.sparse.csgraph import dijkstra

from sayso.planning.navigation.grid import Cell, Indices, Mask

Costs = npt.NDArray[np.float64]
Parents = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Field:
    """Distances from a source to every cell.

    Attributes:
        cells: (rows, columns) in units of cells; infinite where no way leads.
        parents: (rows * columns + 1,) the cell before, as a flat index; negative at the source.
    """

    cells: Costs
    parents: Parents

    def way_to(self, cell: Cell) -> Indices:
        """(N, 2) the cells (row, column) from the source to a cell that a way leads to."""
        columns = self.cells.shape[1]
        at, end = cell[0] * columns + cell[1], self.cells.size
        way = []
        while 0 <= at < end:
            way.append(divmod(at, columns))
            at = int(self.parents[at])
        return np.array(way[::-1], np.intp)


class Floor:
    """Cells that may be crossed, each joined to its eight neighbours; corners are not cut."""

    def __init__(self, free: Mask) -> None:
        self.free = free

    def from_cell(self, cell: Cell) -> Field:
        """Distances from one cell."""
        return self._field(self._graph, cell[0] * self.free.shape[1] + cell[1])

    def from_cells(self, cells: Indices, offsets: Costs) -> Field:
        """Distances from the nearest of (N, 2) cells, each `offsets` (N,) > 0 away already."""
        size, columns = self.free.size, self.free.shape[1]
        flat = cells[:, 0] * columns + cells[:, 1]
        row = sparse.csr_matrix((offsets, flat, [0, len(flat)]), shape=(1, size))
        graph = sparse.vstack((self._graph, row), format="csr")
        graph.resize((size + 1, size + 1))
        return self._field(graph, size)

    def connected(self, cell: Cell) -> Mask:
        """(rows, columns) the free cells that a way leads to: a flood fill, all of it."""
        return np.asarray((self._rooms == self._rooms[cell]) & (self._rooms[cell] > 0))

    @cached_property
    def _rooms(self) -> npt.NDArray[np.int32]:
        # Diagonal neighbours whose corner is blocked are not joined, so that four are enough.
        labels, _ = ndimage.label(self.free)
        return np.asarray(labels)

    def _field(self, graph: sparse.csr_matrix, source: int) -> Field:
        costs, parents = dijkstra(graph, indices=source, return_predecessors=True)
        return Field(costs[: self.free.size].reshape(self.free.shape), parents)

    @cached_property
    def _graph(self) -> sparse.csr_matrix:
        free = self.free
        index = np.arange(free.size).reshape(free.shape)
        both = free[:-1, :-1] & free[1:, 1:] & free[1:, :-1] & free[:-1, 1:]
        edges: Sequence[tuple[Indices, Indices, Mask, float]] = (
            (index[:, :-1], index[:, 1:], free[:, :-1] & free[:, 1:], 1.0),
            (index[:-1], index[1:], free[:-1] & free[1:], 1.0),
            (index[:-1, :-1], index[1:, 1:], both, np.sqrt(2.0)),
            (index[1:, :-1], index[:-1, 1:], both, np.sqrt(2.0)),
        )
        a = np.concatenate([a[ok] for a, _, ok, _ in edges])
        b = np.concatenate([b[ok] for _, b, ok, _ in edges])
        w = np.concatenate([np.full(int(ok.sum()), cost) for _, _, ok, cost in edges])
        n = free.size
        return sparse.csr_matrix((np.r_[w, w], (np.r_[a, b], np.r_[b, a])), shape=(n, n))
