"""The main flow in the 2D kitchen with a library that was learned from words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal, Plan
from sayso.evaluation.interpret.practice import DomainPractice
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.text import parse
from sayso.mission.in_process import InProcessStages
from sayso.mission.stages import ReportSkill
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.search import SearchPlanner
from sayso.reporting.events import Understanding
from sayso.skills import contract


class AsSaid:
    """Plans that count as somebody's words: repairs keep them."""

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        plan = SearchPlanner().solve(problem, limits)
        return replace(plan, from_words=True)


class TaughtKitchen(InProcessStages):
    """A task's goal, brought about with what was learned.

    Args:
        upset: what somebody does before the first action: skills with their things.
    """

    def __init__(
        self, practice: DomainPractice, learned: Library, upset: Sequence[str], planner: TaskPlanner
    ) -> None:
        super().__init__(learned, planner=planner)
        self.practice, self._upset = practice, list(upset)

    @property
    def scene(self) -> Scene:
        return self.practice.observe()

    def look(self) -> None:
        self.take(self.scene)

    def interpret(self, instruction: str) -> Understanding:
        formula = parse(f"F({' & '.join(self.practice.task.goal)})", grounded=True)
        spec = GroundedSpecification(Specification(instruction, formula, "a test"), formula)
        return Understanding(spec, instruction)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        while self._upset:
            skill, *things = self._upset.pop(0).split()
            assert self.practice.act(skill, things)
        checks = self._checked(sorted(action.preconditions))
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        if not self.practice.act(action.skill, action.args[: self.practice.skills[action.skill]]):
            raise SaySoError(Code.EXECUTION, f"{action} did not work.")
        effects = self._checked(contract.effects(action))
        contract.require(effects, Code.POSTCONDITION, f"{action} did not do what was learned of it")
        return effects

    def _checked(self, literals: Iterable[Literal]) -> tuple[Check, ...]:
        return contract.check(self.scene, literals, self.library.predicates)
