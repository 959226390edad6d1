"""Plans that reached their goal, kept with their words for the next time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action
from sayso.logic.specification import GroundedSpecification
from sayso.planning.plan_library import KeptPlan, PlanLibrary
from sayso.reporting.events import Event, EventKind

log = logging.getLogger(__name__)


class PlanKeeper:
    """Follows a task and keeps the actions that led to its goal, those of repairs among them.

    Args:
        plans: where they are kept.
        categories: what kinds of things are seen now, by their names.
    """

    def __init__(self, plans: PlanLibrary, categories: Callable[[], Mapping[str, str]]) -> None:
        self._plans = plans
        self._categories = categories
        self._meant: GroundedSpecification | None = None
        self._done: list[Action] = []

    def listen(self, event: Event) -> None:
        """One event of the task; where a plan cannot be kept, the task has its end all the same."""
        if event.kind is EventKind.INSTRUCTION:
            self._meant, self._done = None, []
        elif event.understanding is not None:
            self._meant = event.understanding.specification
        elif event.skill is not None and event.skill.finished and event.skill.code is Code.OK:
            self._done.append(event.skill.action)
        elif event.kind is EventKind.RESULT and event.code is Code.OK:
            self._keep()

    def _keep(self) -> None:
        if self._meant is None or not self._done:
            return
        words = self._meant.specification.instruction
        try:
            kept = KeptPlan.of(words, self._meant.formula, self._done, self._categories())
            self._plans.keep(kept)
        except SaySoError as error:
            log.warning("%s", error)
