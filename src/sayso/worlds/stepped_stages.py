"""The stages of a task over senses whose time passes as the robot waits."""

from __future__ import annotations

from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.worlds.stepped_senses import SteppedSenses

SCENE_TIMEOUT_S = 10.0


class SteppedStages(InProcessStages):
    """Stages that see what such senses see; what is done is the robot's matter."""

    def __init__(self, senses: SteppedSenses, library: Library, confirm: Confirm = say_yes) -> None:
        super().__init__(library, confirm)
        self.sense(senses)

    def sense(self, senses: SteppedSenses) -> None:
        """From now on each new scene of these is a state of the task."""
        self._senses = senses
        senses.on_scene = self.take

    @property
    def scene(self) -> Scene:
        return self._senses.scene()

    def now_s(self) -> float:
        return self._senses.now_s()

    def look(self) -> None:
        self._senses.scene_after(self.now_s(), SCENE_TIMEOUT_S)
