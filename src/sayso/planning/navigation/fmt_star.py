"""Fast marching trees (FMT*) in the plane, on arrays.

Janson, Schmerling, Clark and Pavone, "Fast Marching Tree: a fast marching sampling-based method
for optimal motion planning in many dimensions", IJRR 2015: samples are joined to the tree in
order of cost-to-come, each by its cheapest neighbour at the wave's edge, and a connection that
is not clear is given up at once. Neighbours are those within their radius r_n. All connections
are checked together beforehand: on a grid that costs less than asking one by one.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import Indices, Mask, segments_clear
from sayso.planning.navigation.paths import PathQuestion, improve, out_of_samples

_ETA = 1.0
"""Their eta > 0: how far the radius lies above the least one that makes the cost converge."""
_GOALS = 32
"""Samples within the goal, beside those that fall into it."""


@dataclass(frozen=True)
class FmtStar:
    """FMT*; where it runs out of samples it begins again with four times as many.

    Args:
        samples: of the first try.
        most: no try has more.
        seed: of the samples; the same question gets the same answer.
        smooth: whether the path is pulled straight.
    """

    samples: int = 1000
    most: int = 16000
    seed: int = 0
    smooth: bool = True

    def find(self, question: PathQuestion) -> Array:
        """See `PathPlanner`."""
        room = question.reachable()
        path = question.at_once()
        if path is not None:
            return path
        count = self.samples
        while count <= self.most:
            path = _march(question, room, count, np.random.default_rng(self.seed))
            if path is not None:
                return improve(path, question) if self.smooth else path
            count *= 4
        raise out_of_samples(count // 4)


def _march(
    question: PathQuestion, room: Mask, count: int, rng: np.random.Generator
) -> Array | None:
    """The path of one batch of samples, or None."""
    ends = question.ends
    points = np.concatenate(
        (
            question.origin[None],
            _sampled(room & question.goal, _GOALS, rng) if ends is None else ends[1:],
            _sampled(room, count, rng),
        )
    )
    radius = _radius(int(room.sum()), len(points))
    around = _Neighbours(points, radius, question.free)
    cells = np.floor(points).astype(np.intp)
    goal = question.goal[cells[:, 1], cells[:, 0]]
    if ends is not None:
        goal = np.arange(len(points)) == 1  # a sample beside it in its cell will not do
    parents, end = _grow(around, goal)
    if end < 0:
        return None
    order = [end]
    while order[-1] != 0:
        order.append(int(parents[order[-1]]))
    return points[order[::-1]]


def _sampled(region: Mask, count: int, rng: np.random.Generator) -> Array:
    """(N, 2) points (x, y), spread evenly at random over a region's cells."""
    cells = np.argwhere(region)
    chosen = cells[rng.permutation(len(cells))[:count]]
    return np.asarray(chosen[:, ::-1] + rng.uniform(0.01, 0.99, chosen.shape))


def _radius(cells: int, samples: int) -> float:
    """r_n of the paper's theorem for d = 2: 2 (1 + eta) sqrt(1/2) sqrt(area / pi) sqrt(log n / n).

    At least two cells, so that dense samples in a small room still see each other.
    """
    n = max(samples, 2)
    gamma = 2 * (1 + _ETA) * np.sqrt(0.5) * np.sqrt(cells / np.pi)
    return max(2.0, float(gamma * np.sqrt(np.log(n) / n)))


class _Neighbours:
    """Each sample's neighbours in padded rows: index, distance, and whether the line is clear."""

    def __init__(self, points: Array, radius: float, free: Mask) -> None:
        n = len(points)
        pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
        lengths = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
        clear = _clear(free, points, pairs, lengths)
        source, other = np.r_[pairs[:, 0], pairs[:, 1]], np.r_[pairs[:, 1], pairs[:, 0]]
        # Numbers of 16 bits are sorted by their digits, which is several times as fast.
        order = np.argsort(source.astype(np.min_scalar_type(n)), kind="stable")
        degree = np.bincount(source, minlength=n)
        rank = np.arange(len(source)) - np.repeat(np.cumsum(degree) - degree, degree)
        place = (source[order], rank)
        width = int(degree.max(initial=1))
        self.index = np.full((n, width), n, np.intp)  # n: nobody
        self.length = np.full((n, width), np.inf)
        self.clear = np.zeros((n, width), bool)
        self.index[place] = other[order]
        self.length[place] = np.r_[lengths, lengths][order]
        self.clear[place] = np.r_[clear, clear][order]


def _clear(free: Mask, points: Array, pairs: Indices, lengths: Array) -> Mask:
    """(N,) which pairs see each other; those with room all around one end need no look."""
    clearance = ndimage.distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1]
    cells = np.floor(points).astype(np.intp)
    # From centre to centre of cells: a point and the blocked cell may each be half a diagonal off.
    room = clearance[cells[:, 1], cells[:, 0]] - np.sqrt(2.0)
    clear = lengths <= np.maximum(room[pairs[:, 0]], room[pairs[:, 1]])
    asked = np.flatnonzero(~clear)
    clear[asked] = segments_clear(free, points[pairs[asked, 0]], points[pairs[asked, 1]])
    return np.asarray(clear)


def _grow(around: _Neighbours, goal: Mask) -> tuple[Indices, int]:
    """Grow the tree from sample 0.

    Returns:
        each sample's parent, and the first goal sample in order of cost, or -1.
    """
    n = len(goal)
    parents = np.full(n, -1, np.intp)
    edge = np.full(n + 1, np.inf)  # costs of the samples at the wave's edge, else infinite
    unvisited = np.ones(n + 1, bool)
    unvisited[[0, n]] = False
    edge[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        _, z = heapq.heappop(heap)
        if goal[z]:
            return parents, z
        new = around.index[z]
        new = new[unvisited[new]]
        if len(new):  # most have none left around them
            others = around.index[new]
            ways = edge[others] + around.length[new]
            best = ways.argmin(axis=1)
            rows = np.arange(len(new))
            joined = around.clear[new, best]
            added = new[joined]
            parents[added] = others[rows, best][joined]
            edge[added] = cost = ways[rows, best][joined]
            unvisited[added] = False
            for pair in zip(cost.tolist(), added.tolist(), strict=True):
                heapq.heappush(heap, pair)
        edge[z] = np.inf
    return parents, -1
