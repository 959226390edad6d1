"""Families of shapes: how the shapes of a kind of thing vary, and where their parts are.

The clouds of a few shapes of a family are registered to one of them (thin-plate splines between
nearest neighbours, stiff first), so that their points correspond; the mean and the principal
components of those points are the family's shape space. A cloud of a shape never seen is fitted by
its pose and a point of that space, then warped onto what was seen, and carries the taught frames of
parts with it. After Interaction Warping (Biza et al., CoRL 2023), without its neural parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.scene import SceneObject
from sayso.learning.demonstrations.demonstration import pose_of

POINTS = 300
"""Of the surface that stands for a shape."""
MODES = 6
_STIFFNESS = (1e-1, 1e-2, 1e-3)
_ROUNDS = 4
_STARTS = 12
_COARSE_ROUNDS, _FINE_ROUNDS = 8, 25
_NOISE_M = 0.003
_REACH_M = 0.015
"""A point of the cloud that is farther from the fitted shape does not warp it."""
_FAR_M = 0.03
"""A point that is farther from the other surface counts as if it were so far."""
_LOCAL_M = 0.02
"""How far around a frame the surface is looked at to carry it."""
_ROUND_RATIO = 3.0
"""Of the distance between neighbours: what lies so near to a surface lies on it."""
_LEAST_POINTS = 50


@dataclass(frozen=True)
class TaughtShape:
    """A shape that was shown: points (N, 3) of its surface and frames of its parts, in its own
    frame (z up, origin near its middle) [m]."""

    points: Array
    frames: Mapping[str, Pose]


@dataclass(frozen=True)
class FittedShape:
    """A thing as its family's shape space sees it.

    Attributes:
        pose: of the thing's own frame in the scene.
        frames: of its parts, in the scene.
        space, surface: the shape space, and its points (M, 3) on this thing, in the thing's frame;
            none for a thing of which no shapes were taught.
        off_m: how far the cloud and the fitted surface are from each other, see `_off_m`.
    """

    pose: Pose
    frames: Mapping[str, Pose]
    off_m: float
    space: ShapeSpace | None = field(default=None, compare=False)
    surface: Array = field(default_factory=lambda: np.zeros((0, 3)), compare=False)

    def carried(self, pose: Pose, other: FittedShape) -> Pose:
        """Where a pose (in the frame of this thing) comes to lie in the frame of another.

        With the surface around it if both are of one space, else with the thing as a whole.
        """
        if self.space is None or self.space is not other.space:
            return pose
        return pose_of(*_carried_frame(self.surface, pose, other.surface))


@dataclass(frozen=True)
class ShapeSpace:
    """The shapes of a family that have the same parts.

    Attributes:
        mean: (M, 3) points in the shapes' own frame.
        modes: (K, M, 3) how they vary, each one standard deviation.
        shown: the registered points (M, 3) of each shape, with its frames.
        turns: of how many turns about z, each alike, a full one is made; 0 of a round thing.
    """

    mean: Array
    modes: Array
    shown: tuple[TaughtShape, ...]
    turns: int

    @staticmethod
    def learn(shapes: Sequence[TaughtShape], seed: int = 0) -> ShapeSpace:
        """From at least one shape; those after the first are registered to it."""
        rng = np.random.default_rng(seed)
        first = _spread(shapes[0].points, POINTS, rng)
        matched = [first, *(_registered(first, s.points) for s in shapes[1:])]
        stack = np.stack(matched)
        mean = stack.mean(axis=0)
        shown = tuple(
            TaughtShape(points, s.frames) for points, s in zip(matched, shapes, strict=True)
        )
        return ShapeSpace(mean, _modes(stack - mean, mean), shown, _turns(shapes[0]))

    def fit(self, cloud: Array) -> FittedShape:
        """The shape and pose of a cloud (N, 3) of a thing that stands upright."""
        tree = cKDTree(cloud)
        starts = (0.0,) if self.turns == 0 else np.linspace(-np.pi, np.pi, _STARTS, endpoint=False)
        begun = (_start(cloud, self.mean, angle) for angle in starts)
        fits = [self._refined(cloud, tree, fit, _COARSE_ROUNDS) for fit in begun]
        best = min(fits, key=lambda f: f.cost)
        best = replace(best, turn=self._facing(best))
        best = self._refined(cloud, tree, best, _FINE_ROUNDS)
        return self._carried(cloud, best)

    def _refined(self, cloud: Array, tree: cKDTree, fit: _Fit, rounds: int) -> _Fit:
        """Iterated closest points, both ways, over pose and shape together."""
        modes = self.modes[: 3 if rounds == _COARSE_ROUNDS else None]
        weights: Array = np.zeros(len(modes))
        weights[: len(fit.weights)] = fit.weights
        for _ in range(rounds):
            local = self.mean + np.tensordot(weights, modes, 1)
            model = fit.turn.apply(local) + fit.at
            near, indices = cKDTree(model).query(cloud)
            # What is hidden from the camera pulls nothing: of the model's points, only those
            # that are near the cloud count.
            back, others = tree.query(model)
            seen = np.flatnonzero(back < 2 * np.median(near) + _NOISE_M)
            pick = np.concatenate([indices, seen])
            goals = np.concatenate([cloud, cloud[others[seen]]])
            fit, weights = _solved(fit, local, modes, weights, pick, goals)
        return _Fit(fit.turn, fit.at, weights, _off_m(near, back))

    def _carried(self, cloud: Array, fit: _Fit) -> FittedShape:
        """The fitted points, warped onto the cloud where it shows them, and the frames on them."""
        local = self.mean + np.tensordot(fit.weights, self.modes[: len(fit.weights)], 1)
        model = fit.turn.apply(local) + fit.at
        distances, nearest = cKDTree(cloud).query(model)
        near = distances < _REACH_M
        warped = model
        if near.sum() >= _LEAST_POINTS:
            warped = _warped(model[near], cloud[nearest[near]], 1e-2, model)
        frames = {n: self._frame(n, warped) for n in self.shown[0].frames}
        local = fit.turn.inv().apply(warped - fit.at)
        return FittedShape(pose_of(fit.at, fit.turn), frames, fit.cost, self, local)

    def _facing(self, fit: _Fit) -> Rotation:
        """Of the turns that make no difference, the one whose x points most away from the robot."""
        away = float(np.arctan2(fit.at[1], fit.at[0]))
        if self.turns == 0:
            return Rotation.from_euler("z", away)
        alike = [
            Rotation.from_euler("z", 2 * np.pi * i / self.turns) * fit.turn
            for i in range(self.turns)
        ]
        ahead = np.array([np.cos(away), np.sin(away), 0.0])
        return max(alike, key=lambda turn: float(turn.as_matrix()[:, 0] @ ahead))

    def _frame(self, name: str, warped: Array) -> Pose:
        """Where a part's frame comes to lie, by each shape that was shown, on average."""
        carried = [_carried_frame(s.points, s.frames[name], warped) for s in self.shown]
        at = np.mean([p for p, _ in carried], axis=0)
        return pose_of(at, Rotation.concatenate([r for _, r in carried]).mean())


@dataclass(frozen=True)
class _Fit:
    turn: Rotation
    at: Array
    weights: Array
    cost: float = np.inf


@dataclass
class ShapeFamilies:
    """What was taught of the shapes of kinds of things, by category."""

    spaces: dict[str, tuple[ShapeSpace, ...]] = field(default_factory=dict)

    def teach(self, category: str, shapes: Sequence[TaughtShape]) -> None:
        """Learn a category's shapes, in place of what was known of it.

        Those with the same parts vary together.

        Raises:
            SaySoError: INVALID for a cloud with too few points.
        """
        by_parts: dict[frozenset[str], list[TaughtShape]] = {}
        for shape in shapes:
            if len(shape.points) < _LEAST_POINTS:
                raise _too_few(category, len(shape.points))
            by_parts.setdefault(frozenset(shape.frames), []).append(shape)
        self.spaces[category] = tuple(ShapeSpace.learn(group) for group in by_parts.values())

    def fit(self, thing: SceneObject) -> FittedShape:
        """A thing by its points; one of a category that was not taught is its box.

        Raises:
            SaySoError: OBJECT_LOST where too few points were seen.
        """
        spaces = self.spaces.get(thing.category, ())
        if not spaces:
            return FittedShape(thing.pose, {}, 0.0)
        if len(thing.points) < _LEAST_POINTS:
            raise _too_few(thing.name, len(thing.points))
        cloud = np.asarray(thing.points, float)
        return min((s.fit(cloud) for s in spaces), key=lambda f: f.off_m)


def _too_few(name: str, count: int) -> SaySoError:
    return SaySoError(
        Code.OBJECT_LOST,
        f"of {name} only {count} points were seen, of {_LEAST_POINTS} that its shape needs.",
        hint="look at it from nearer, or take away what hides it.",
    )


def _spread(points: Array, count: int, rng: np.random.Generator) -> Array:
    """So many of the points, far from each other."""
    chosen = [int(rng.integers(len(points)))]
    distance = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(distance)))
    return np.asarray(points[chosen], float)


def _registered(source: Array, target: Array) -> Array:
    """The source's points (M, 3) moved onto the target's surface, neighbours staying together."""
    tree = cKDTree(target)
    scale = np.ptp(target, axis=0) / np.ptp(source, axis=0)
    moved = (source - source.mean(axis=0)) * scale + target.mean(axis=0)
    moved += (target.min(axis=0) + target.max(axis=0) - moved.min(axis=0) - moved.max(axis=0)) / 2
    for stiffness in _STIFFNESS:
        for _ in range(_ROUNDS):
            goals = target[tree.query(moved)[1]]
            moved = _warped(moved, goals, stiffness, moved)
    return np.asarray(moved)


def _warped(points: Array, goals: Array, stiffness: float, others: Array) -> Array:
    """Other points (M, 3), moved as points (N, 3) are that go to their goals."""
    # Imported on use: it loads a quarter of scipy, and only where something was shown is it asked.
    from scipy.interpolate import RBFInterpolator

    return np.asarray(RBFInterpolator(points, goals, smoothing=stiffness)(others))


def _modes(offsets: Array, mean: Array) -> Array:
    """(K, M, 3): stretching along each axis by a tenth, then the principal components."""
    stretches = np.stack([0.1 * mean * axis for axis in np.eye(3)])
    if len(offsets) < 2:
        return stretches
    _, spread, directions = np.linalg.svd(offsets.reshape(len(offsets), -1), full_matrices=False)
    kept = spread[:MODES] > 1e-6
    scaled = (spread[:MODES, None] * directions[:MODES])[kept] / np.sqrt(len(offsets) - 1)
    return np.concatenate([stretches, scaled.reshape(-1, *mean.shape)])


def _turns(shape: TaughtShape) -> int:
    """By how many turns a full one brings a cloud onto itself, and parts to where there are parts;
    0 if any turn does."""
    points = shape.points
    tree = cKDTree(points)
    parts = np.array([f.position for f in shape.frames.values()]).reshape(-1, 3)
    own_m = float(np.median(tree.query(points, 2)[0][:, 1]))

    def same(angle: float) -> bool:
        turn = Rotation.from_euler("z", angle)
        if len(parts) and cKDTree(parts).query(turn.apply(parts))[0].max() > _REACH_M:
            return False
        off_m = tree.query(turn.apply(points))[0]
        return bool(np.percentile(off_m, 99.5) < _ROUND_RATIO * own_m)

    if all(map(same, (0.4, 1.1, 1.9))):
        return 0
    return next((n for n in (4, 3, 2) if same(2 * np.pi / n)), 1)


def _start(cloud: Array, mean: Array, yaw: float) -> _Fit:
    turn = Rotation.from_euler("z", yaw)
    turned = turn.apply(mean)
    at = (cloud.min(axis=0) + cloud.max(axis=0) - turned.min(axis=0) - turned.max(axis=0)) / 2
    return _Fit(turn, at, np.zeros(0))


def _off_m(near: Array, back: Array) -> float:
    """Distance of a cloud from a model, and, as some is hidden, half that of the model: means of
    fourth powers, so that a small part that sticks out, such as a knob, tells how a thing is
    turned."""
    away = [(np.minimum(d, _FAR_M) ** 4).mean() ** 0.25 for d in (near, back)]
    return float(away[0] + 0.5 * away[1])


def _solved(
    fit: _Fit, local: Array, modes: Array, weights: Array, pick: Array, goals: Array
) -> tuple[_Fit, Array]:
    """One Gauss-Newton step of pose and shape towards the goals (P, 3) of picked points."""
    arms = fit.turn.apply(local[pick])
    residual = (goals - arms - fit.at).ravel()
    columns = [np.cross(axis, arms).ravel() for axis in np.eye(3)]
    columns += [np.tile(axis, len(pick)) for axis in np.eye(3)]
    columns += [fit.turn.apply(mode[pick]).ravel() for mode in modes]
    jacobian = np.stack(columns, axis=1)
    prior = np.concatenate([[0.0] * 6, np.full(len(modes), _NOISE_M**2 * 10)])
    rest = np.concatenate([np.zeros(6), weights])
    matrix = jacobian.T @ jacobian + np.diag(prior + 1e-9)
    step = np.linalg.solve(matrix, jacobian.T @ residual - prior * rest)
    turn = Rotation.from_rotvec(step[:3]) * fit.turn
    return _Fit(turn, fit.at + step[3:6], weights), weights + step[6:]


def _carried_frame(points: Array, frame: Pose, warped: Array) -> tuple[Array, Rotation]:
    """A frame among points, after they were warped: by the best affine map around it."""
    offsets = points - np.asarray(frame.position)
    away = np.linalg.norm(offsets, axis=1)
    weight = np.exp(-0.5 * (np.maximum(away - away.min(), 0.0) / _LOCAL_M) ** 2)
    share = weight / weight.sum()
    middle, goal = share @ offsets, share @ warped
    a = (weight[:, None] * (offsets - middle)).T @ (offsets - middle)
    b = (weight[:, None] * (offsets - middle)).T @ (warped - goal)
    turn, little = _turn_of(b), 1e-3 * np.trace(a)
    linear = np.linalg.solve(a + little * np.eye(3), b + little * turn).T
    turned = Rotation.from_matrix(turn.T) * Rotation.from_quat(frame.orientation)
    return goal - linear @ middle, turned


def _turn_of(b: Array) -> Array:
    """The rotation (3, 3), transposed, nearest to a covariance (3, 3) of sources with goals."""
    u, _, v = np.linalg.svd(b)
    sign = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    return np.asarray(u @ sign @ v)
