"""A single skill as a task of its own: confirmed by whoever sends it, watched like any other."""

from __future__ import annotations

from sayso.core.symbols import Action, Plan, PlanStep
from sayso.logic.formula import Eventually, Formula, Not, Prop, conjunction
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.stages import PlanRequest
from sayso.planning.problem import PlanningProblem
from sayso.planning.validate import validate
from sayso.reporting.events import Understanding
from sayso.ros.task.task_stages import ArmStages, TaskContext
from sayso.skills.execute import SkillExecutor


class SkillGoalStages(ArmStages):
    """The specification is the action's effects; the plan is the action."""

    def __init__(self, action: Action, arm: SkillExecutor, context: TaskContext) -> None:
        super().__init__(arm, context)
        self._action = action

    def interpret(self, instruction: str) -> Understanding:
        formula = Eventually(effects(self._action))
        specification = Specification(instruction, formula, source="skill goal")
        grounded = GroundedSpecification(specification, formula)
        return Understanding(grounded, self._action.english)

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        plan = Plan((PlanStep(self._action, "asked for"),), "skill goal", self._action.cost)
        validate(plan, self._problem(PlanRequest(request.state, request.progress)))
        return plan

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        """None: nothing but the action was asked for, so nothing else is done to help it."""
        return None


def effects(action: Action) -> Formula:
    """What holds after an action, as a formula."""
    added = (Prop(a.predicate, a.args) for a in sorted(action.add))
    deleted = (Not(Prop(a.predicate, a.args)) for a in sorted(action.delete - action.add))
    return conjunction(*added, *deleted)
