"""Keeping off things by more than what is observed: they may be elsewhere, or on their way.

Where the robot and things are is known to some centimetres only, and who walks goes on walking
while the robot brakes. Whatever a task speaks of is therefore also taken to be as far as that
nearer to where the robot would come to rest, as long as the robot comes nearer to it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code
from sayso.core.geometry import Array
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.skills.gate import Condition, Request

WouldViolate = Callable[[Scene, RobotState], "str | None"]


@dataclass(frozen=True)
class SeparationSettings:
    """How far off the robot keeps.

    Attributes:
        margin_m: how far off places may be: less than tours keep off, so that they pass.
        walking_m_s: what moves faster than this is on its way, not only seen anew.
        window_s: over which that is judged, up to when a thing was seen last.
        unseen_s: how long what went on its way unseen is taken to have gone on.
        lately_s: what was seen no longer ago than this is seen.
        react_s: until the robot begins to brake.
        braking_m_s: its mean speed from then until it rests.
        nearer_m: a robot that comes nearer by less does not.
    """

    margin_m: float = 0.08
    walking_m_s: float = 0.1
    window_s: float = 0.8
    unseen_s: float = 3.0
    lately_s: float = 0.8
    react_s: float = 0.3
    braking_m_s: float = 0.5
    nearer_m: float = 0.02


class SeparationMonitor:
    """Follows how things move; give it every scene. Scenes may come on another thread.

    Args:
        names: of the things that the task speaks of.
        also: what else is followed, such as those who walk.
    """

    def __init__(
        self,
        names: Collection[str],
        settings: SeparationSettings = SeparationSettings(),
        also: Callable[[SceneObject], bool] = lambda _: False,
    ) -> None:
        self._names = names
        self._settings = settings
        self._also = also
        self._lock = threading.Lock()
        self._seen: dict[str, deque[tuple[float, Array]]] = {}
        self._stamp_s = 0.0

    def observe(self, scene: Scene) -> None:
        """Take in a scene, no older than those before."""
        with self._lock:
            self._stamp_s = scene.stamp_s
            for thing in scene.objects:
                if self._follows(thing):
                    self._take(thing)

    def _follows(self, thing: SceneObject) -> bool:
        return thing.name in self._names or self._also(thing)

    def _take(self, thing: SceneObject) -> None:
        seen = self._seen.setdefault(thing.name, deque())
        if thing.carried:
            seen.clear()
        elif not seen or thing.last_seen_s > seen[-1][0]:
            seen.append((thing.last_seen_s, np.asarray(thing.position[:2], float)))
        while seen and seen[-1][0] - seen[0][0] > self._settings.window_s:
            seen.popleft()

    def velocity(self, name: str) -> Array:
        """(2,) of a thing over the floor when it was seen last [m/s]; zero for what stood."""
        with self._lock:
            return self._velocity(name)

    def _velocity(self, name: str) -> Array:
        seen = self._seen.get(name)
        if seen is None or len(seen) < 2:
            return np.zeros(2)
        (then_s, then), (now_s, now) = seen[0], seen[-1]
        moved: Array = (now - then) / max(now_s - then_s, self._settings.window_s / 2)
        fast = float(np.linalg.norm(moved)) > self._settings.walking_m_s
        return moved if fast else np.zeros(2)

    def walking(self) -> frozenset[str]:
        """The names of what is seen to be on its way now."""
        with self._lock:
            return frozenset(n for n in self._on_their_way() if not self._unseen(n))

    def out_of_sight(self) -> frozenset[str]:
        """The names of what was on its way when it was seen last, and is not seen now."""
        with self._lock:
            return frozenset(n for n in self._on_their_way() if self._unseen(n))

    def _on_their_way(self) -> Iterable[str]:
        return (n for n in self._seen if self._velocity(n).any())

    def _unseen(self, name: str) -> bool:
        return self._stamp_s - self._seen[name][-1][0] > self._settings.lately_s

    def imagined(self, scene: Scene, request: Request, now_s: float) -> Iterable[Scene]:
        """For each thing that the robot comes nearer to, the scene with it as near as may be."""
        base, then = request.robot.base, request.predicted.base
        if base is None or then is None:
            return
        here, rest = np.asarray(base.position[:2]), np.asarray(then.position[:2])
        way_m = float(np.linalg.norm(rest - here))
        s = self._settings
        to_rest_s = s.react_s + way_m / s.braking_m_s
        for thing in scene.objects:
            if not self._follows(thing) or thing.carried or way_m < s.nearer_m:
                continue
            since_s = min(max(now_s - thing.last_seen_s, 0.0), s.unseen_s)
            gone = _moved(thing, self.velocity(thing.name) * (since_s + to_rest_s))
            if _away(gone, rest) < _away(gone, here) - s.nearer_m:
                nearer = _moved(gone, s.margin_m * towards(gone, rest))
                yield replace(
                    scene,
                    objects=tuple(nearer if o is thing else o for o in scene.objects),
                )

    def condition(
        self,
        would_violate: WouldViolate,
        scene: Callable[[], Scene],
        now_s: Callable[[], float],
    ) -> Condition:
        """What the gate asks in addition to what is observed.

        Args:
            scene: the newest one.
            now_s: the time on the clock of its stamps.
        """

        def too_near(request: Request) -> str | None:
            for scene_then in self.imagined(scene(), request, now_s()):
                if (reason := would_violate(scene_then, request.predicted)) is not None:
                    return f"too near to tell: {reason}"
            return None

        return Condition("keeps its distance", too_near, Code.VETO, "it is planned around.")


def _moved(thing: SceneObject, by: Array) -> SceneObject:
    x, y, z = thing.position
    return replace(thing, position=(x + float(by[0]), y + float(by[1]), z))


def _nearest(thing: SceneObject, place: Array) -> Array:
    """(2,) the point of a thing's box, seen from above, that is nearest to a place."""
    pose = thing.pose
    local = pose.inverse().transform(np.array([[*place, thing.position[2]]]))[0]
    half = np.asarray(thing.size) / 2
    return np.asarray(pose.transform(np.clip(local, -half, half)[None])[0][:2])


def _away(thing: SceneObject, place: Array) -> float:
    return float(np.linalg.norm(_nearest(thing, place) - place))


def towards(thing: SceneObject, place: Array) -> Array:
    """(2,) of length 1 from a thing to a place; zero where the place is in it."""
    way = place - _nearest(thing, place)
    length = float(np.linalg.norm(way))
    return way / length if length > 1e-6 else np.zeros(2)
