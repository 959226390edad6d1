"""Taught skills: the port of learners, and what all of them share.

A learner makes of demonstrations a taught skill; an attempt of that skill is asked for setpoint
after setpoint and tells where the tool goes next and how wide the fingers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Protocol

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import Scene
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills.shapes import FittedShape
from sayso.learning.skills.showings import (
    ALIKE_M,
    Fits,
    Fitter,
    Frames,
    Hold,
    Showing,
    Stretch,
    apart_m,
    carried,
    fits_of,
    frames_of,
    holds,
    nearest_fits_m,
    numbered,
    showing,
    ways,
    with_holds,
    with_used,
)

_PINCH_M = 0.0015
"""By so much the fingers would close farther than a part is thick that they hold loosely."""
RATE_HZ = 20.0
"""Of the setpoints of an attempt."""


@dataclass(frozen=True)
class Setpoint:
    """Where the tool shall be next, in the scene's frame, and how wide the gripper."""

    tool: Pose
    gripper_width_m: float


class Motion(Protocol):
    """How the tool goes in one primitive of a way; learned."""

    def pose(self, phase: float, tool: Pose, start: Pose, frames: Frames, held: str) -> Pose:
        """Where the tool shall be.

        Args:
            phase: of the motion, 0 to 1.
            tool: where it was told to be before.
            start: where it was at the beginning of the motion.
            frames: of things, now.
            held: the parameter that is in the hand, or ''.
        """


class MotionLearner(Protocol):
    """Learns the motions of a way of doing something; one for each kind of learning."""

    def motions(self, showings: Sequence[Showing]) -> tuple[Motion, ...]:
        """One for each stretch of the showings, which are of one kind."""


@dataclass(frozen=True)
class Step:
    """One primitive of a taught way."""

    shown: Stretch
    motion: Motion
    width_m: float
    count: int


@dataclass(frozen=True)
class Way:
    """One way to do it: its steps, how things are taken, the showings it was learned from."""

    steps: tuple[Step, ...]
    holds: tuple[Hold, ...]
    showings: tuple[Showing, ...]


@dataclass(frozen=True)
class TaughtSkill:
    """What was learned of demonstrations, the commonest way first.

    Attributes:
        parameters: of the skill, in order.
        refused: the words of demonstrations that nothing could be learned from, and why.
        failed: how the things stood when the robot tried it and failed.
    """

    parameters: tuple[str, ...]
    ways: tuple[Way, ...]
    fit: Fitter
    refused: Mapping[str, SaySoError] = field(default_factory=dict)
    failed: tuple[Fits, ...] = ()

    def failed_there(self, scene: Scene, things: Mapping[str, str]) -> bool:
        """Whether it failed with the things about where they are, and nobody showed it there."""
        fits = fits_of(scene, things, self.fit)
        shown = (s.fits for way in self.ways for s in way.showings)
        return nearest_fits_m(fits, self.failed) < ALIKE_M <= nearest_fits_m(fits, shown)

    def attempt(self, scene: Scene, things: Mapping[str, str], way: int = 0) -> Attempt:
        """Do it with these things, from where the gripper is, by the parts that look likest.

        Raises:
            SaySoError: as `attempts`.
        """
        return self.attempts(scene, things, (way,))[0]

    def attempts(
        self, scene: Scene, things: Mapping[str, str], ways: Sequence[int] | None = None
    ) -> tuple[Attempt, ...]:
        """Every way (or only these) of doing it with these things, from where the gripper is; a way
        that was shown with the things about where they are comes first.

        Where a thing has several parts of a kind, such as a rack its pegs, there is one attempt
        with each; the parts that are likest to those of the demonstrations come first.

        Raises:
            SaySoError: INVALID for things that it is not taught for, or that are not there; what
                the fitting of shapes raises.
        """
        if tuple(things) != self.parameters:
            raise SaySoError(
                Code.INVALID,
                f"it is taught for {', '.join(self.parameters)}, not {', '.join(things)}.",
                choices=self.parameters,
            )
        fits = fits_of(scene, things, self.fit)
        chosen = self.ways if ways is None else [self.ways[number] for number in ways]
        return tuple(
            attempt
            for way in sorted(chosen, key=partial(_unlike_m, fits))
            for attempt in _attempts(way, fits, scene.robot.gripper)
        )


def _unlike_m(fits: Fits, way: Way) -> float:
    """How far the things are from where a way was shown; all that is far is alike."""
    return min(nearest_fits_m(fits, (s.fits for s in way.showings)), ALIKE_M)


def _attempts(way: Way, fits: Mapping[str, FittedShape], tool: Pose) -> Iterator[Attempt]:
    frames = with_holds(frames_of(fits), fits, way.holds)
    families = {
        family: sorted(members, key=partial(_newness_m, way, family))
        for family, members in numbered(frames).items()
    }
    for chosen in product(*families.values()):
        used = dict(zip(families, chosen, strict=True))
        yield Attempt(way, with_used(frames, used), tool, used)


def _newness_m(way: Way, family: str, pose: Pose) -> float:
    """How far a part is from those that were used when it was shown."""
    shown = (s.used[family] for s in way.showings if family in s.used)
    return min((apart_m(pose, p) for p in shown), default=0.0)


@dataclass
class Attempt:
    """A taught way as it is done, step by step; what is held goes with the hand.

    Attributes:
        frames: of all things and parts, now.
        tool: where it was told to be last.
        used: of parts that a thing has several of, those that were chosen, as they were at first.
    """

    way: Way
    frames: Frames
    tool: Pose
    used: Frames = field(default_factory=dict)
    _index: int = 0
    _tick: int = 0
    _start: Pose | None = None
    _held: str = ""
    _grip: Pose = Pose()

    def __post_init__(self) -> None:
        first = self.way.steps[0].shown.held
        if first:
            self._held, self._grip = first, self.tool.inverse() @ self.frames[first]

    @property
    def step(self) -> Step | None:
        """What is being done; None at the end."""
        return self.way.steps[self._index] if self._index < len(self.way.steps) else None

    def next(self) -> Setpoint | None:
        """The next setpoint; None at the end."""
        if (step := self.step) is None:
            return None
        self._start = self._start or self.tool
        self._tick += 1
        phase = self._tick / step.count
        if step.shown.moves:
            self.tool = step.motion.pose(phase, self.tool, self._start, self.frames, self._held)
            if self._held:
                self.frames = carried(self.frames, self._held, self.tool @ self._grip)
        width_m = self._width_m(step, phase)
        if self._tick == step.count:
            self._finish(step)
        return Setpoint(self.tool, width_m)

    def _width_m(self, step: Step, phase: float) -> float:
        """Fingers move in their own steps, and stay as they are told to be in others."""
        earlier = [s for s in self.way.steps[: self._index] if not s.shown.moves]
        before = earlier[-1].width_m if earlier else self.way.steps[0].width_m
        return before if step.shown.moves else before + (step.width_m - before) * phase

    def _finish(self, step: Step) -> None:
        shown = step.shown
        if shown.primitive == "grasp" and shown.thing and not shown.part:
            self._held, self._grip = shown.thing, self.tool.inverse() @ self.frames[shown.thing]
        elif shown.primitive == "place":
            self._held = ""
        self._index, self._tick, self._start = self._index + 1, 0, None


@dataclass(frozen=True)
class ByPrimitives:
    """Learns each primitive of each way by itself."""

    motions: MotionLearner

    def learn(
        self,
        demonstrations: Sequence[Demonstration],
        fit: Fitter,
        failed: Sequence[Demonstration] = (),
    ) -> TaughtSkill:
        """As the port says. A demonstration that nothing can be learned from is told, not used."""
        refused: dict[str, SaySoError] = {}
        ready: list[Showing] = []
        for number, one in enumerate(demonstrations, 1):
            try:
                ready.append(showing(one, fit))
            except SaySoError as error:
                refused[f"{number}: {one.words}"] = error
        if not ready:
            raise SaySoError(
                Code.INVALID,
                "nothing can be learned from these demonstrations: "
                + ("; ".join(e.message for e in refused.values()) or "there are none."),
                hint="show it once more, with all its things in sight.",
            )
        stood = tuple(fits_of(d.key_frames[0].scene, d.things, fit) for d in failed)
        mended = [nearest_fits_m(s.fits, stood) < ALIKE_M for s in ready]
        usual, there = (
            [s for s, m in zip(ready, mended, strict=True) if m is so] for so in (False, True)
        )
        learned = tuple(self._way(group) for group in (*ways(usual), *ways(there)))
        return TaughtSkill(tuple(ready[0].demonstration.things), learned, fit, refused, stood)

    def _way(self, kind: tuple[Showing, ...]) -> Way:
        held = holds(kind)
        showings = tuple(_with_holds(s, held) for s in kind)
        motions = self.motions.motions(showings)
        stretches = zip(*(s.stretches for s in showings), strict=True)
        steps = (_step(shown, motion) for shown, motion in zip(stretches, motions, strict=True))
        return Way(tuple(steps), held, showings)


def _with_holds(one: Showing, held: Sequence[Hold]) -> Showing:
    """A showing that has the frames of how things are taken, too."""
    stretches = (replace(s, frames=with_holds(s.frames, one.fits, held)) for s in one.stretches)
    return replace(one, stretches=tuple(stretches))


def _step(shown: Sequence[Stretch], motion: Motion) -> Step:
    seconds = float(np.median([s.duration_s for s in shown]))
    width_m = float(np.median([s.width_m for s in shown]))
    if shown[0].primitive == "grasp":
        # It closes until it holds, however thick the thing is; a part that leads the hand is held
        # no more firmly than it was shown, so that it can turn between the fingers.
        width_m = max(width_m - _PINCH_M, 0.0) if shown[0].part else 0.0
    return Step(shown[0], motion, width_m, max(2, round(seconds * RATE_HZ)))
