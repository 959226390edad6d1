"""Repairers that know operators alone, and no model, and the order in which they are asked.

`Replan` looks at what remains of the task and forgets the plan; `LeaveOut`, `Reorder` and `Bridge`
keep it, for a person or a model may have had reasons; `LearnSkill` names what is lacking.
"""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.symbols import Action, Literal, Plan
from sayso.planning.achieving import Situation
from sayso.planning.bridging import Bridge
from sayso.planning.problem import PlanningProblem
from sayso.planning.reordering import Reorder
from sayso.planning.repair import (
    BrokenPlan,
    Meant,
    Proposal,
    Repairer,
    effects_of,
    is_done,
    is_over,
    is_pointless,
)
from sayso.planning.words import fact, joined


class Replan:
    """A new plan for what remains of the task.

    Args:
        solve: a planner's, for the problem.
    """

    name = "replan"

    def __init__(self, solve: Callable[[PlanningProblem], Plan]) -> None:
        self._solve = solve

    def propose(self, broken: BrokenPlan) -> Proposal:
        plan = self._solve(broken.problem)
        return Proposal(plan.steps, f"a new plan by {plan.planner} for what remains of the task")


class LeaveOut:
    """The rest of the plan without the step that failed, where that has its effect already.

    One that lacks something else than what its own effects end is not for this repairer: a clean
    plate far away is not washed, and whoever says "wash it" may mean the washing. Nor is one that
    may have been said too early: "close it, put that in, open it" of what was shut before the plan;
    nor one that is pointless, if hindsight knows what was forgotten.
    """

    name = "leave out"

    def propose(self, broken: BrokenPlan) -> Proposal:
        action, problem = broken.failure.action, broken.problem
        at = Situation.of(problem)
        if not is_done(action, at, problem):
            raise SaySoError(Code.NO_PLAN, f"{action} does not have all of its effects already.")
        lacking = at.lacks(broken.needs(action))
        if not is_over(action, lacking, problem):
            raise SaySoError(Code.NO_PLAN, f"{action} was not refused because of its effects.")
        if (ends := _said_too_early(action, lacking, broken)) is not None:
            text = f"{action} may be meant after {ends}, which ends what it would bring about."
            raise SaySoError(Code.NO_PLAN, text)
        if is_pointless(broken):
            text = f"{action} is only said where what it ends was to be brought about before."
            raise SaySoError(Code.NO_PLAN, text)
        reason = f"all that {action} would bring about holds already"
        return Proposal(broken.rest[1:], reason, keeps_plan=True)


class LearnSkill:
    """Tells which skill is lacking, where nothing that is known brings about what failed.

    It has no proposal of its own: the next skill has to be taught first.
    """

    name = "learn skill"

    def propose(self, broken: BrokenPlan) -> Proposal:
        """Raises `SkillLackingError`, or NO_PLAN where known actions would do."""
        at, operators = Situation.of(broken.problem), broken.problem.domain.operators
        made = {(a.predicate, True) for op in operators for a in op.add}
        made |= {(a.predicate, False) for op in operators for a in op.delete}
        lacking = sorted(
            x
            for x in at.lacks(broken.needs(broken.failure.action))
            if (x.atom.predicate, x.positive) not in made
            and set(x.atom.args) <= set(broken.problem.objects)  # else it is lost, not lacking
        )
        if not lacking:
            raise SaySoError(Code.NO_PLAN, "known actions bring about each thing that is lacking.")
        facts = joined(fact(x, broken.problem.predicates) for x in lacking)
        raise SkillLackingError(
            facts,
            f"no known action brings about that {facts}, which {broken.failure.action} needs.",
            hint=f"teach a skill after which {facts}, or see to it by hand and ask again.",
        )


def model_free(
    solve: Callable[[PlanningProblem], Plan],
    *,
    keep_plan: bool,
    meant: Meant = lambda steps: steps,
) -> tuple[Repairer, ...]:
    """The repairers in the order in which they are asked.

    Args:
        keep_plan: for a plan that came from words: its intent is kept where that will do.
        meant: of the steps of a plan.
    """
    if keep_plan:
        return LeaveOut(), Reorder(meant), Bridge(solve, meant), Replan(solve), LearnSkill()
    return Replan(solve), LeaveOut(), Bridge(), LearnSkill()


def _said_too_early(
    action: Action, lacking: frozenset[Literal], broken: BrokenPlan
) -> Action | None:
    """A later step that ends those effects of an action because of which it lacks something, if
    the plan has not brought these about."""
    effects = effects_of(action)
    over = frozenset(x for x in lacking if Literal(x.atom, not x.positive) in effects)
    held = {Literal(x.atom, not x.positive) for x in over}
    if any(effects_of(a) & held for a in broken.done):
        return None
    return next((s.action for s in broken.rest[1:] if effects_of(s.action) & over), None)
