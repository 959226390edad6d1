"""Task events between the core and messages."""

from __future__ import annotations

from typing import Any

from sayso_ros.msg import Check as CheckMsg
from sayso_ros.msg import SkillEvent, Status, TaskEvent

from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.symbols import Action, Check, Plan, PlanStep
from sayso.reporting.events import Event, EventKind, SkillReport, Understanding
from sayso.ros.messages.conversions import (
    action_to_msg,
    error_from_status,
    error_to_status,
    header,
    plan_to_msg,
    time_to_msg,
    truth_from_msg,
    truth_to_msg,
)
from sayso.ros.messages.progress import progress_from_msg, progress_to_msg
from sayso.ros.messages.specifications import understanding_from_msg, understanding_to_msg


def check_to_msg(check: Check) -> CheckMsg:
    return CheckMsg(
        literal=str(check.literal), observed=truth_to_msg(check.observed), detail=check.detail
    )


def skill_to_msg(skill: SkillReport, task_id: str, stamp_s: float) -> SkillEvent:
    """`stamp_s` is on the clock of observations, so that it can be compared with scenes."""
    return SkillEvent(
        header=header(stamp_s),
        task_id=task_id,
        phase=SkillEvent.FINISHED if skill.finished else SkillEvent.STARTED,
        step=skill.step,
        attempt=skill.attempt,
        action=action_to_msg(skill.action),
        checks=[check_to_msg(c) for c in skill.checks],
        status=Status(code=int(skill.code), stage="execute", message=skill.message),
    )


def event_to_msg(event: Event, task_id: str, now_s: float) -> TaskEvent:
    """`now_s` is on the clock of observations."""
    message = TaskEvent(
        stamp=time_to_msg(now_s),
        task_id=task_id,
        kind=int(event.kind),
        stage=event.stage,
        elapsed_s=float(event.elapsed_s),
        text=event.text,
        status=Status(
            code=int(event.code),
            stage=event.stage,
            message=event.text if event.kind is EventKind.RESULT else "",
            hint=event.hint,
            choices=list(event.choices),
        ),
    )
    if event.understanding is not None:
        message.specification = understanding_to_msg(event.understanding)
        if event.understanding.trouble:
            message.status = error_to_status(event.understanding.trouble, event.stage)
    if event.plan is not None:
        message.plan = plan_to_msg(event.plan)
    if event.skill is not None:
        message.skill = skill_to_msg(event.skill, task_id, now_s)
    if event.progress is not None:
        message.progress = progress_to_msg(event.progress, task_id, now_s)
    return message


def event_from_msg(msg: Any) -> Event:
    """For showing: actions carry their names, not their preconditions and effects."""
    kind = EventKind(msg.kind)
    error = error_from_status(msg.status)
    return Event(
        kind=kind,
        stage=msg.stage,
        elapsed_s=float(msg.elapsed_s),
        text=msg.text,
        understanding=_understanding(msg.specification, error)
        if kind is EventKind.SPECIFICATION
        else None,
        plan=_plan(msg.plan) if kind is EventKind.PLAN else None,
        skill=_skill(msg.skill) if kind is EventKind.SKILL else None,
        progress=progress_from_msg(msg.progress) if kind is EventKind.PROGRESS else None,
        code=error.code,
        hint=error.hint,
        choices=error.choices,
    )


def _understanding(msg: Any, error: SaySoError) -> Understanding:
    return understanding_from_msg(msg, None if error.code in SUCCESS_CODES else error)


def _plan(msg: Any) -> Plan:
    steps = tuple(PlanStep(_named_action(s), s.why) for s in msg.steps)
    return Plan(steps, msg.planner, float(msg.cost), float(msg.time_s))


def _named_action(msg: Any) -> Action:
    nothing: frozenset[Any] = frozenset()
    return Action(
        name=msg.operator_name,
        args=tuple(msg.args),
        preconditions=nothing,
        add=nothing,
        delete=nothing,
        skill=msg.skill,
        cost=float(msg.cost),
        english=msg.english,
    )


def _skill(msg: Any) -> SkillReport:
    return SkillReport(
        action=_named_action(msg.action),
        step=int(msg.step),
        attempt=int(msg.attempt),
        finished=msg.phase == SkillEvent.FINISHED,
        checks=tuple(
            Check(parse_literal(c.literal), truth_from_msg(c.observed), c.detail)
            for c in msg.checks
        ),
        code=Code(msg.status.code),
        message=msg.status.message,
    )
