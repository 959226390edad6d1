"""The course of an attempt: where the tool goes in each step, with what in the hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from sayso.core.geometry import Pose
from sayso.core.scene import Scene
from sayso.learning.demonstrations.demonstration import pose_of
from sayso.learning.skills.skill import Attempt, Step
from sayso.skills.handling import Held

_NEAR_M = 0.12
"""Of the way to the first thing, and of that of the empty hand away from the last, so much is as it
was shown; the rest is the arm's own."""
_STEP_M, _STEP_RAD = 0.02, 0.1
"""Poses that are farther apart are joined by a straight way."""

Seen = Callable[[Pose], Pose]
"""A pose of an attempt as it is in the scene: as it is told, or as in a mirror."""
Planned = tuple[Step, list[Pose], Held | None]
"""A step, the poses of the tool in it, and what is held during and after."""


def without_ends(planned: list[Planned]) -> list[Planned]:
    """The steps without the far parts of the first way and, where nothing is held then, of the
    last: what is held in the end is to be where it was shown."""
    moves = [i for i, (step, _, _) in enumerate(planned) if step.shown.moves]
    cut = list(planned)
    ends = ((moves[0], -1), (moves[-1], 0))
    for i, end in ends[:1] if planned[-1][2] else ends:
        step, tools, held = cut[i]
        # From the end of the way that counts, up to where it was far for the first time.
        kept = _near(tools[::-1] if end else tools, tools[end])
        cut[i] = step, tools[-kept:] if end else tools[:kept], held
    return cut


def without_middle(
    planned: Sequence[Planned],
) -> tuple[list[Planned], list[Planned]] | None:
    """The steps up to where what was taken is off its place, and from where it is near to the next;
    None where it is not carried farther than that."""
    carried = [i for i, (step, _, held) in enumerate(planned) if held and step.shown.moves]
    if not carried:
        return None
    first, last = carried[0], carried[-1]
    step, tools, held = planned[first]
    left = _near(tools, tools[0])
    into, ways, still = planned[last]
    right = _near(ways[::-1], ways[-1])
    if first == last and left + right >= len(tools):
        return None
    before = [*planned[:first], (step, tools[:left], held)]
    return before, [(into, ways[-right:], still), *planned[last + 1 :]]


def _near(tools: Sequence[Pose], place: Pose) -> int:
    """How many poses from the first on are near to a place."""
    away = np.array([np.subtract(t.position, place.position) for t in tools])
    return int((np.linalg.norm(away, axis=1) < _NEAR_M).argmin()) or len(tools)


def course_of(
    attempt: Attempt, seen: Seen, things: dict[str, str], scene: Scene
) -> Iterator[Planned]:
    """The steps of an attempt, where the tool goes in each, and what it holds during and after."""
    held: Held | None = None
    if first := attempt.way.steps[0].shown.held:
        thing = scene.by_name()[things[first]]
        held = Held(thing.name, attempt.tool.inverse() @ thing.pose, thing.size, 0.0)
    while (step := attempt.step) is not None:
        tools: list[Pose] = []
        while attempt.step is step and (setpoint := attempt.next()) is not None:
            tools += _between(tools[-1] if tools else None, seen(setpoint.tool))
        if step.shown.primitive == "grasp" and step.shown.thing and not step.shown.part:
            thing = scene.by_name()[things[step.shown.thing]]
            held = Held(thing.name, tools[-1].inverse() @ thing.pose, thing.size, 0.0)
        elif step.shown.primitive == "place":
            held = None
        yield step, tools, held


def _between(before: Pose | None, pose: Pose) -> list[Pose]:
    """A pose, after those that lead there from the one before if that is far."""
    if before is None:
        return [pose]
    ends = Rotation.from_quat([before.orientation, pose.orientation])
    far = np.linalg.norm(np.subtract(pose.position, before.position)) / _STEP_M
    count = max(1, int(np.ceil(max(far, (ends[0].inv() * ends[1]).magnitude() / _STEP_RAD))))
    shares = np.arange(1, count + 1) / count
    places = np.outer(1 - shares, before.position) + np.outer(shares, pose.position)
    turns = Slerp([0.0, 1.0], ends)(shares)
    return [pose_of(p, t) for p, t in zip(places, turns, strict=True)]
