"""Demonstrations made ready to learn from: primitives, ways of the hand, and frames of things.

A frame is named by the skill's parameter and the part: `mug`, `mug/handle`. Parts that a thing has
several of, such as `peg_1` and `peg_2`, are one frame, `rack/peg`: the one that was used.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene, SceneObject
from sayso.learning.demonstrations.checks import without_jumps
from sayso.learning.demonstrations.demonstration import Demonstration, Path, pose_of
from sayso.learning.demonstrations.segments import MOTIONS, Primitive, Segment, segments
from sayso.learning.skills.shapes import FittedShape

Frames = Mapping[str, Pose]
Fitter = Callable[[SceneObject], FittedShape]
"""Where a thing and its parts are; `ShapeFamilies.fit`."""

Fits = Mapping[str, FittedShape]
"""The things by parameter."""

BASE = "base"
"""The frame of the robot's base."""
_NUMBERED = re.compile(r"_\d+$")
_ARM_M = 0.1
"""Turning counts as an arc of this radius where poses are compared."""
_APPROACH_M = 0.1
"""So near to where something is taken or put a way is learned by itself."""
ALIKE_M = 0.05
"""Where no thing is farther than this from where it was, all stands as it did."""
_STAYED_M = 0.005
"""What is seen of a thing is where it was if something of it is seen so near."""
_TURNS_RAD = 0.35
"""A part that was turned by less, or on another way than an arc, was pulled."""
_OFF_ARC_M = 0.006
_KIND_M = 0.06
"""Grasps and placements that are farther apart than this are of different kinds."""


@dataclass(frozen=True)
class Stretch:
    """One primitive of a demonstration.

    Attributes:
        thing: the parameter it is about, or ''.
        path: the tool's way, at least one pose.
        width_m: of the gripper at its end.
        duration_s: of the primitive.
        frames: at its start, those of what is held included.
        held: the parameter that is in the hand, or ''.
        part: whether the hand has hold of a part that moves by itself, such as a lid, and not of
            the whole thing.
    """

    primitive: Primitive
    thing: str
    path: Path
    width_m: float
    duration_s: float
    frames: Frames
    held: str = ""
    part: bool = False

    @property
    def moves(self) -> bool:
        return self.primitive in MOTIONS


@dataclass(frozen=True)
class Showing:
    """A demonstration as stretches.

    Attributes:
        fits: the things as they were at its beginning, by parameter.
        used: the frames of numbered parts that were used.
    """

    demonstration: Demonstration
    stretches: tuple[Stretch, ...]
    fits: Fits
    used: Frames

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """What was done with what, in order."""
        return tuple((s.primitive, s.thing) for s in self.stretches)


def showing(demonstration: Demonstration, fit: Fitter) -> Showing:
    """A demonstration made ready.

    Raises:
        SaySoError: INVALID for one without samples, motion or key frames, or whose things are not
            in its scenes; what `fit` raises.
    """
    d = without_jumps(demonstration) if len(demonstration.samples) > 2 else demonstration
    cut = segments(d)
    if not d.key_frames or not any(s.primitive in MOTIONS for s in cut):
        raise SaySoError(
            Code.INVALID,
            f"the demonstration '{d.words}' shows no motion of the hand among things.",
            hint="record it again, with a key frame at its beginning.",
        )
    fits = fits_of(d.key_frames[0].scene, d.things, fit)
    stretches = tuple(_stretches(d, cut, frames_of(fits)))
    places = [s for s in stretches if s.primitive == "place"] or stretches
    near = places[-1].path.pose(-1)
    used = {
        family: min(members, key=lambda p: apart_m(p, near))
        for family, members in numbered(stretches[0].frames).items()
    }
    chosen = (replace(s, frames=with_used(s.frames, used)) for s in stretches)
    return Showing(d, tuple(chosen), fits, used)


def fits_of(scene: Scene, things: Mapping[str, str], fit: Fitter) -> dict[str, FittedShape]:
    """The things by parameter, as their shapes are fitted.

    Args:
        things: the scene's names by parameter.

    Raises:
        SaySoError: INVALID for a name that the scene has not; what `fit` raises.
    """
    by_name = scene.by_name()
    for parameter, name in things.items():
        if name not in by_name:
            raise SaySoError(
                Code.INVALID, f"'{name}' ({parameter}) is not in the scene.", choices=by_name
            )
    return {parameter: fit(by_name[name]) for parameter, name in things.items()}


def frames_of(fits: Mapping[str, FittedShape]) -> dict[str, Pose]:
    """The frames of things and of their parts, and the robot's base."""
    frames = {BASE: Pose()}
    for parameter, fitted in fits.items():
        frames[parameter] = fitted.pose
        frames |= {f"{parameter}/{part}": pose for part, pose in fitted.frames.items()}
    return frames


@dataclass(frozen=True)
class Hold:
    """How a thing was taken or pushed: the tool in the thing's frame, on each shape that was shown;
    or about which axis, the z of a frame, a part of it was turned.

    Where a large thing is touched matters, and not where its middle is.
    """

    thing: str
    deed: Primitive | Literal["turn"]
    shown: tuple[tuple[FittedShape, Pose], ...]

    def frame(self, fit: FittedShape) -> Pose:
        """Where the tool would touch a thing of another shape, in the thing's frame: on average."""
        path = Path.of([shape.carried(tool, fit) for shape, tool in self.shown])
        return pose_of(path.positions.mean(axis=0), path.rotations.mean())


_TOUCHED_AT: Mapping[Primitive, int] = {"grasp": -1, "push": 0}
"""Which pose of such a stretch tells where the thing is touched."""


def holds(showings: Sequence[Showing]) -> tuple[Hold, ...]:
    """How things are taken or pushed in showings of one kind; the last time, if more than once."""
    found: dict[tuple[str, Primitive | Literal["turn"]], Hold] = {}
    for taken in zip(*(s.stretches for s in showings), strict=True):
        thing, deed = taken[0].thing, taken[0].primitive
        if deed in _TOUCHED_AT and thing:
            at = _TOUCHED_AT[deed]
            tools = (s.frames[thing].inverse() @ s.path.pose(at) for s in taken)
            shapes = (s.fits[thing] for s in showings)
            found[thing, deed] = Hold(thing, deed, tuple(zip(shapes, tools, strict=True)))
        axes = [_axis(s) for s in taken if s.part and s.moves]
        turned = [
            (one.fits[thing], s.frames[thing].inverse() @ axis)
            for one, s, axis in zip(showings, taken, axes, strict=False)
            if axis is not None
        ]
        if turned and len(turned) == len(showings):
            found[thing, "turn"] = Hold(thing, "turn", tuple(turned))
    return tuple(found.values())


def _axis(shown: Stretch) -> Pose | None:
    """The axis about which the hand went, the z of a frame, x towards where it began; None where
    its way is no arc."""
    points = shown.path.positions
    middle = points.mean(axis=0)
    _, _, (across, along, normal) = np.linalg.svd(points - middle)
    flat = (points - middle) @ np.column_stack([across, along])
    # A circle x^2 + y^2 = 2 a x + 2 b y + c has its centre at (a, b).
    rows = np.column_stack([2 * flat, np.ones(len(flat))])
    a, b, c = np.linalg.lstsq(rows, (flat**2).sum(axis=1), rcond=None)[0]
    away = flat - (a, b)
    off_m = np.abs(np.linalg.norm(away, axis=1) - np.sqrt(c + a * a + b * b)).max()
    turned = float(np.unwrap(np.arctan2(*away[:, ::-1].T))[[0, -1]] @ (-1, 1))
    if off_m > _OFF_ARC_M or abs(turned) < _TURNS_RAD:
        return None
    centre = middle + a * across + b * along
    x = points[0] - centre
    x = (x - (x @ normal) * normal) / np.linalg.norm(x - (x @ normal) * normal)
    z = normal * np.sign(turned) * np.sign(np.cross(across, along) @ normal)
    turn = Rotation.from_matrix(np.column_stack([x, np.cross(z, x), z]))
    return pose_of(centre, turn)


def turning(shown: Stretch, axis: Pose) -> Array:
    """(N, 2) by how much the hand went about an axis, and turned itself about it [rad]."""
    path = shown.path.seen_from(axis)
    went = np.unwrap(np.arctan2(path.positions[:, 1], path.positions[:, 0]))
    turned = (path.rotations * path.rotations[0].inv()).as_rotvec()[:, 2]
    return np.column_stack([went - went[0], turned])


def with_holds(frames: Frames, fits: Mapping[str, FittedShape], held: Sequence[Hold]) -> Frames:
    """The frames with `THING/grasp` or `THING/push` for what is touched so, and `THING/turn` for
    the axis of a part."""
    new = {f"{h.thing}/{h.deed}": frames[h.thing] @ h.frame(fits[h.thing]) for h in held}
    return {**frames, **new}


def numbered(frames: Frames) -> Mapping[str, Sequence[Pose]]:
    """The parts that things have several of, by their name without the number."""
    found: dict[str, list[Pose]] = defaultdict(list)
    for name, pose in frames.items():
        if _NUMBERED.search(name):
            found[_NUMBERED.sub("", name)].append(pose)
    return found


def with_used(frames: Frames, used: Frames) -> dict[str, Pose]:
    """The frames with, of numbered parts, those alone that are used."""
    kept = {n: p for n, p in frames.items() if not _NUMBERED.search(n)}
    return {**kept, **used}


def apart_m(a: Pose, b: Pose) -> float:
    """How far two poses are from each other; an angle counts as an arc of 0.1 m."""
    turn = Rotation.from_quat(a.orientation).inv() * Rotation.from_quat(b.orientation)
    return float(np.linalg.norm(np.subtract(a.position, b.position)) + _ARM_M * turn.magnitude())


def nearest_fits_m(fits: Fits, others: Iterable[Fits]) -> float:
    """How far the thing that moved most is from where it was; infinite where there is no other.

    An angle counts as `apart_m` has it.
    """
    apart = (max(apart_m(f.pose, other[p].pose) for p, f in fits.items()) for other in others)
    return min(apart, default=float("inf"))


def ways(showings: Iterable[Showing]) -> tuple[tuple[Showing, ...], ...]:
    """The showings by their kind, the commonest first.

    Two are of a kind if the same is done in the same order, and things are taken and put alike: as
    seen from one of their frames, the hand is about there.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Showing]] = defaultdict(list)
    for one in showings:
        groups[one.signature].append(one)
    found = [way for group in groups.values() for way in _alike(group)]
    return tuple(sorted(found, key=len, reverse=True))


def _alike(group: Sequence[Showing]) -> list[tuple[Showing, ...]]:
    if len(group) < 2:
        return [tuple(group)]
    pairs = [_unlike_m(a, b) for i, a in enumerate(group) for b in group[i + 1 :]]
    labels = fcluster(linkage(np.array(pairs), "single"), _KIND_M, "distance")
    return [
        tuple(s for s, mine in zip(group, labels, strict=True) if mine == label)
        for label in sorted(set(labels.tolist()))
    ]


def _unlike_m(a: Showing, b: Showing) -> float:
    """How differently things are taken hold of in two showings of the same."""
    grasps = [
        (s, t)
        for s, t in zip(a.stretches, b.stretches, strict=True)
        if s.primitive == "grasp" and s.thing
    ]
    return max((_least_apart_m(s, t) for s, t in grasps), default=0.0)


def _least_apart_m(a: Stretch, b: Stretch) -> float:
    names = [n for n in a.frames.keys() & b.frames.keys() if n.split("/")[0] == a.thing]
    ends = ((s.frames[n].inverse() @ s.path.pose(-1) for s in (a, b)) for n in names)
    return min(apart_m(p, q) for p, q in ends)


def _stretches(d: Demonstration, cut: Sequence[Segment], frames: Frames) -> Iterable[Stretch]:
    """The primitives with the frames of things, what is held going with the hand."""
    parameters = {name: parameter for parameter, name in d.things.items()}
    path, widths, stamps = d.path(), d.widths_m(), d.stamps_s()
    held, grip, part = "", Pose(), False
    if cut and cut[0].primitive == "move" and cut[0].thing in parameters:
        held = parameters[cut[0].thing]
        grip = path.pose(0).inverse() @ frames[held]
    worked = {s.start for i, s in enumerate(cut) if _part_alone(d, path, cut[i:])}
    for segment in _with_approaches(path, cut, worked):
        thing = parameters.get(segment.thing, "")
        if segment.primitive not in MOTIONS:
            part = segment.start in worked
        if held:
            frames = carried(frames, held, path.pose(segment.start) @ grip)
        yield Stretch(
            segment.primitive,
            thing,
            path.part(segment.start, segment.end + 1),
            float(widths[segment.end]),
            float(stamps[segment.end] - stamps[segment.start]),
            frames,
            held,
            part,
        )
        tool = path.pose(segment.end)
        if segment.primitive == "grasp" and thing and not part:
            held, grip = thing, tool.inverse() @ frames[thing]
        elif segment.primitive == "place" and held:
            frames, held = carried(frames, held, tool @ grip), ""


def _part_alone(d: Demonstration, path: Path, cut: Sequence[Segment]) -> bool:
    """Whether the first segment takes hold of a part that then moves by itself: what is seen of the
    thing later is rather where it was than where the hand would have brought it."""
    first = cut[0]
    after = [k.scene for k in d.key_frames if k.stamp_s > d.samples[first.end].stamp_s]
    if first.primitive != "grasp" or not after:
        return False
    before, now = (s.by_name().get(first.thing) for s in (d.key_frames[0].scene, after[-1]))
    if before is None or now is None or not (len(before.points) and len(now.points)):
        return False
    end = next((s.start for s in cut[1:] if s.primitive == "place"), len(path) - 1)
    by = path.pose(end) @ path.pose(first.end).inverse()
    seen = cKDTree(now.points)
    stayed, went = (
        (seen.query(points)[0] < _STAYED_M).mean()
        for points in (before.points, by.transform(before.points.astype(float)))
    )
    return bool(stayed > went)


def _with_approaches(
    path: Path, cut: Sequence[Segment], worked: Collection[int]
) -> Iterable[Segment]:
    """The segments, a way to where something is taken or put in two: the last of it is by itself.

    How long the way there is differs from showing to showing; its last decimetre is alike. Parts
    that are `worked`, by where they are taken, lead the hand all the way.
    """
    led = False
    for segment, after in zip(cut, (*cut[1:], None), strict=True):
        led = segment.start in worked or (led and segment.primitive in MOTIONS)
        if led or segment.primitive not in MOTIONS or after is None or after.primitive in MOTIONS:
            yield segment
            continue
        part = path.positions[segment.start : segment.end + 1]
        far = np.flatnonzero(np.linalg.norm(part - part[-1], axis=1) > _APPROACH_M)
        middle = segment.start + (int(far[-1]) + 1 if len(far) else 0)
        middle = min(middle, segment.end - 1)
        if middle > segment.start:
            yield replace(segment, end=middle)
        yield replace(segment, start=middle)


def carried(frames: Frames, thing: str, pose: Pose) -> dict[str, Pose]:
    """The frames after a thing was brought to a pose, its parts with it."""
    by = pose @ frames[thing].inverse()
    mine = {n for n in frames if n.split("/")[0] == thing}
    return {n: by @ p if n in mine else p for n, p in frames.items()}


def phases(path: Path) -> Array:
    """(N,) from 0 to 1 along a way, whatever the pauses."""
    lengths = path.lengths_m(_ARM_M)
    return lengths / max(float(lengths[-1]), 1e-9)


def resampled(path: Path, count: int) -> Path:
    """So many poses of a way, at even phases; a rotation is the next one there is."""
    at = phases(path)
    keep = np.flatnonzero(np.concatenate([[True], np.diff(at) > 1e-9]))
    even = np.linspace(0.0, 1.0, count)
    columns = [np.interp(even, at[keep], path.positions[keep, i]) for i in range(3)]
    next_ = np.minimum(np.searchsorted(at[keep], even), len(keep) - 1)
    return Path(np.column_stack(columns), path.rotations[keep[next_]])
