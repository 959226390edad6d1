"""What is wrong with a demonstration, so that it can be shown again while the person is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sayso.core.geometry import Array
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.demonstrations.segments import segments

REACH_M = 0.855
"""Of the Panda's arm."""
_FASTEST_M_S = 2.0
"""No hand that shows something goes faster."""
_STALE_S = 1.0


def problems(demonstration: Demonstration, reach_m: float = REACH_M) -> tuple[str, ...]:
    """What is wrong, one sentence each; none where all is well.

    Args:
        reach_m: of the robot that shall do it, from its base.
    """
    d = demonstration
    if len(d.samples) < 2:
        return ("it has no motion: record it again.",)
    return tuple(_problems(d, reach_m))


def problems_of_play(play: Demonstration) -> tuple[str, ...]:
    """What is wrong with a recording beside its pieces: what was said of no motion."""
    recorded = (play.samples[0].stamp_s, play.samples[-1].stamp_s) if play.samples else (0.0, 0.0)
    return tuple(
        f"'{said.words}' is said of {said.start_s:.1f} to {said.end_s:.1f} s, where there is no "
        f"motion; it was recorded from {recorded[0]:.1f} to {recorded[1]:.1f} s."
        for said in play.without_motion()
    )


def without_jumps(demonstration: Demonstration) -> Demonstration:
    """The demonstration without single samples in which the hand was seen far off its way."""
    stamps, path = demonstration.stamps_s(), demonstration.path()
    fast = _speeds(stamps, path.positions) > _FASTEST_M_S
    if not fast.any():
        return demonstration
    off = np.concatenate([[False], fast[:-1] & fast[1:], [False]])
    kept = tuple(s for s, jumps in zip(demonstration.samples, off, strict=True) if not jumps)
    return replace(demonstration, samples=kept)


def _problems(d: Demonstration, reach_m: float) -> Iterator[str]:
    stamps, positions = d.stamps_s(), d.path().positions
    if not d.complete:
        yield f"it broke off after {d.duration_s:.1f} s; what is there is kept."
    if not d.words.strip():
        yield "nothing was said of it: annotate what is done, and to which things."
    if not (np.isfinite(positions).all() and np.isfinite(d.widths_m()).all()):
        yield "some samples are not numbers."
        return
    if (np.diff(stamps) <= 0).any():
        yield "its stamps go backwards."
        return
    if (gap_s := float(np.diff(stamps).max())) > _STALE_S:
        yield f"nothing was recorded for {gap_s:.1f} s."
    jumps = int((_speeds(stamps, positions) > _FASTEST_M_S).sum())
    if jumps:
        yield f"the hand jumps {jumps} times; single samples off the way are passed over."
    far_m = float(np.linalg.norm(positions, axis=1).max())
    if far_m > reach_m:
        yield f"the hand goes {far_m:.2f} m from the base, and the arm reaches {reach_m:.2f} m."
    yield from _things(d)


def _things(d: Demonstration) -> Iterator[str]:
    if not d.key_frames:
        yield "it has no key frame: nothing is known of the things."
        return
    seen = d.key_frames[0].scene.by_name()
    for parameter, name in d.things.items():
        if name not in seen:
            yield f"{name} ({parameter}) is not seen at its beginning."
    done = segments(d)
    taken = {s.thing for s in done if s.primitive in ("grasp", "push")}
    if not taken:
        yield "nothing is taken or pushed."
    for name in sorted(taken - set(d.things.values())):
        things = ", ".join(d.things.values()) or "it has none"
        yield f"{name} is taken, which is none of its things: {things}."
    for before, after in pairwise(s for s in done if s.primitive in ("grasp", "place")):
        if before.primitive == after.primitive == "grasp":
            yield f"{after.thing} is taken while {before.thing} is in the hand."


def _speeds(stamps: Array, positions: Array) -> Array:
    """(N - 1,) [m/s]."""
    return np.asarray(np.linalg.norm(np.diff(positions, axis=0), axis=1) / np.diff(stamps))
