"""What a robot senses of a simulated world in one process, where time passes as it waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import RobotState, Scene
from sayso.worlds.mujoco_world import MujocoWorld

_DUE_S = 1e-6


@dataclass(frozen=True)
class Pace:
    """When the robot sees.

    Attributes:
        period_s: between two looks.
        delay_s: from a look until its scene is known.
        step_s: physics runs so long between two looks at what is due.
    """

    period_s: float = 0.25
    delay_s: float = 0.1
    step_s: float = 0.05


class SteppedSenses:
    """`skills.senses.Senses` over a world whose time passes in `wait`.

    Args:
        look: makes a scene of what is there now; where it raises STALE, as for a muted camera, the
            last scene ages.

    Attributes:
        touched: what the robot touched, for judging only.
        on_step: called after each step of physics.
        on_scene: told of each scene.
    """

    def __init__(self, world: MujocoWorld, look: Callable[[], Scene], pace: Pace = Pace()) -> None:
        self.world = world
        self.touched: set[str] = set()
        self.on_step: Callable[[], None] = lambda: None
        self.on_scene: Callable[[Scene], None] = lambda _: None
        self._look = look
        self._pace = pace
        self._coming: deque[Scene] = deque()
        self._scene: Scene | None = None
        self._due_s = world.time_s

    def scene(self) -> Scene:
        if self._scene is None:
            self._due_s = self.now_s() + self._pace.period_s
            return self._know(self._look())
        return self._scene

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        end_s = self.now_s() + timeout_s
        while self._scene is None or self._scene.stamp_s <= stamp_s:
            if self.now_s() >= end_s:
                raise SaySoError(
                    Code.STALE,
                    f"no new scene was observed for {timeout_s:g} s.",
                    hint="see whether the cameras are muted.",
                )
            self.wait(self._pace.step_s)
        return self._scene

    def robot(self) -> RobotState:
        return self.world.robot_state()

    def now_s(self) -> float:
        return self.world.time_s

    def wait(self, duration_s: float) -> None:
        end_s = self.now_s() + duration_s
        while (left_s := end_s - self.now_s()) > _DUE_S:
            self.world.step(min(self._pace.step_s, left_s))
            self.touched |= self.world.contacts()
            self.on_step()
            self._see()

    def _see(self) -> None:
        now_s = self.now_s()
        if now_s >= self._due_s - _DUE_S:
            self._due_s = now_s + self._pace.period_s
            try:
                self._coming.append(self._look())
            except SaySoError as error:
                if error.code is not Code.STALE:
                    raise
        while self._coming and self._coming[0].stamp_s <= now_s - self._pace.delay_s + _DUE_S:
            self._know(self._coming.popleft())

    def _know(self, scene: Scene) -> Scene:
        self._scene = scene
        self.on_scene(scene)
        return scene
