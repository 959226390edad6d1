"""Task-parameterised Gaussian mixtures: the default way to learn where the hand goes.

In each motion something moves - the tool, or what it carries and the parts of that - as seen from
each frame that stands still: where the motion began, the base, the other things, their parts. For
each pair of these a Gaussian mixture over phase, position and orientation is learned, and regressed
to a Gaussian for each phase. To do it, the pose of the tool is found that all of them together make
most likely: what varied little between demonstrations counts much, and what is near to what is
touched counts more than what is far.

Orientations are rotation vectors about the mean of the demonstrations, in the frame that they are
seen from. Task parameters after Calinon (Intelligent Service Robotics 9, 2016); EM and regression
are those of the library gmr.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from gmr import GMM
from scipy.spatial.transform import Rotation

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.learning.demonstrations.demonstration import Path
from sayso.learning.skills.showings import Frames, Showing, Stretch, resampled

START = "start"
TOOL = "tool"
COMPONENTS = 5
PHASES = 41
_SAMPLES = 40
"""Of each demonstration of a motion, even in phase."""
_EM_ROUNDS = 10
_FLOOR = np.diag([0.02, *[0.001] * 3, *[0.01] * 3]) ** 2
"""Least variances of phase, position [m^2] and orientation [rad^2] of a component."""
_NEAR_M, _PER_M = 0.002, 0.15
"""A person is so exact where things touch, and less so by this share of the distance."""
_NEAR_RAD, _RAD_PER_M = 0.03, 1.0
_SOLVER_ROUNDS = 4


@dataclass(frozen=True)
class Tube:
    """Where something goes as seen from a frame, a Gaussian for each phase.

    Attributes:
        reference: the frame it is seen from.
        subject: the tool, or the frame of what is held.
        positions: (S, 3) [m].
        rotations: S of them.
        precisions: (S, 6, 6) inverse covariances of position and rotation vector.
    """

    reference: str
    subject: str
    positions: Array
    rotations: Rotation
    precisions: Array

    @staticmethod
    def learn(reference: str, subject: str, paths: Sequence[Path]) -> Tube:
        """From the ways of the subject in the coordinates of the reference."""
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
        spread = _spread(np.linalg.norm(means[:, :3], axis=1))
        precisions = np.linalg.inv(covariances + spread)
        rotations = Rotation.from_rotvec(means[:, 3:]) * mean
        return Tube(reference, subject, means[:, :3], rotations, precisions)


@dataclass(frozen=True)
class MixtureMotion:
    """A motion by its tubes together."""

    tubes: tuple[Tube, ...]

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """As `Motion` says; tubes whose frames are not there do not count."""
        known = {**frames, START: start}
        index = round(phase * (PHASES - 1))
        pulls = [
            _Pull.of(t, index, known[t.reference], _subject(t.subject, tool, known))
            for t in self.tubes
            if t.reference in known and (t.subject == TOOL or t.subject in known)
        ]
        return _most_likely(pulls) if pulls else tool


class TaskParameterised:
    """Learns motions as mixtures; see the module."""

    def motions(self, showings: Sequence[Showing]) -> tuple[MixtureMotion, ...]:
        """As `MotionLearner` says."""
        stretches = zip(*(s.stretches for s in showings), strict=True)
        return tuple(_motion(shown) for shown in stretches)


def _motion(shown: tuple[Stretch, ...]) -> MixtureMotion:
    if not shown[0].moves:
        return MixtureMotion(())
    common = set.intersection(*(set(s.frames) for s in shown))
    held = {n for n in common if shown[0].held and n.split("/")[0] == shown[0].held}
    tubes = [
        Tube.learn(reference, subject, [_seen(s, reference, subject) for s in shown])
        for reference in sorted(common - held)
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
    """Means (S, 6) and covariances (S, 6, 6) at even phases."""
    at = [mixture.condition([0], np.array([p])).to_mvn() for p in np.linspace(0.0, 1.0, PHASES)]
    return np.array([g.mean for g in at]), np.array([g.covariance for g in at])


def _spread(distances: Array) -> Array:
    """(S, 6, 6) what is added for how far (S,) [m] the subject is from the frame."""
    place = _NEAR_M + _PER_M * distances
    turn = _NEAR_RAD + _RAD_PER_M * distances
    both = np.column_stack([place, place, place, turn, turn, turn]) ** 2
    return np.asarray(both[:, :, None] * np.eye(6))


# -- doing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pull:
    """What one tube says of the tool at one phase, in the scene's frame."""

    turn: Array
    at: Array
    grip: Array
    grip_turn: Rotation
    mean: Array
    mean_turn: Rotation
    precision: Array
    frame_turn: Rotation

    @staticmethod
    def of(tube: Tube, index: int, frame: Pose, subject: Pose) -> _Pull:
        return _Pull(
            rotation_matrix(frame.orientation),
            np.asarray(frame.position),
            np.asarray(subject.position),
            Rotation.from_quat(subject.orientation),
            tube.positions[index],
            tube.rotations[index],
            tube.precisions[index],
            Rotation.from_quat(frame.orientation),
        )

    def tool(self) -> tuple[Array, Rotation]:
        """The tool's pose that this tube alone would have."""
        turn = self.frame_turn * self.mean_turn * self.grip_turn.inv()
        return self.turn @ self.mean + self.at - turn.apply(self.grip), turn

    def equations(self, at: Array, turn: Rotation) -> tuple[Array, Array]:
        """Normal equations (6, 6) and (6,) of a step of the tool from a pose."""
        arm = turn.apply(self.grip)
        off = self.turn.T @ (at + arm - self.at) - self.mean
        seen = self.frame_turn.inv() * turn * self.grip_turn
        away = (seen * self.mean_turn.inv()).as_rotvec()
        jacobian = np.zeros((6, 6))
        jacobian[:3, :3] = self.turn.T
        jacobian[:3, 3:] = -self.turn.T @ _cross(arm)
        jacobian[3:, 3:] = self.turn.T
        weighted = jacobian.T @ self.precision
        return weighted @ jacobian, -weighted @ np.concatenate([off, away])


def _most_likely(pulls: Sequence[_Pull]) -> Pose:
    """The tool's pose that all tubes together make most likely, by Gauss-Newton."""
    surest = max(pulls, key=lambda p: float(np.trace(p.precision)))
    at, turn = surest.tool()
    for _ in range(_SOLVER_ROUNDS):
        parts = [p.equations(at, turn) for p in pulls]
        step = np.linalg.solve(sum(m for m, _ in parts), sum(v for _, v in parts))
        at, turn = at + step[:3], Rotation.from_rotvec(step[3:]) * turn
        if float(np.abs(step).max()) < 1e-6:
            break
    x, y, z, w = (float(v) for v in turn.as_quat(canonical=True))
    return Pose((float(at[0]), float(at[1]), float(at[2])), (x, y, z, w))


def _cross(v: Array) -> Array:
    """The matrix (3, 3) of the cross product with v from the left."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
