"""Demonstrations cut into contact primitives, by the gripper's width, contacts and motion.

    open      the fingers part, and let nothing go
    close     the fingers close on nothing
    grasp     the fingers close on a thing
    place     the fingers part and let a thing go
    move-to   the hand goes somewhere with nothing in it
    move      the hand carries a thing
    push      the hand goes with a thing that it touches and does not hold

The primitives are those of BLADE (Liu et al., CoRL 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import dist
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from sayso.core.geometry import Array
from sayso.core.scene import Scene, SceneObject
from sayso.learning.demonstrations.demonstration import HAND, Demonstration

Primitive = Literal["open", "close", "grasp", "place", "move-to", "move", "push"]
MOTIONS: tuple[Primitive, ...] = ("move-to", "move", "push")
"""The primitives in which the hand goes somewhere."""

_MOVING_M_S = 0.010
"""Fingers that are slower stand still."""
_CHANGE_M = 0.004
"""A change of the width that is smaller is noise."""
_EMPTY_M = 0.003
"""Fingers that are nearer to each other have nothing between them."""
_SMOOTH_S = 0.15
_MERGE_S = 0.2
"""Two openings with so little time between are one with a pause; so are two closings, and two
touches of a thing."""
_MOTION_M = 0.01
"""A hand that stays within this rests."""
_BRUSH_S = 0.25
"""What is touched for a shorter time is brushed, not pushed."""
_GRAZE_S = 0.6
"""So is what is touched for a shorter time than this and stays as it was, as far as is seen."""
_MOVED_M, _TURNED_RAD, _CHANGED = 0.006, 0.06, 0.03
"""A place, a turn, and a number that a thing has: a change that is smaller is noise."""
_TURN_RADIUS_M = 0.1


@dataclass(frozen=True)
class Segment:
    """One primitive: the samples from `start` up to and with `end`.

    Attributes:
        thing: what is grasped, let go, carried or pushed, by its name in the scene; of a move-to
            what is grasped or pushed next; '' where there is none.
    """

    primitive: Primitive
    start: int
    end: int
    thing: str = ""


def segments(demonstration: Demonstration) -> tuple[Segment, ...]:
    """The primitives of a demonstration in order, without gaps but for brief rests."""
    if len(demonstration.samples) < 2:
        return ()
    stamps, widths = demonstration.stamps_s(), demonstration.widths_m()
    changes = _changes(stamps, _smooth(stamps, widths))
    found: list[Segment] = []
    held, at, left = _held_before(demonstration, changes), 0, ""
    for start, end, closing in changes:
        found += _motion(demonstration, at, start, held, left)
        left = "" if closing else held
        if closing:
            # Smoothed, the fingers stand still a little before they do.
            least_m = widths[(stamps >= stamps[end]) & (stamps <= stamps[end] + _SMOOTH_S)].min()
            held = _touched(demonstration, start, end) if least_m > _EMPTY_M else ""
            found.append(Segment("grasp" if held else "close", start, end, held))
        else:
            found.append(Segment("place" if held else "open", start, end, held))
            held = ""
        at = end
    found += _motion(demonstration, at, len(stamps) - 1, held, left)
    return tuple(_with_goals(found))


def in_words(demonstration: Demonstration) -> tuple[str, ...]:
    """A line for each primitive: when, what, and with which thing."""
    start_s = demonstration.samples[0].stamp_s if demonstration.samples else 0.0
    done = segments(demonstration)
    begun = (demonstration.samples[s.start].stamp_s - start_s for s in done)
    return tuple(
        f"{at_s:6.1f} s  {s.primitive} {s.thing}".rstrip()
        for at_s, s in zip(begun, done, strict=True)
    )


def _smooth(stamps: Array, widths: Array) -> Array:
    period_s = float(np.median(np.diff(stamps)))
    size = 2 * int(_SMOOTH_S / max(period_s, 1e-3) / 2) + 1
    smoothed: Array = median_filter(widths, size=size, mode="nearest")
    return smoothed


def _changes(stamps: Array, widths: Array) -> list[tuple[int, int, bool]]:
    """When the fingers close (True) or part: first and last sample."""
    speed = np.gradient(widths, stamps)
    direction = np.where(np.abs(speed) > _MOVING_M_S, np.sign(speed), 0.0)
    runs = [r for sign in (-1, 1) for r in _runs(direction == sign, sign < 0)]
    joined: list[tuple[int, int, bool]] = []
    for start, end, closing in sorted(runs):
        if joined and joined[-1][2] == closing and stamps[start] - stamps[joined[-1][1]] < _MERGE_S:
            joined[-1] = (joined[-1][0], end, closing)
        else:
            joined.append((start, end, closing))
    return [r for r in joined if abs(widths[r[1]] - widths[r[0]]) > _CHANGE_M]


def _runs(mask: npt.NDArray[np.bool_], closing: bool) -> list[tuple[int, int, bool]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(a), int(b) - 1, closing) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _touched(demonstration: Demonstration, start: int, end: int) -> str:
    """What the hand touches when it has closed: by contacts, else the thing that was nearest to it
    when it began to: what is in the hand may be hidden by it."""
    before_s, after_s = (demonstration.samples[i].stamp_s for i in (start, end))
    if demonstration.contacts:
        return "".join(_touching(demonstration, after_s + _SMOOTH_S)[-1:])
    if demonstration.key_frames and demonstration.scene_at(before_s).objects:
        tool = demonstration.samples[end].tool.position
        things = demonstration.scene_at(before_s).objects
        return min(things, key=lambda o: o.distance_to(tool)).name
    return next(iter(demonstration.things.values()), "")


def _held_before(demonstration: Demonstration, changes: Sequence[tuple[int, int, bool]]) -> str:
    """What is in the hand from the beginning: touched, between fingers that do not close first."""
    first = demonstration.samples[0]
    if first.gripper_width_m <= _EMPTY_M or (changes and changes[0][2]):
        return ""
    robots = [k.scene.robot for k in demonstration.key_frames[:1]]
    if any(first.gripper_width_m > r.gripper_max_width_m - _CHANGE_M for r in robots):
        return ""
    return "".join(_touching(demonstration, first.stamp_s)[-1:])


def _touching(demonstration: Demonstration, stamp_s: float) -> list[str]:
    """The things that the hand touches at a time, the newest last."""
    now: dict[str, None] = {}
    for contact in demonstration.contacts:
        pair = {contact.first, contact.second}
        if HAND in pair and contact.stamp_s <= stamp_s:
            (thing,) = pair - {HAND}
            now.pop(thing, None)
            if contact.touching:
                now[thing] = None
    return list(now)


def _motion(
    demonstration: Demonstration, start: int, end: int, held: str, left: str
) -> list[Segment]:
    """The hand's way between two changes of the fingers: pushing, where it touches a thing. Where
    it rests before it goes somewhere belongs to that.

    Args:
        left: what was let go just before, and is touched still while the hand leaves it.
    """
    if end <= start or not _moves(demonstration, start, end):
        return []
    if held:
        return [Segment("move", start, end, held)]
    names = _pushed(demonstration, start, end, left)
    found: list[Segment] = []
    begin = start
    for a, b in _stretches(names):
        last = start + min(b, len(names) - 1)
        if _moves(demonstration, start + a, last):
            if names[a]:
                found.append(Segment("push", start + a, last, names[a]))
            else:
                found.append(Segment("move-to", begin, last))
            begin = last
    return found


def _pushed(demonstration: Demonstration, start: int, end: int, left: str) -> list[str]:
    """What the hand touches at each sample: without brief losses of touch, which are none, and
    then without what it leaves, and what it only brushes."""
    samples = demonstration.samples[start : end + 1]
    names = ["".join(_touching(demonstration, s.stamp_s)[-1:]) for s in samples]
    stamps = [s.stamp_s for s in samples]
    for a, b in _stretches(names):
        between = a > 0 and b < len(names) and not names[a] and names[a - 1] == names[b]
        if between and stamps[b] - stamps[a] < _MERGE_S:
            names[a:b] = [names[b]] * (b - a)
    for a, b in _stretches(names):
        ends_s = stamps[min(b, len(names) - 1)]
        leaves = a == 0 and names[a] == left
        if leaves or _brushed(demonstration, names[a], stamps[a], ends_s):
            names[a:b] = [""] * (b - a)
    return names


def _brushed(demonstration: Demonstration, name: str, begins_s: float, ends_s: float) -> bool:
    """Whether a touch is too brief for a push, or brief and nothing comes of it."""
    if ends_s - begins_s < _BRUSH_S or not name:
        return True
    if ends_s - begins_s >= _GRAZE_S:
        return False
    scenes = [k.scene for k in demonstration.key_frames]
    before = next((s for s in reversed(scenes) if s.stamp_s <= begins_s), None)
    after = next((s for s in scenes if s.stamp_s >= ends_s), None)
    return before is not None and after is not None and not _altered(before, after, name)


def _altered(before: Scene, after: Scene, name: str) -> bool:
    """Whether a thing went or turned anywhere, or anything else is now of another kind of state,
    as a lamp that is lit; what is not seen may have been altered."""
    was, now = before.by_name(), after.by_name()
    if name not in was or name not in now:
        return True
    one, two = was[name], now[name]
    cosine = min(1.0, abs(float(np.dot(one.orientation, two.orientation))))
    return (
        dist(one.position, two.position) > _MOVED_M
        or 2 * float(np.arccos(cosine)) > _TURNED_RAD
        or any(_differ(was[n], now[n], n == name) for n in was.keys() & now.keys())
    )


def _differ(one: SceneObject, two: SceneObject, numbers: bool) -> bool:
    """Whether attributes do; numbers, if they count, by more than noise."""
    for attribute in one.attributes.keys() & two.attributes.keys():
        a, b = one.attributes[attribute], two.attributes[attribute]
        if isinstance(a, bool | str) or isinstance(b, bool | str):
            if a != b:
                return True
        elif numbers and abs(a - b) > _CHANGED:
            return True
    return False


def _stretches(names: Sequence[str]) -> list[tuple[int, int]]:
    """Where the same name goes on: the first index, and that after the last."""
    cuts = [i for i in range(1, len(names)) if names[i] != names[i - 1]]
    return list(pairwise([0, *cuts, len(names)]))


def _moves(demonstration: Demonstration, start: int, end: int) -> bool:
    """Whether the hand goes anywhere; a rest is no motion, however long."""
    path = demonstration.path().part(start, end + 1)
    away_m = np.linalg.norm(path.positions - path.positions[0], axis=1)
    turned = (path.rotations[0].inv() * path.rotations).magnitude()
    return bool((away_m + _TURN_RADIUS_M * turned).max() > _MOTION_M)


def _with_goals(found: Sequence[Segment]) -> list[Segment]:
    """Motions of an empty hand with what they are for."""
    done: list[Segment] = []
    goal = ""
    for segment in reversed(found):
        if segment.primitive == "move-to":
            done.append(replace(segment, thing=goal))
        else:
            goal = segment.thing if segment.primitive in ("grasp", "push") else goal
            done.append(segment)
    return done[::-1]
