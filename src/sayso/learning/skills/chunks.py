"""Chunk regression: from where the hand and the things are to its next moves, by ridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.learning.demonstrations.demonstration import Path
from sayso.learning.skills.showings import Frames, Showing, Stretch, resampled

SAMPLES = 40
CHUNK = 8
"""So many moves are told at a time."""
_RIDGE = 1e-5


@dataclass(frozen=True)
class ChunkMotion:
    """A motion as a linear map from what is seen to the poses of the next eighth.

    Attributes:
        names: the frames of whole things that are looked at.
        weights: (F, CHUNK * 9) from features to poses in the frame of the motion's start.
    """

    names: tuple[str, ...]
    weights: Array

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """As `Motion` says; of each chunk the move that is due."""
        move = max(round(phase * SAMPLES) - 1, 0)
        at = move // CHUNK * CHUNK / SAMPLES
        row = _features(at, start, tuple(frames.get(n, Pose()) for n in self.names))
        moves = (row @ self.weights).reshape(CHUNK, 9)
        return start @ _pose(moves[move % CHUNK])


class ChunkRegression:
    """Learns motions as chunks."""

    def motions(self, showings: Sequence[Showing]) -> tuple[ChunkMotion, ...]:
        """As `MotionLearner` says."""
        return tuple(_motion(s) for s in zip(*(s.stretches for s in showings), strict=True))


def _motion(shown: tuple[Stretch, ...]) -> ChunkMotion:
    names = tuple(sorted(n for n in shown[0].frames if "/" not in n))
    rows, moves = [], []
    for one in shown:
        path = resampled(one.path, SAMPLES + 1).seen_from(one.path.pose(0))
        things = tuple(one.frames[n] for n in names)
        for at in range(0, SAMPLES, CHUNK):
            rows.append(_features(at / SAMPLES, one.path.pose(0), things))
            moves.append(_numbers(path.part(at + 1, at + CHUNK + 1)))
    x, y = np.array(rows), np.array(moves)
    kernel = x @ x.T + _RIDGE * len(x) * np.eye(len(x))
    return ChunkMotion(names, x.T @ np.linalg.solve(kernel, y))


def _features(at: float, start: Pose, things: Sequence[Pose]) -> Array:
    """(F,) where the things are as seen from the start, in the slots of the chunk at a phase."""
    seen = Path.of([start.inverse() @ t for t in things])
    row = np.concatenate([[1.0], *(_numbers(seen.part(i, i + 1)) for i in range(len(things)))])
    chunks = np.eye(SAMPLES // CHUNK)[round(at * SAMPLES / CHUNK)]
    return np.asarray(np.outer(chunks, row).ravel())


def _numbers(path: Path) -> Array:
    """(N * 9,) positions, and the first two columns of the rotations."""
    columns = path.rotations.as_matrix()[:, :, :2].reshape(len(path), 6)
    return np.asarray(np.column_stack([path.positions, columns]).ravel())


def _pose(numbers: Array) -> Pose:
    """The pose of nine numbers, the columns made perpendicular."""
    m = np.eye(4)
    first, second = numbers[3:].reshape(3, 2).T
    m[:3, 0] = first / np.linalg.norm(first)
    aside = second - (second @ m[:3, 0]) * m[:3, 0]
    m[:3, 1] = aside / np.linalg.norm(aside)
    m[:3, 2] = np.cross(m[:3, 0], m[:3, 1])
    m[:3, 3] = numbers[:3]
    return Pose.from_matrix(m)
