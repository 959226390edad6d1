"""Which of the scenes that are seen while something is shown are its key frames.

One contact primitive ends and another begins where the fingers begin or cease to move, or to touch
something. What was seen just before that, and first after it, says what it was done to and what
came of it. All is found as it comes: the recording may break off at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.core.scene import Scene
from sayso.learning.demonstrations.felt import Felt

_CHANGE_M = 0.004
"""Fingers that went less far from where they rested still rest."""
_STILL_M, _STILL_S = 0.001, 0.25
"""Fingers that went less far in this time have come to rest."""
_APART_S = 0.5
"""Touches alone make no more key frames than one in this time."""


@dataclass
class FingerMoments:
    """Follows the gripper's width, and finds when the fingers begin and cease to move."""

    moving: bool = False
    _rested_m: float | None = None
    _since: tuple[float, float] = (0.0, 0.0)

    def take(self, stamp_s: float, width_m: float) -> bool:
        """Whether they began to move, or have come to rest, with this reading."""
        if self._rested_m is None:
            self._rested_m = width_m
        if not self.moving:
            self.moving = abs(width_m - self._rested_m) > _CHANGE_M
            self._since = stamp_s, width_m
            return self.moving
        since_s, then_m = self._since
        if abs(width_m - then_m) > _STILL_M:
            self._since = stamp_s, width_m
        elif stamp_s - since_s > _STILL_S:
            self.moving, self._rested_m = False, width_m
            return True
        return False


@dataclass
class KeyScenes:
    """Takes what is read of the fingers, and what is seen, in the order in which it comes.

    The first and the last scene of a demonstration are key frames in any case: whoever records it
    knows which these are.
    """

    _fingers: FingerMoments = field(default_factory=FingerMoments)
    _felt: Felt = field(default_factory=lambda: Felt({}))
    _newest: Scene | None = None
    _kept_s: float = float("-inf")
    _rest_s: float | None = None

    def begin(self, first: Scene) -> None:
        """With the scene that is the first key frame."""
        self._felt.take(first)
        self._newest, self._kept_s = first, first.stamp_s

    def width(self, stamp_s: float, width_m: float) -> Scene | None:
        """The gripper's width [m] now; gives what was seen before the fingers began to move."""
        if not self._fingers.take(stamp_s, width_m):
            return None
        self._rest_s = None if self._fingers.moving else stamp_s
        return self._kept(self._newest) if self._fingers.moving else None

    def scene(self, seen: Scene) -> Scene | None:
        """What is seen now; given back where it is a key frame, the first after the fingers came
        to rest or with a touch that began or ended."""
        self._newest = seen
        before = len(self._felt.contacts())
        self._felt.take(seen)
        touch = len(self._felt.contacts()) > before and seen.stamp_s - self._kept_s > _APART_S
        rested = self._rest_s is not None and seen.stamp_s > self._rest_s
        if rested:
            self._rest_s = None
        return self._kept(seen) if rested or touch else None

    def _kept(self, scene: Scene | None) -> Scene | None:
        if scene is None or scene.stamp_s <= self._kept_s:
            return None
        self._kept_s = scene.stamp_s
        return scene
