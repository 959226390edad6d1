"""A plan on the table that met a shut drawer."""

from __future__ import annotations

from sayso.core.errors import Code
from sayso.core.failure import Failure
from sayso.core.library import parse_literal
from sayso.core.symbols import Check, PlanStep
from sayso.planning.repair import BrokenPlan
from support.planning_cases import tabletop


def shut_drawer(rule: str = "") -> BrokenPlan:
    """The red block is in the hand, and the drawer that it belongs into is shut.

    Args:
        rule: a further part of the task, such as "G(!touching(mug))".
    """
    task = " & ".join(filter(None, ("F(in(red_block, drawer))", rule)))
    case = tabletop(task, "holding(red_block)", "not gripper_empty()", "not on_table(red_block)")
    domain = case.domain
    done = domain.operator("pick_from_table").ground("red_block")
    place = domain.operator("place_in").ground("red_block", "drawer")
    checks = (Check(parse_literal("accessible(drawer)"), False),)
    return BrokenPlan(Failure(place, Code.PRECONDITION, checks), (PlanStep(place),), case, (done,))
