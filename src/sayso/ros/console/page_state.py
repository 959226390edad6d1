"""What the console's page shows of a task, made from its events; everything as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sayso.core.errors import SUCCESS_CODES, SaySoError
from sayso.core.geometry import rotation_matrix
from sayso.core.scene import Scene
from sayso.core.symbols import Check, Plan
from sayso.logic.english import describe
from sayso.logic.formula import referents_of
from sayso.logic.monitor import Progress
from sayso.logic.text import to_text
from sayso.reporting.events import Event, EventKind, SkillReport, Understanding

LINES_KEPT = 200
"""Of what was told: a page that is open for days does not grow."""
MOST_POINTS = 400
"""Of a thing that are shown: its handle and pegs are told by them, its box hides them."""
_STOPPED = "stopped by "


@dataclass(frozen=True)
class Trouble:
    """Something that went wrong, with what can be done."""

    code: str
    message: str
    hint: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What was understood.

    Attributes:
        english: the formula's meaning in words.
        structure: the way to the task's end, in words.
        things: each description of the instruction, with the names of what it means.
    """

    formula: str
    english: str
    structure: tuple[str, ...]
    things: tuple[tuple[str, tuple[str, ...]], ...]
    source: str
    corrections: tuple[str, ...]
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Observed:
    """A condition that was looked at: `observed` is None where nobody can tell."""

    when: str
    literal: str
    observed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Step:
    """A step of the plan: waiting, running, done or failed."""

    words: str
    why: str
    state: str = "waiting"
    attempt: int = 0
    checks: tuple[Observed, ...] = ()
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Line:
    """One line of what happened; `kind` is news, failure, repair or phase."""

    at_s: float
    kind: str
    text: str


@dataclass(frozen=True)
class Result:
    """How the task ended."""

    good: bool
    code: str
    text: str
    hint: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskState:
    """A task as the page shows it.

    Attributes:
        question: what the person is asked; empty: nothing.
        verdict: of the automaton, "" before the first.
        remaining: obligations still open, in words.
    """

    id: str = ""
    instruction: str = ""
    reading: Reading | None = None
    question: str = ""
    planner: str = ""
    steps: tuple[Step, ...] = ()
    verdict: str = ""
    remaining: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    result: Result | None = None

    @property
    def under_way(self) -> bool:
        """Whether it began and has not ended."""
        return bool(self.id) and self.result is None

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def after(state: TaskState, event: Event, task_id: str) -> TaskState:
    """The page after one more event; an event of another task begins a new page."""
    if event.kind is EventKind.INSTRUCTION:
        return TaskState(task_id, event.text)
    if task_id != state.id:
        state = TaskState(task_id)
    match event.kind:
        case EventKind.SPECIFICATION if event.understanding is not None:
            return replace(state, reading=_reading(event.understanding), question="")
        case EventKind.QUESTION:
            return replace(state, question=event.text)
        case EventKind.PLAN if event.plan is not None and not event.is_repair:
            return replace(state, question="", planner=_found(event.plan), steps=_steps(event.plan))
        case EventKind.PLAN if event.plan is not None:
            taken = "Repair" if event.code in SUCCESS_CODES else "No repair"
            return _added(state, event, "repair", f"{taken} ({event.plan.planner}): {event.text}")
        case EventKind.SKILL if event.skill is not None:
            return _skill(state, event, event.skill)
        case EventKind.PROGRESS if event.progress is not None:
            return _progress(state, event.progress)
        case EventKind.RESULT:
            good = event.code in SUCCESS_CODES
            result = Result(good, event.code.name, event.text, event.hint, event.choices)
            return replace(state, question="", result=result)
        case _:
            return _added(state, event, "phase" if event.stage == "execute" else "news", event.text)


def answered(state: TaskState, task_id: str) -> TaskState:
    """The page once its question was answered: it is not asked twice."""
    return replace(state, question="") if task_id == state.id else state


def gate_data(open_: bool, reasons: Sequence[str]) -> dict[str, Any]:
    """The motion gate: whether the robot may move, and the stops that hold."""
    stops = [r.removeprefix(_STOPPED) for r in reasons if r.startswith(_STOPPED)]
    return {"open": open_, "reasons": list(reasons), "stops": stops}


def scene_data(scene: Scene) -> dict[str, Any]:
    """The observed things, rounded to millimetres and milliradians, in the scene's frame [m, rad].

    The gripper has `at`, `turned` (of the tool's x about z) and `width`; each thing the `corners`
    of its box and `points` of its surface, at most `MOST_POINTS`.
    """
    tool = scene.robot.gripper
    x_axis = rotation_matrix(tool.orientation)[:, 0]
    return {
        "frame": scene.frame,
        "stamp_s": round(scene.stamp_s, 3),
        "gripper": {
            "at": _rounded(tool.position),
            "turned": round(math.atan2(x_axis[1], x_axis[0]), 3),
            "width": round(scene.robot.gripper_width_m, 3),
        },
        "things": [
            {
                "name": o.name,
                "color": o.color,
                "visible": o.visible,
                "carried": o.carried,
                "corners": _rounded(o.corners()),
                "points": _rounded(_thinned(o.points)),
            }
            for o in scene.objects
        ],
    }


def _rounded(values: npt.ArrayLike) -> Any:
    return np.asarray(values, dtype=float).round(3).tolist()


def _thinned(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """At most `MOST_POINTS` of (N, 3) points, spread evenly over their order."""
    kept = np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).astype(int)
    thinned: npt.NDArray[np.float32] = points[kept]
    return thinned


def _reading(understanding: Understanding) -> Reading:
    grounded = understanding.specification
    spec = grounded.specification
    things = (
        (describe(referent), tuple(grounded.grounding.get(referent, ())))
        for referent in referents_of(spec.formula, landmarks=True)
    )
    return Reading(
        to_text(spec.formula),
        understanding.english,
        understanding.structure,
        tuple(things),
        spec.source,
        spec.corrections,
        None if understanding.trouble is None else trouble_of(understanding.trouble),
    )


def trouble_of(error: SaySoError) -> Trouble:
    """An error as the page tells it."""
    return Trouble(error.code.name, error.message, error.hint, error.choices)


def _found(plan: Plan) -> str:
    checked = "each checked when its turn comes" if plan.step_by_step else "validated"
    steps = "1 step" if len(plan.steps) == 1 else f"{len(plan.steps)} steps"
    return f"{steps} by {plan.planner}, {checked}"


def _steps(plan: Plan) -> tuple[Step, ...]:
    return tuple(Step(s.action.english or str(s.action), s.why) for s in plan.steps)


def _skill(state: TaskState, event: Event, skill: SkillReport) -> TaskState:
    """The step's state; a step that the plan does not have is only told."""
    failed = skill.finished and skill.code not in SUCCESS_CODES
    if failed:
        text = f"Failed, {skill.code.name}: {skill.message}"
        state = _added(state, event, "failure", text)
    if not 0 <= skill.step < len(state.steps):
        return state
    step = _after(state.steps[skill.step], skill, failed)
    return replace(
        state,
        question="",
        steps=(*state.steps[: skill.step], step, *state.steps[skill.step + 1 :]),
    )


def _after(step: Step, skill: SkillReport, failed: bool) -> Step:
    if not skill.finished:
        checks = _observed("before", skill.checks)
        return replace(step, state="running", attempt=skill.attempt, checks=checks, trouble=None)
    trouble = Trouble(skill.code.name, skill.message) if failed else None
    checks = (*step.checks, *_observed("after", skill.checks))
    return replace(step, state="failed" if failed else "done", checks=checks, trouble=trouble)


def _observed(when: str, checks: Sequence[Check]) -> tuple[Observed, ...]:
    return tuple(Observed(when, str(c.literal), c.observed, c.detail) for c in checks)


def _progress(state: TaskState, progress: Progress) -> TaskState:
    return replace(state, verdict=progress.verdict.name.lower(), remaining=progress.remaining)


def _added(state: TaskState, event: Event, kind: str, text: str) -> TaskState:
    line = Line(round(event.elapsed_s, 2), kind, text)
    return replace(state, lines=(*state.lines[-LINES_KEPT + 1 :], line))
