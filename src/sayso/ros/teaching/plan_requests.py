"""Asking the planner node for a way to what was learned to be wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso_ros.msg import PlanStep, Specification
from sayso_ros.srv import PlanTask

from sayso.core.library import Library
from sayso.core.symbols import Action, Literal, SymbolicState
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.text import to_text
from sayso.ros.messages.conversions import plan_from_msg, raise_unless_ok, state_to_msg


def plan_request(
    goal: Iterable[Literal],
    state: SymbolicState,
    avoid: Iterable[tuple[str, tuple[str, ...]]],
    timeout_s: float,
) -> PlanTask.Request:
    """Bring all of a goal about; `avoid` are operators with arguments."""
    text = to_text(Eventually(conjunction(*map(of_literal, goal))))
    return PlanTask.Request(
        specification=Specification(formula=text, grounded_formula=text, source="learner"),
        state=state_to_msg(state),
        avoid=[PlanStep(operator_name=name, args=list(args)) for name, args in sorted(avoid)],
        timeout_s=timeout_s,
    )


def planned(response: PlanTask.Response, library: Library) -> Sequence[Action]:
    """The plan's actions. Raises what the planner answers, INVALID for unknown operators."""
    raise_unless_ok(response.status)
    return plan_from_msg(response.plan, library.domain()).actions
