"""What the laser met where drives stopped: floor that the next tours keep off.

The map is of what cameras show; what none of them shows (glass, something set down behind the
robot) would stop the same drive in the same place again and again. So what stopped a drive takes
its room on the floor, until the laser is seen to pass over its place. Who lives is left out: they
are waited for, and go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import ndimage

from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.mission.laser_obstacles import (
    APART_M,
    BODY_M,
    MARGIN_M,
    WALKING_M,
    Sweep,
    blocking,
    on_map,
    on_robot,
    on_thing,
    unknown_obstacles,
)
from sayso.planning.navigation.grid import FREE, OCCUPIED, Mask, OccupancyGrid

SPACING_M = 0.05
"""What is kept of an obstacle is no denser than this."""
WIDER_M, WIDEST_M = 0.15, 0.45
"""Each time that a drive is stopped by it again, ways keep so much farther off, up to that."""
BEYOND_M = 0.15
"""A beam that ends so much farther has passed over a place: laser and localisation waver."""
BESIDE_RAD = 0.03
"""Beams in so nearly its direction tell of a place."""


@dataclass(eq=False)
class _Stopping:
    """Something that stopped drives: its returns (N, 2) [m, frame `map`], and how often it did."""

    points: Array
    times: int = 1

    def __post_init__(self) -> None:
        _, first = np.unique(np.round(self.points / SPACING_M), axis=0, return_index=True)
        self.points = self.points[np.sort(first)]


@dataclass
class StoppingObstacles:
    """Keeps what stopped drives, from sweep to sweep."""

    _kept: list[_Stopping] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether anything is kept."""
        return bool(self._kept)

    def stopped(
        self, sweep: Sweep, now: Pose, rest: Pose, grid: OccupancyGrid, scene: Scene
    ) -> None:
        """A drive ended since a sweep met something where the base, now at `now`, would rest.

        Args:
            grid: the map, without what is kept.
        """
        living = [o for o in scene.objects if o.living]
        met = blocking(sweep, now, rest)
        for thing in living:
            met = met[~on_thing(met, thing, WALKING_M)]
        if not len(met):
            return
        around = unknown_obstacles(sweep, grid, (), living)
        points = np.vstack([met, *(u.points for u in around if _apart_m(u.points, met) < APART_M)])
        same = [k for k in self._kept if _apart_m(k.points, points) < APART_M]
        self._kept = [k for k in self._kept if k not in same]
        times = 1 + max((k.times for k in same), default=0)
        self._kept.append(_Stopping(np.vstack([points, *(k.points for k in same)]), times))

    def see(self, sweep: Sweep) -> None:
        """Forget what a sweep passed over, or its robot stands on."""
        for one in self._kept:
            under = on_robot(one.points, sweep, sweep.base, -BODY_M)
            one.points = one.points[~(under | _passed_over(one.points, sweep))]
        self._kept = [k for k in self._kept if len(k.points)]

    def on(
        self, grid: OccupancyGrid, base: Pose, footprint_m: tuple[float, float]
    ) -> OccupancyGrid:
        """The map with what is kept; farther around what stopped drives again, but for where the
        base stands and may have to turn.

        Args:
            footprint_m: length and width of the base.
        """
        if not self._kept:
            return grid
        cells, clear_m = grid.cells.copy(), math.hypot(*footprint_m) / 2 + 2 * grid.resolution_m
        rows, columns = grid.shape
        for one in self._kept:
            again = one.times > 1
            # once, what the map shows is taken to be as the map shows it: a passage may be narrow
            points = one.points if again else one.points[~on_map(one.points, grid, MARGIN_M)]
            at = np.floor(grid.to_grid(points)).astype(np.intp)
            at = at[np.all((at >= 0) & (at < (columns, rows)), axis=1)]
            there = np.zeros(grid.shape, bool)
            there[at[:, 1], at[:, 0]] = True
            cells[there] = OCCUPIED
            if again and there.any():
                wider_m = min(WIDER_M * (one.times - 1), WIDEST_M)
                off_m = ndimage.distance_transform_edt(~there, sampling=grid.resolution_m)
                wide = np.argwhere((off_m <= wider_m) & (cells == FREE))
                away = np.linalg.norm(grid.centres(wide) - np.asarray(base.position[:2]), axis=1)
                wide = wide[away > clear_m]
                cells[wide[:, 0], wide[:, 1]] = OCCUPIED
        return replace(grid, cells=cells)

    def in_english(self, scene: Scene) -> tuple[str, ...]:
        """What is kept, each by its name where something is seen to stand there."""
        return tuple(_told(k.points, _name(k.points, scene)) for k in self._kept)

    def unseen(self, scene: Scene) -> tuple[str, ...]:
        """The same of what no camera shows: it may be somebody, who will go."""
        return tuple(_told(k.points) for k in self._kept if not _name(k.points, scene))


def _name(points: Array, scene: Scene) -> str:
    still = (o for o in scene.objects if not o.living and not o.carried)
    return next((o.name for o in still if on_thing(points, o, MARGIN_M).any()), "")


def _told(points: Array, name: str = "") -> str:
    x, y = points.mean(axis=0)
    return f"{in_words(name) if name else 'something unknown'} at ({x:.1f}, {y:.1f})"


def _passed_over(points: Array, sweep: Sweep) -> Mask:
    """(N,) whether beams in the direction of each of (N, 2) points all end beyond it."""
    here = np.asarray(sweep.base.position[:2])
    ways, ends = points - here, sweep.points - here
    ends = ends[~on_robot(sweep.points, sweep, sweep.base, BODY_M)]
    off = np.angle(np.exp(1j * (_angles(ways)[:, None] - _angles(ends)[None])))
    ranges = np.where(np.abs(off) <= BESIDE_RAD, np.linalg.norm(ends, axis=1)[None], np.inf)
    nearest = ranges.min(axis=1, initial=np.inf)
    over: Mask = np.isfinite(nearest) & (nearest > np.linalg.norm(ways, axis=1) + BEYOND_M)
    return over


def _angles(ways: Array) -> Array:
    return np.asarray(np.arctan2(ways[:, 1], ways[:, 0]))


def _apart_m(some: Array, others: Array) -> float:
    return float(np.linalg.norm(some[:, None] - others[None], axis=2).min())
