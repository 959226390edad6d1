"""The nearest demonstration, moved with a thing: what a learner has to be better than."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Pose
from sayso.learning.skills.showings import BASE, Frames, Showing, Stretch, apart_m, phases


@dataclass(frozen=True)
class MovedMotion:
    """A motion as it was shown once, seen from the thing that the hand was nearest to at its end.

    Parts and shapes do not count: only where things are as wholes.
    """

    shown: tuple[Stretch, ...]

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """As `Motion` says."""
        nearest = min(self.shown, key=lambda s: _unlike_m(s, start, frames))
        frame = _thing(nearest)
        index = int(np.searchsorted(phases(nearest.path), phase - 1e-9))
        pose = nearest.path.pose(min(index, len(nearest.path) - 1))
        return frames[frame] @ nearest.frames[frame].inverse() @ pose


class NearestDemonstration:
    """Keeps the demonstrations as they are."""

    def motions(self, showings: Sequence[Showing]) -> tuple[MovedMotion, ...]:
        """As `MotionLearner` says."""
        return tuple(
            MovedMotion(shown) for shown in zip(*(s.stretches for s in showings), strict=True)
        )


def _thing(shown: Stretch) -> str:
    """The thing, not in the hand, that is nearest to the hand at the end; else the base."""
    end = np.asarray(shown.path.pose(-1).position)
    things = [n for n in shown.frames if "/" not in n and n not in (BASE, shown.held)]
    return min(things, key=lambda n: np.linalg.norm(end - shown.frames[n].position), default=BASE)


def _unlike_m(shown: Stretch, start: Pose, frames: Frames) -> float:
    """How different it began, as seen from its thing."""
    frame = _thing(shown)
    return apart_m(
        shown.frames[frame].inverse() @ shown.path.pose(0), frames[frame].inverse() @ start
    )
