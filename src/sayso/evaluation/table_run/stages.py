"""The pipeline's stages for the arm at the simulated table, in one process.

Everything is real but the transport: words are read, plans made and checked, every motion passes
the gate, and what came about is known from observation alone.
"""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.library import Library
from sayso.core.symbols import Action, Check
from sayso.evaluation.table_run.robot import TableArm
from sayso.mission.in_process import Confirm, say_yes
from sayso.mission.new_objects import untouchable
from sayso.mission.stages import ReportSkill
from sayso.worlds.stepped_stages import SteppedStages


class TableStages(SteppedStages):
    """The stages of one task.

    Args:
        before: called with each action before it is carried out.
        confirm: the person.
    """

    def __init__(
        self,
        arm: TableArm,
        library: Library,
        before: Callable[[Action], None] = lambda _: None,
        confirm: Confirm = say_yes,
    ) -> None:
        super().__init__(arm.senses, library, confirm)
        self._before, self._arm = before, arm

    def use(self, arm: TableArm) -> None:
        """From now on another arm's senses, skills and gate, of the same world."""
        self._arm = arm
        self.sense(arm.senses)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        self._before(action)
        avoid = untouchable(self.new_objects.understanding)
        return self._arm.carry_out(action, self.task_watch, avoid, started)
