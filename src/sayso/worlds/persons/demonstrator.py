"""A simulated person who shows a skill by hand: with detours and pauses, and never exact.

The person knows the true shapes; who learns sees only clouds of points. There is no physics here:
what is held goes with the hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, Slerp

from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene, SceneObject
from sayso.learning.demonstrations.demonstration import (
    HAND,
    Contact,
    Demonstration,
    KeyFrame,
    Sample,
)
from sayso.worlds.persons.hand_plans import PLANS, Touch, Turn, Via
from sayso.worlds.table.placed import Placed, seen

RATE_HZ = 20.0
_FINGERS_S = 0.6
_READY = Pose((0.30, 0.0, 0.45), (1.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Manner:
    """How exact and how steady a person is.

    Attributes:
        near_m, near_rad: standard deviations where things touch.
        far_m, far_rad: on the way, slowly varying.
        pause: chance of a rest at each place on the way.
        speed_m_s: slowest and fastest on the way.
    """

    near_m: float = 0.002
    near_rad: float = 0.03
    far_m: float = 0.015
    far_rad: float = 0.06
    pause: float = 0.3
    speed_m_s: tuple[float, float] = (0.12, 0.30)


@dataclass(frozen=True)
class Truth:
    """A primitive that was shown: what the person meant to do, from when to when."""

    primitive: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Shown:
    """A demonstration, and what the person really did."""

    demonstration: Demonstration
    truth: tuple[Truth, ...]


def demonstrate(
    task: str,
    things: Mapping[str, Placed],
    rng: np.random.Generator,
    manner: Manner = Manner(),
) -> Shown:
    """A person shows one of `PLANS` with these things, by parameter."""
    plan = PLANS[task]
    vias = [unsteady(v, rng, manner) for v in plan.vias(things)]
    tool = _moved(_READY, rng.normal(0, 0.03, 3), rng.normal(0, 0.1, 3))
    recording = _Recording(rng, manner, Sample(0.0, tool, plan.open_m))
    frames = [KeyFrame(recording.seen(things))]
    for via in vias:
        recording.go(via)
        if recording.held and via.exact and via is not vias[-1]:  # the end follows anyway
            frames.append(KeyFrame(recording.seen(things)))
    frames.append(KeyFrame(recording.seen(things)))
    demonstration = Demonstration(
        plan.words,
        {parameter: p.name for parameter, p in things.items()},
        tuple(recording.samples),
        tuple(frames),
        tuple(recording.contacts),
    )
    return Shown(demonstration, tuple(recording.truth))


class _Recording:
    """The hand as it goes, sampled."""

    def __init__(self, rng: np.random.Generator, manner: Manner, start: Sample) -> None:
        self.rng, self.manner = rng, manner
        self.samples = [start]
        self.contacts: list[Contact] = []
        self.truth: list[Truth] = []
        self.held = ""
        self.first: Scene | None = None

    @property
    def now_s(self) -> float:
        return self.samples[-1].stamp_s

    def go(self, via: Via) -> None:
        """To a place on the way, there resting a little at times, and what the fingers do there."""
        began = self.now_s
        self._way(via)
        primitive = "move" if self.held else "move-to"
        if self.truth and self.truth[-1].primitive == primitive:
            began = self.truth.pop().start_s
        self.truth.append(Truth(primitive, began, self.now_s))
        if self.rng.random() < self.manner.pause:
            self._rest(self.rng.uniform(0.2, 0.6))
            self.truth[-1] = replace(self.truth[-1], end_s=self.now_s)
        if via.touch is not None:
            self._fingers(via.touch)

    def seen(self, things: Mapping[str, Placed]) -> Scene:
        """How things look now; what is held goes with the hand from its grasp to its placing."""
        last = self.samples[-1]
        now = tuple(self._carried(p) for p in things.values())
        scene = seen(now, last.tool, last.stamp_s, self.rng)
        robot = replace(scene.robot, gripper_width_m=last.gripper_width_m)
        scene = replace(scene, objects=tuple(map(self._tracked, scene.objects)), robot=robot)
        self.first = self.first or scene
        return scene

    def _tracked(self, seen: SceneObject) -> SceneObject:
        """As tracking tells it: the box of what is held is the one that it had before, and goes
        with the hand."""
        if self.first is None or seen.name != self.held:
            return seen
        taken_s = next(c.stamp_s for c in reversed(self.contacts) if c.touching)
        taken = next(s.tool for s in self.samples if s.stamp_s == taken_s)
        before = self.first.by_name()[seen.name]
        pose = self.samples[-1].tool @ taken.inverse() @ before.pose
        return replace(
            seen,
            position=pose.position,
            orientation=pose.orientation,
            size=before.size,
            carried=True,
        )

    def _carried(self, thing: Placed) -> Placed:
        stamps = {c.touching: c.stamp_s for c in self.contacts if thing.name == c.second}
        if not stamps:
            return thing
        tools = {s.stamp_s: s.tool for s in self.samples}
        taken, now = tools[stamps[True]], tools[stamps.get(False, self.now_s)]
        if thing.shape.hinge is not None:
            return thing.opened(thing.turned_rad(taken, now))
        return replace(thing, pose=now @ taken.inverse() @ thing.pose)

    def _way(self, via: Via) -> None:
        last = self.samples[-1]
        for tool in way(last.tool, via, self.rng, self.manner):
            self._sample(tool, last.gripper_width_m)

    def _rest(self, seconds: float) -> None:
        last = self.samples[-1]
        for _ in range(int(seconds * RATE_HZ)):
            self._sample(
                _moved(last.tool, self.rng.normal(0, 3e-4, 3), self.rng.normal(0, 2e-3, 3)),
                last.gripper_width_m,
            )

    def _fingers(self, touch: Touch) -> None:
        began, tool = self.now_s, self.samples[-1].tool
        before = self.samples[-1].gripper_width_m
        for share in np.linspace(0, 1, int(_FINGERS_S * RATE_HZ) + 1)[1:]:
            width = before + share * (touch.width_m - before)
            self._sample(tool, width)
        self.truth.append(Truth(touch.primitive, began, self.now_s))
        if touch.thing:
            taken = touch.primitive == "grasp"
            self.contacts.append(Contact(self.now_s, HAND, touch.thing, taken))
            self.held = touch.thing if taken else ""

    def _sample(self, tool: Pose, width_m: float) -> None:
        self.samples.append(Sample(self.now_s + 1 / RATE_HZ, tool, width_m))


def way(start: Pose, via: Via, rng: np.random.Generator, manner: Manner) -> list[Pose]:
    """A smooth way to a place that strays most in its middle: a pose for each period.

    What is held on a hinge leads the hand: it does not stray from its arc.
    """
    if via.turn is not None:
        return _turning(start, via.turn, rng, manner)
    ends = Rotation.from_quat([start.orientation, via.tool.orientation])
    length = float(np.linalg.norm(np.subtract(via.tool.position, start.position)))
    length += 0.1 * (ends[0].inv() * ends[1]).magnitude()
    count = max(4, int(length / rng.uniform(*manner.speed_m_s) * RATE_HZ))
    t = np.asarray(np.linspace(0.0, 1.0, count + 1)[1:], np.float64)
    smooth = t**3 * (10 - 15 * t + 6 * t**2)
    stray = min(1.0, length / 0.2) * via.freedom
    off = _slow(t, rng) * manner.far_m * stray
    turn = Rotation.from_rotvec(_slow(t, rng) * manner.far_rad * stray)
    positions = np.outer(1 - smooth, start.position) + np.outer(smooth, via.tool.position) + off
    rotations = turn * Slerp([0, 1], ends)(smooth)
    return [_pose(p, q) for p, q in zip(positions, rotations.as_quat(), strict=True)]


def _turning(start: Pose, turn: Turn, rng: np.random.Generator, manner: Manner) -> list[Pose]:
    """The hand's way with what it turns, as far as it does this time: a pose for each period."""
    length = turn.rad * float(np.linalg.norm((turn.axis.inverse() @ start).position[:2]))
    count = max(4, int(length / rng.uniform(*manner.speed_m_s) * RATE_HZ))
    far = 1.0 + 0.5 * manner.near_rad * float(rng.uniform(-1, 1))
    t = np.asarray(np.linspace(0.0, 1.0, count + 1)[1:], np.float64)
    smooth = far * t**3 * (10 - 15 * t + 6 * t**2)
    return [turn.of(start, float(part)) for part in smooth]


def straight(start: Pose, end: Pose, most_m: float, most_rad: float) -> list[Pose]:
    """Poses evenly on the straight way to another, at most so far apart."""
    ends = Rotation.from_quat([start.orientation, end.orientation])
    far = np.linalg.norm(np.subtract(end.position, start.position)) / most_m
    count = max(1, int(np.ceil(max(far, (ends[0].inv() * ends[1]).magnitude() / most_rad))))
    t = np.asarray(np.linspace(0.0, 1.0, count + 1)[1:], np.float64)
    positions = np.outer(1 - t, start.position) + np.outer(t, end.position)
    turns = Slerp([0, 1], ends)(t).as_quat()
    return [_pose(p, q) for p, q in zip(positions, turns, strict=True)]


def unsteady(via: Via, rng: np.random.Generator, manner: Manner) -> Via:
    """The place as the person really reaches it."""
    size = 1.0 if via.touch or via.exact else 3.0
    off = rng.normal(0, size * manner.near_m, 3) + np.asarray(via.slack_m) * rng.uniform(-1, 1)
    return replace(via, tool=_moved(via.tool, off, rng.normal(0, size * manner.near_rad, 3)))


def _slow(t: Array, rng: np.random.Generator) -> Array:
    """(N, 3) a smooth random curve that begins and ends at zero."""
    knots = np.linspace(0, 1, 5)
    values = np.concatenate([np.zeros((1, 3)), rng.normal(0, 1, (3, 3)), np.zeros((1, 3))])
    return np.asarray(CubicSpline(knots, values)(t))


def _moved(pose: Pose, by: Array, turn: Array) -> Pose:
    """A pose shifted in the scene's frame and turned about its own place."""
    q = Rotation.from_rotvec(turn) * Rotation.from_quat(pose.orientation)
    return _pose(np.asarray(pose.position) + by, q.as_quat())


def _pose(position: Array, quaternion: Array) -> Pose:
    x, y, z = (float(v) for v in position)
    a, b, c, d = (float(v) for v in quaternion)
    return Pose((x, y, z), (a, b, c, d))
