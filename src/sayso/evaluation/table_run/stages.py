"""The pipeline's stages for the arm at the simulated table, in one process.

Everything is real but the transport: words are read, plans made and checked, every motion passes
the gate, and what came about is known from observation alone.
"""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.mission.new_objects import untouchable
from sayso.mission.stages import ReportSkill
from sayso.skills.conditions import fresh_scene, task_conditions
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.worlds.stepped_senses import SteppedSenses

FRESH_S = 1.5
"""Age at which a scene is too old to move by."""
SCENE_TIMEOUT_S = 10.0


class TableStages(InProcessStages):
    """The stages of one task.

    Args:
        gate: opens for each skill, and for nothing else.
        before: called with each action before it is carried out.
        confirm: the person.
    """

    def __init__(
        self,
        senses: SteppedSenses,
        gate: MotionGate,
        executor: SkillExecutor,
        library: Library,
        before: Callable[[Action], None] = lambda _: None,
        confirm: Confirm = say_yes,
    ) -> None:
        super().__init__(library, confirm)
        self._before = before
        self._use(senses, gate, executor)

    def _use(self, senses: SteppedSenses, gate: MotionGate, executor: SkillExecutor) -> None:
        self._senses, self._gate, self._executor = senses, gate, executor
        senses.on_scene = self.take

    @property
    def scene(self) -> Scene:
        return self._senses.scene()

    def now_s(self) -> float:
        return self._senses.now_s()

    def look(self) -> None:
        self._senses.scene_after(self.now_s(), SCENE_TIMEOUT_S)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        self._before(action)
        conditions = (
            fresh_scene(self._senses, FRESH_S),
            *task_conditions(self.task_watch, self._senses),
        )
        avoid = untouchable(self.new_objects.understanding)
        with self._gate.authorised(conditions):
            return self._executor.execute(
                action, avoid, started=started, forbids=self.task_watch.would_violate
            )
