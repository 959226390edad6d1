"""Which sightings, over many frames, are of one and the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from sayso.core.geometry import Array
from sayso.perception.flat.boxes import UprightBox, fit_box
from sayso.perception.flat.settings import LookSettings
from sayso.perception.flat.sightings import Sighting
from sayso.perception.shapes import thin

_SMALL_M = 0.45
_TREE_POINTS = 1500
_TESTED = 150
_CONTAINED = 0.5
_ABSORBED = 0.34  # share of sightings from which on a part is a thing of its own
_STEP_M = 0.5
_FARTHEST_M = 2.0
_PACE_M_S = 1.5


def link_radius(distance_m: float) -> float:
    """How far apart points of one surface may be in two frames: poses and depths are noisy."""
    return 0.04 + 0.012 * distance_m


class Cluster:
    """Sightings of one thing."""

    def __init__(self, first: Sighting) -> None:
        self.seen = [first]
        self._tree: cKDTree | None = None

    def add(self, sighting: Sighting) -> None:
        """One more sighting of it."""
        self.seen.append(sighting)
        self._tree = None

    @property
    def frames(self) -> frozenset[int]:
        return frozenset(s.frame for s in self.seen)

    @property
    def points(self) -> Array:
        return np.concatenate([s.points for s in self.seen])

    @property
    def low(self) -> Array:
        return np.asarray(np.min([s.low for s in self.seen], axis=0))

    @property
    def high(self) -> Array:
        return np.asarray(np.max([s.high for s in self.seen], axis=0))

    @property
    def middle(self) -> Array:
        """Of the boxes around the sightings, the median."""
        return np.asarray(np.median([(s.low + s.high) / 2 for s in self.seen], axis=0))

    @property
    def small(self) -> bool:
        return max(s.diagonal_m for s in self.seen) < _SMALL_M

    def share(self, points: Array, radius: float) -> float:
        """The share of (N, 3) points that lie on what was seen of it."""
        if self._tree is None:
            self._tree = cKDTree(thin(self.points, _TREE_POINTS))
        distance, _ = self._tree.query(thin(points, _TESTED), distance_upper_bound=radius)
        return float(np.isfinite(distance).mean())

    def box(self) -> UprightBox:
        """A quick box around all points."""
        return fit_box(thin(self.points, _TREE_POINTS))


def gather(seen: Sequence[Sighting], settings: LookSettings) -> list[Cluster]:
    """Sightings of one noun, by thing. The largest come first: a part then finds its whole."""
    clusters: list[Cluster] = []
    for sighting in sorted(seen, key=lambda s: -s.diagonal_m):
        free = [c for c in clusters if sighting.frame not in c.frames]
        scores = [belongs(sighting, c, settings) for c in free]
        best = int(np.argmax(scores)) if scores else -1
        if best >= 0 and scores[best] > 0:
            free[best].add(sighting)
        else:
            clusters.append(Cluster(sighting))
    return _joined(clusters, settings)


def follow(seen: Sequence[Sighting]) -> list[Cluster]:
    """Sightings of a kind that walks, by individual; only those from where it was last.

    As many are told apart as were seen at once; those that were seen last are kept.
    """
    tracks = _tracks(seen)
    solid = [t for t in tracks if len(t) > 1] or tracks
    solid.sort(key=lambda t: -t[-1].stamp_s)
    at_once: Counter[int] = Counter()
    for track in solid:
        at_once.update({s.frame for s in track})
    return [_last_stand(t) for t in solid[: max(at_once.values(), default=0)]]


def _tracks(seen: Sequence[Sighting]) -> list[list[Sighting]]:
    """Sightings that one walker can have walked through, in time."""
    tracks: list[list[Sighting]] = []
    for sighting in sorted(seen, key=lambda s: (s.stamp_s, -s.score)):
        near = [t for t in tracks if t[-1].frame != sighting.frame and _within(t[-1], sighting)]
        if near:
            min(near, key=lambda t: _apart(t[-1], sighting)).append(sighting)
        else:
            tracks.append([sighting])
    return tracks


def _within(before: Sighting, after: Sighting) -> bool:
    walked = min(_PACE_M_S * (after.stamp_s - before.stamp_s), _FARTHEST_M)
    return _apart(before, after) < walked + _STEP_M


def _last_stand(track: Sequence[Sighting]) -> Cluster:
    """The last sightings of a walker, from when it was where it was seen last."""
    cluster = Cluster(track[-1])
    for sighting in reversed(track[:-1]):
        if _apart(sighting, track[-1]) > _STEP_M / 2:
            break
        cluster.add(sighting)
    return cluster


def _apart(a: Sighting, b: Sighting) -> float:
    return float(np.linalg.norm(_at(a) - _at(b)))


def _at(sighting: Sighting) -> Array:
    """Where it stands: (x, y) of the middle of its points, which a cut view hardly shifts."""
    return np.asarray(np.median(sighting.points[:, :2], axis=0))


def belongs(sighting: Sighting, cluster: Cluster, settings: LookSettings) -> float:
    """How well a sighting belongs to a cluster, 0 to 1; 0 if it does not."""
    radius = link_radius(sighting.distance_m)
    gap = np.maximum(sighting.low - cluster.high, cluster.low - sighting.high)
    if (gap > radius).any():
        return 0.0
    if cluster.small:
        apart = float(np.linalg.norm((sighting.low + sighting.high) / 2 - cluster.middle))
        limit = radius + 0.35 * max(s.diagonal_m for s in cluster.seen)
        return max(0.0, 1.0 - apart / limit)
    share = cluster.share(sighting.points, radius)
    return share if share >= settings.link_share else 0.0


def _joined(clusters: list[Cluster], settings: LookSettings) -> list[Cluster]:
    """Clusters put together that are sides of one thing, or stray parts of it."""
    result = sorted(clusters, key=lambda c: -len(c.seen))
    changed = True
    while changed:
        changed = False
        for i, whole in enumerate(result):
            for part in result[i + 1 :]:
                if _same(whole, part, settings):
                    for sighting in part.seen:
                        whole.add(sighting)
                    result.remove(part)
                    changed = True
                    break
            if changed:
                break
    return result


def _same(whole: Cluster, part: Cluster, settings: LookSettings) -> bool:
    together = len(whole.frames & part.frames)
    stray = len(part.seen) <= _ABSORBED * len(whole.seen)
    if together >= settings.apart_frames and not (stray and together <= len(part.seen) // 2):
        return False
    if (np.maximum(whole.low - part.high, part.low - whole.high) > 0.10).any():
        return False
    if whole.small and part.small:
        reach = 0.5 * max(s.diagonal_m for s in (*whole.seen, *part.seen))
        return float(np.linalg.norm(whole.middle - part.middle)) < reach
    return contained(whole.box(), part.box()) > _CONTAINED


def contained(whole: UprightBox, part: UprightBox) -> float:
    """The share of a box that lies inside another one, or within a few centimetres of it."""
    return float(whole.holds(part.grid(), 0.05).mean())


def overlap(a: UprightBox, b: UprightBox) -> float:
    """Intersection over union of two boxes, sampled."""
    common = float(b.holds(a.grid()).mean()) * a.volume()
    return common / max(a.volume() + b.volume() - common, 1e-12)
