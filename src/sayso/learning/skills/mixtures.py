"""Task-parameterised Gaussian mixtures: the default way to learn where the hand goes.

In each motion something moves - the tool, or what it carries and the parts of that - as seen from
each frame that stands still: where the motion began, the base, the other things, their parts. For
each pair of these a Gaussian mixture over phase, position and orientation is learned, and regressed
to a Gaussian for each phase. To do it, the pose of the tool is found that all of them together make
most likely: what varied little between demonstrations counts much, and what is near to what is
touched counts more than what is far. A part that turns on a hinge leads the hand about its axis,
which is found from the hand's way (after Sturm et al., Journal of AI Research 41, 2011).

Orientations are rotation vectors about the mean of the demonstrations, in the frame that they are
seen from. Task parameters after Calinon (Intelligent Service Robotics 9, 2016); EM is the
library gmr's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from gmr import GMM
from scipy.spatial.transform import Rotation
from scipy.stats import norm

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.learning.demonstrations.demonstration import Path, pose_of
from sayso.learning.skills.showings import BASE, Frames, Showing, Stretch, resampled, turning

START = "start"
TOOL = "tool"
COMPONENTS = 8
PHASES = 41
_SAMPLES = 48
"""Of each demonstration of a motion, even in phase."""
_EM_ROUNDS = 10
_ANCHORED = 0.15
"""So much of the phase is drawn to where a motion begins and ends."""
_FLOOR = np.diag([0.01, *[0.001] * 3, *[0.01] * 3]) ** 2
"""Least variances of phase, position [m^2] and orientation [rad^2] of a component."""
_NEAR_M, _PER_M = 0.002, 0.15
"""A person is so exact where things touch, and less so by this share of the distance."""
_NEAR_RAD, _RAD_PER_M = 0.03, 1.0
_FEW = 5
"""Of more demonstrations, how they differ tells more than how exact a person is."""
_SOLVER_ROUNDS = 4


@dataclass(frozen=True)
class Tube:
    """Where something goes as seen from a frame, a Gaussian for each phase.

    Attributes:
        reference: the frame it is seen from.
        subject: the tool, or the frame of what is held.
        positions: (S, 3) [m].
        matrices: (S, 3, 3) rotations.
        precisions: (S, 6, 6) inverse covariances of position and rotation vector.
    """

    reference: str
    subject: str
    positions: Array
    matrices: Array
    precisions: Array

    @staticmethod
    def learn(reference: str, subject: str, paths: Sequence[Path], level: bool = False) -> Tube:
        """From the ways of the subject in the coordinates of the reference.

        Args:
            level: whether heights are as exact as they are near to where the ways are lowest,
                however far the frame is: it is that of what things stand on.
        """
        even = [resampled(p, _SAMPLES) for p in paths]
        mean = Rotation.concatenate([p.rotations for p in even]).mean()
        rows = [
            np.column_stack(
                [np.linspace(0, 1, _SAMPLES), p.positions, (p.rotations * mean.inv()).as_rotvec()]
            )
            for p in even
        ]
        mixture = _mixture(np.concatenate(rows))
        means, covariances = _regressed(mixture)
        means = _anchored(
            means, np.mean([r[0, 1:] for r in rows], 0), np.mean([r[-1, 1:] for r in rows], 0)
        )
        spread = _spread(np.linalg.norm(means[:, :3], axis=1))
        if level:
            spread[:, 2, 2] = (_NEAR_M + _PER_M * (means[:, 2] - means[:, 2].min())) ** 2
        spread = spread * min(1.0, _FEW / len(paths)) ** 2
        precisions = np.asarray(np.linalg.inv(covariances + spread), np.float64)
        rotations = Rotation.from_rotvec(means[:, 3:]) * mean
        return Tube(reference, subject, means[:, :3], rotations.as_matrix(), precisions)


@dataclass(frozen=True)
class MixtureMotion:
    """A motion by its tubes together."""

    tubes: tuple[Tube, ...]

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """As `Motion` says; tubes whose frames are not there do not count."""
        known = {**frames, START: start}
        index = round(phase * (PHASES - 1))
        there = [
            t
            for t in self.tubes
            if t.reference in known and (t.subject == TOOL or t.subject in known)
        ]
        if not there:
            return tool
        pulls = _Pulls.of(
            there, index, [(known[t.reference], _subject(t.subject, tool, known)) for t in there]
        )
        return pulls.most_likely()


@dataclass(frozen=True)
class TurningMotion:
    """The hand turns a part of a thing about its axis, as far off it as it took hold of it.

    Attributes:
        frame: whose z is the axis.
        turns: (S, 2) by how much the hand goes about it, and turns itself, at even phases [rad].
    """

    frame: str
    turns: Array

    @staticmethod
    def learn(frame: str, shown: Sequence[Stretch]) -> TurningMotion:
        """On average, so far as is shown."""
        phase = np.linspace(0.0, 1.0, PHASES)
        turns = [turning(s, s.frames[frame]) for s in shown]
        even = [[np.interp(phase, t[:, 0] / t[-1, 0], c) for c in t.T] for t in turns]
        return TurningMotion(frame, np.mean(even, axis=0).T)

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """As `Motion` says."""
        axis = frames[self.frame]
        went, turned = self.turns[round(phase * (PHASES - 1))]
        local = axis.inverse() @ start
        place = Rotation.from_rotvec([0.0, 0.0, went]).apply(local.position)
        turn = Rotation.from_rotvec([0.0, 0.0, turned]) * Rotation.from_quat(local.orientation)
        return axis @ pose_of(place, turn)


class TaskParameterised:
    """Learns motions as mixtures; see the module."""

    def motions(self, showings: Sequence[Showing]) -> tuple[MixtureMotion | TurningMotion, ...]:
        """As `MotionLearner` says."""
        stretches = zip(*(s.stretches for s in showings), strict=True)
        return tuple(_motion(shown) for shown in stretches)


def _motion(shown: tuple[Stretch, ...]) -> MixtureMotion | TurningMotion:
    if not shown[0].moves:
        return MixtureMotion(())
    axis = f"{shown[0].thing}/turn"
    if shown[0].part and axis in shown[0].frames:
        return TurningMotion.learn(axis, shown)
    common = set.intersection(*(set(s.frames) for s in shown))
    held = {n for n in common if shown[0].held and n.split("/")[0] == shown[0].held}
    there = sorted(common - held)
    # Where nothing else is there that it could be put to, it is put down.
    level = bool(held) and there == [BASE]
    tubes = [
        Tube.learn(reference, subject, [_seen(s, reference, subject) for s in shown], level)
        for reference in there
        for subject in (TOOL, *sorted(held))
    ]
    return MixtureMotion((Tube.learn(START, TOOL, [_seen(s, START, TOOL) for s in shown]), *tubes))


def _seen(shown: Stretch, reference: str, subject: str) -> Path:
    """The way of a subject in the coordinates of a reference."""
    start = shown.path.pose(0)
    path = shown.path
    if subject != TOOL:
        path = path.carrying(start.inverse() @ shown.frames[subject])
    return path.seen_from(start if reference == START else shown.frames[reference])


def _subject(name: str, tool: Pose, frames: Mapping[str, Pose]) -> Pose:
    """The subject's pose in the tool's frame."""
    return Pose() if name == TOOL else tool.inverse() @ frames[name]


# -- learning ---------------------------------------------------------------------------------


def _mixture(rows: Array) -> GMM:
    """A mixture of rows (N, 7) of phase, position and rotation vector, begun along the phase.

    The floor is added to what each round of EM finds: five demonstrations that agree would
    otherwise be told to be exact.
    """
    bins = np.minimum((rows[:, 0] * COMPONENTS).astype(int), COMPONENTS - 1)
    groups = [rows[bins == k] for k in range(COMPONENTS)]
    mixture = GMM(
        COMPONENTS,
        priors=np.full(COMPONENTS, 1 / COMPONENTS),
        means=np.array([g.mean(axis=0) for g in groups]),
        covariances=np.array([np.cov(g.T, bias=True) + _FLOOR for g in groups]),
        random_state=0,
    )
    for _ in range(_EM_ROUNDS):
        mixture.from_samples(rows, n_iter=1)
        mixture.covariances = mixture.covariances + _FLOOR
    return mixture


def _regressed(mixture: GMM) -> tuple[Array, Array]:
    """Means (S, 6) and covariances (S, 6, 6) at even phases: Gaussian mixture regression.

    The phase is one number, so all phases are regressed at once.
    """
    at = np.linspace(0.0, 1.0, PHASES)
    first, variance = mixture.means[:, 0], mixture.covariances[:, 0, 0]
    likely = mixture.priors * norm.pdf(at[:, None], first, np.sqrt(variance)) + 1e-300
    weights = likely / likely.sum(axis=1, keepdims=True)
    slopes = mixture.covariances[:, 1:, 0] / variance[:, None]
    each = mixture.means[:, 1:] + slopes * (at[:, None, None] - first[:, None])
    rest = mixture.covariances[:, 1:, 1:]
    rest = rest - slopes[:, :, None] * mixture.covariances[:, None, 0, 1:]
    means = np.einsum("sk,ski->si", weights, each)
    off = each - means[:, None]
    spread = np.einsum("sk,ski,skj->sij", weights, off, off)
    return means, np.einsum("sk,kij->sij", weights, rest) + spread


def _anchored(means: Array, first: Array, last: Array) -> Array:
    """Means (S, 6) that begin and end where the demonstrations do on average.

    Regression smooths, and where the hand comes to rest matters by the millimetre.
    """
    ahead = np.clip(1.0 - np.linspace(0.0, 1.0, PHASES) / _ANCHORED, 0.0, 1.0)[:, None]
    return np.asarray(means + ahead * (first - means[0]) + ahead[::-1] * (last - means[-1]))


def _spread(distances: Array) -> Array:
    """(S, 6, 6) what is added for how far (S,) [m] the subject is from the frame."""
    place = _NEAR_M + _PER_M * distances
    turn = _NEAR_RAD + _RAD_PER_M * distances
    both = np.column_stack([place, place, place, turn, turn, turn]) ** 2
    return np.asarray(both[:, :, None] * np.eye(6))


# -- doing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pulls:
    """What T tubes say of the tool at one phase.

    Attributes:
        turns, places: (T, 3, 3) and (T, 3) of the references in the scene.
        grips, grip_turns: of the subjects in the tool.
        means, mean_turns: of the subjects in the references.
        precisions: (T, 6, 6).
    """

    turns: Array
    places: Array
    grips: Array
    grip_turns: Array
    means: Array
    mean_turns: Array
    precisions: Array

    @staticmethod
    def of(tubes: Sequence[Tube], index: int, poses: Sequence[tuple[Pose, Pose]]) -> _Pulls:
        """Poses of reference and subject for each tube."""
        return _Pulls(
            np.array([rotation_matrix(r.orientation) for r, _ in poses]),
            np.array([r.position for r, _ in poses]),
            np.array([s.position for _, s in poses]),
            np.array([rotation_matrix(s.orientation) for _, s in poses]),
            np.array([t.positions[index] for t in tubes]),
            np.array([t.matrices[index] for t in tubes]),
            _sharpened(np.array([t.precisions[index] for t in tubes])),
        )

    def most_likely(self) -> Pose:
        """The tool's pose that all together make most likely, by Gauss-Newton."""
        surest = int(np.argmax(np.trace(self.precisions, axis1=1, axis2=2)))
        turn = self.turns[surest] @ self.mean_turns[surest] @ self.grip_turns[surest].T
        at = self.turns[surest] @ self.means[surest] + self.places[surest]
        at = at - turn @ self.grips[surest]
        for _ in range(_SOLVER_ROUNDS):
            step = self._step(at, turn)
            at, turn = at + step[:3], Rotation.from_rotvec(step[3:]).as_matrix() @ turn
            if float(np.abs(step).max()) < 1e-6:
                break
        return pose_of(at, Rotation.from_matrix(turn))

    def _step(self, at: Array, turn: Array) -> Array:
        """(6,) shift and turn of the tool in the scene."""
        arms = self.grips @ turn.T
        back = self.turns.swapaxes(1, 2)
        off = (back @ (at + arms - self.places)[:, :, None])[:, :, 0] - self.means
        turned = back @ turn @ self.grip_turns @ self.mean_turns.swapaxes(1, 2)
        away = Rotation.from_matrix(turned).as_rotvec()
        jacobian = np.zeros((len(arms), 6, 6))
        jacobian[:, :3, :3] = jacobian[:, 3:, 3:] = back
        jacobian[:, :3, 3:] = -back @ _crosses(arms)
        weighted = jacobian.swapaxes(1, 2) @ self.precisions
        right = weighted @ np.concatenate([off, away], axis=1)[:, :, None]
        step = np.linalg.solve((weighted @ jacobian).sum(axis=0), -right.sum(axis=0)[:, 0])
        return np.asarray(step)


def _sharpened(precisions: Array) -> Array:
    """Each weighed once more by how sure it is beside the surest.

    A frame that does not matter is unsure, but there are many, and together they would pull.
    """
    sureness = np.trace(precisions[:, :3, :3], axis1=1, axis2=2)
    return np.asarray(precisions * (sureness / sureness.max())[:, None, None])


def _crosses(v: Array) -> Array:
    """(T, 3, 3) matrices of the cross products with v (T, 3) from the left."""
    x, y, z = v.T
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.array(rows).transpose(2, 0, 1)
