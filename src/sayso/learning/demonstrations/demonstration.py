"""One demonstration: what the hand did, what was seen, what was touched, and what was said.

Stamps are seconds on the robot's clock; poses are in the scene's frame (`Scene.frame`, z up,
metres, quaternions as x, y, z, w). The tool is the point between the fingertips, its z the
approach, its y the direction in which the fingers close, as in `RobotState.gripper`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from sayso.core.geometry import Array, Pose
from sayso.core.scene import Scene

HAND = "hand"
"""How contacts name the robot's hand."""


@dataclass(frozen=True)
class Sample:
    """The hand at one time; `joint_positions` [rad] may be empty, as of a person's own hand."""

    stamp_s: float
    tool: Pose
    gripper_width_m: float
    joint_positions: tuple[float, ...] = ()


@dataclass(frozen=True)
class Contact:
    """Two things, or the hand and a thing, began to touch or ceased to."""

    stamp_s: float
    first: str
    second: str
    touching: bool


@dataclass(frozen=True)
class KeyFrame:
    """What was seen at a time that matters, such as before a grasp.

    Attributes:
        scene: with the things' clouds as their `points`.
        pictures: (H, W, 3) of uint8, RGB, by camera.
    """

    scene: Scene
    pictures: Mapping[str, npt.NDArray[np.uint8]] = field(default_factory=dict, compare=False)

    @property
    def stamp_s(self) -> float:
        return self.scene.stamp_s


@dataclass(frozen=True)
class Annotation:
    """What was said of a part of a recording.

    Attributes:
        words: such as "pull the drawer open".
        things: what the words are about: parameters and the scene's names, in order.
        label: a short name of the behaviour, such as `open_drawer`, where one was given.
    """

    start_s: float
    end_s: float
    words: str
    things: Mapping[str, str]
    label: str = ""


@dataclass(frozen=True)
class Demonstration:
    """One showing of a skill, or play: a recording of several, each with its annotation.

    Attributes:
        words: what the person said that it shows, such as "hang the mug on the rack"; of play ''.
        things: the skill's parameters and the scene's names that stood for them, in order.
        samples: in the order of their stamps, each later than the one before.
        robot: the profile's name, or '' for a person's own hand.
        complete: False where the recording broke off.
        annotations: of play, by their start; they may overlap.
        label: as of an annotation.
    """

    words: str
    things: Mapping[str, str]
    samples: tuple[Sample, ...]
    key_frames: tuple[KeyFrame, ...] = ()
    contacts: tuple[Contact, ...] = ()
    robot: str = ""
    complete: bool = True
    annotations: tuple[Annotation, ...] = ()
    label: str = ""

    def pieces(self) -> tuple[Demonstration, ...]:
        """A demonstration for each annotation that has a motion; without annotations itself."""
        if not self.annotations:
            return (self,)
        pieces = (self._piece(a) for a in self.annotations)
        return tuple(p for p in pieces if len(p.samples) > 1)

    def without_motion(self) -> tuple[Annotation, ...]:
        """Annotations that no piece is for: nothing was recorded from their start to their end."""
        return tuple(a for a in self.annotations if len(self._piece(a).samples) < 2)

    def _piece(self, said: Annotation) -> Demonstration:
        """Its first key frame is the last before its start; what is touched then is told anew."""
        start_s, end_s = said.start_s, said.end_s
        before = [k for k in self.key_frames if k.stamp_s <= start_s][-1:]
        frames = [k for k in self.key_frames if start_s < k.stamp_s <= end_s]
        return replace(
            self,
            words=said.words,
            things=said.things,
            label=said.label,
            samples=tuple(s for s in self.samples if start_s <= s.stamp_s <= end_s),
            key_frames=(*before, *frames),
            contacts=(*self._touching(start_s), *self._contacts(start_s, end_s)),
            annotations=(),
        )

    def _touching(self, stamp_s: float) -> tuple[Contact, ...]:
        """Contacts that there are at a time, as if they began then."""
        now: dict[tuple[str, str], None] = {}
        for contact in self._contacts(float("-inf"), stamp_s):
            pair = (contact.first, contact.second)
            now.pop(pair, None)
            if contact.touching:
                now[pair] = None
        return tuple(Contact(stamp_s, first, second, True) for first, second in now)

    def _contacts(self, after_s: float, until_s: float) -> Iterator[Contact]:
        return (c for c in self.contacts if after_s < c.stamp_s <= until_s)

    @property
    def duration_s(self) -> float:
        return self.samples[-1].stamp_s - self.samples[0].stamp_s if self.samples else 0.0

    def scene_at(self, stamp_s: float) -> Scene:
        """What was seen last at that time; before the first key frame, the first.

        Raises IndexError without key frames.
        """
        earlier = [k.scene for k in self.key_frames if k.stamp_s <= stamp_s]
        return earlier[-1] if earlier else self.key_frames[0].scene

    def stamps_s(self) -> Array:
        """(N,) of the samples."""
        return np.array([s.stamp_s for s in self.samples])

    def widths_m(self) -> Array:
        """(N,) of the gripper."""
        return np.array([s.gripper_width_m for s in self.samples])

    def path(self) -> Path:
        """The tool's way."""
        return Path.of([s.tool for s in self.samples])


@dataclass(frozen=True)
class Path:
    """Poses in a row: positions (N, 3) [m] and N rotations."""

    positions: Array
    rotations: Rotation

    @staticmethod
    def of(poses: Sequence[Pose]) -> Path:
        """At least one pose."""
        return Path(
            np.array([p.position for p in poses]),
            Rotation.from_quat([p.orientation for p in poses]),
        )

    def __len__(self) -> int:
        return len(self.positions)

    def pose(self, index: int) -> Pose:
        return pose_of(self.positions[index], self.rotations[index])

    def part(self, start: int, end: int) -> Path:
        """The poses from `start` up to and without `end`."""
        return Path(self.positions[start:end], self.rotations[start:end])

    def seen_from(self, frame: Pose) -> Path:
        """The poses in the coordinates of a frame."""
        turn = Rotation.from_quat(frame.orientation).inv()
        return Path(turn.apply(self.positions - np.asarray(frame.position)), turn * self.rotations)

    def carrying(self, pose: Pose) -> Path:
        """The way of what is fixed to the tool at a pose in its frame."""
        return Path(
            self.positions + self.rotations.apply(pose.position),
            self.rotations * Rotation.from_quat(pose.orientation),
        )

    def lengths_m(self, radius_m: float) -> Array:
        """(N,) way up to each pose; an angle counts as an arc of a radius."""
        steps = np.linalg.norm(np.diff(self.positions, axis=0), axis=1)
        turns = (self.rotations[:-1].inv() * self.rotations[1:]).magnitude()
        return np.concatenate([[0.0], np.cumsum(steps + radius_m * turns)])


def pose_of(position: Array, rotation: Rotation) -> Pose:
    """The pose of a position (3,) [m] and one rotation."""
    x, y, z = (float(v) for v in position)
    a, b, c, d = (float(v) for v in rotation.as_quat(canonical=True))
    return Pose((x, y, z), (a, b, c, d))
