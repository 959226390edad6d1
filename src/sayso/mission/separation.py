"""Keeping off things by more than what is observed: they may be elsewhere, or on their way.

Where the robot and things are is known to some centimetres only, some less well than others, and
who walks goes on walking while the robot brakes. Whatever a task speaks of is therefore also taken
to be as far as that nearer to where the robot would come to rest, as long as the robot comes nearer
to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.mission.forecast import Coming, come_nearer, gone_on
from sayso.planning.navigation.nearness import further_m
from sayso.skills.conditions import Condition, Request
from sayso.skills.mover_settings import MOVERS, MoverSettings

WouldViolate = Callable[[Scene, RobotState], "str | None"]


class SeparationMonitor:
    """Keeps what is known of how things move; give it every scene. They may come on another thread.

    Args:
        names: of the things that the task speaks of; who lives is followed as well.
    """

    def __init__(self, names: Collection[str], settings: MoverSettings = MOVERS) -> None:
        self._names = names
        self._settings = settings
        self._lock = threading.Lock()
        self._seen: dict[str, SceneObject] = {}
        self._stamp_s = 0.0

    def observe(self, scene: Scene) -> None:
        """Take in a scene, no older than those before."""
        with self._lock:
            self._stamp_s = scene.stamp_s
            self._seen.update({o.name: o for o in scene.objects if self._follows(o)})

    def _follows(self, thing: SceneObject) -> bool:
        return thing.name in self._names or thing.living

    def walking(self) -> frozenset[str]:
        """The names of what is seen to be on its way now."""
        with self._lock:
            return frozenset(o.name for o in self._on_their_way() if not self._unseen(o))

    def out_of_sight(self) -> frozenset[str]:
        """The names of what was on its way when it was seen last, and is not seen now."""
        with self._lock:
            return frozenset(o.name for o in self._on_their_way() if self._unseen(o))

    def _on_their_way(self) -> Iterable[SceneObject]:
        return (o for o in self._seen.values() if any(o.velocity))

    def _unseen(self, thing: SceneObject) -> bool:
        return self._stamp_s - thing.last_seen_s > self._settings.lately_s

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
            then_s = since_s + to_rest_s
            from_rest_m, from_here_m = Coming.of(thing).distance_m(np.stack([rest, here]), then_s)
            if from_rest_m < from_here_m - s.nearer_m:
                by_m = s.margin_m + further_m(thing)
                nearer = come_nearer(gone_on(thing, then_s), rest, by_m)
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
