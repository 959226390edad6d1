"""The run folder: `report.json` for programs, `report.md` for people, pictures beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from sayso.core.errors import SUCCESS_CODES
from sayso.core.symbols import Check
from sayso.events import Event, EventKind, SkillReport
from sayso.logic.monitor import Progress
from sayso.logic.text import to_text

FORMAT = 1


@dataclass
class RunReport:
    """Collects a task's events; `write` puts the report into a folder.

    Attributes:
        settings: whatever is needed to repeat the run: seed, backends, noise, versions.
        pictures: (caption, file name in the folder), in order.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)

    def add(self, event: Event) -> None:
        self.events.append(event)

    def write(self, folder: Path) -> None:
        """Write both files; may be called again as more happens."""
        folder.mkdir(parents=True, exist_ok=True)
        data = self.as_data()
        (folder / "report.json").write_text(json.dumps(data, indent=2) + "\n")
        (folder / "report.md").write_text(as_markdown(data))

    def as_data(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        result = self._last(EventKind.RESULT)
        spec = self._last(EventKind.SPECIFICATION)
        progress = self._last(EventKind.PROGRESS)
        return {
            "format": FORMAT,
            "instruction": next(
                (e.text for e in self.events if e.kind is EventKind.INSTRUCTION), ""
            ),
            "result": _result(result) if result else None,
            "verdict": progress.progress.verdict.name
            if progress and progress.progress
            else "POSSIBLE",
            "specification": _understanding(spec) if spec else None,
            "specification_versions": [
                _understanding(e) for e in self.events if e.kind is EventKind.SPECIFICATION
            ],
            "plans": [_plan(e) for e in self.events if e.kind is EventKind.PLAN],
            "skills": [
                {"elapsed_s": round(e.elapsed_s, 3), **_skill(e.skill)}
                for e in self.events
                if e.skill is not None
            ],
            "trace": [
                {"elapsed_s": round(e.elapsed_s, 3), **_progress(e.progress)}
                for e in self.events
                if e.progress is not None
            ],
            "messages": [
                e.text for e in self.events if e.kind in (EventKind.MESSAGE, EventKind.QUESTION)
            ],
            "stages_s": stage_times(self.events),
            "first_motion_s": first_motion_s(self.events),
            "pictures": [{"caption": c, "file": f} for c, f in self.pictures],
            "settings": dict(self.settings),
        }

    def _last(self, kind: EventKind) -> Event | None:
        return next((e for e in reversed(self.events) if e.kind is kind), None)


def stage_times(events: Sequence[Event]) -> dict[str, float]:
    """Seconds spent in each stage: the time up to an event counts for the event's stage."""
    times: dict[str, float] = {}
    for before, event in pairwise(events):
        spent = event.elapsed_s - before.elapsed_s
        times[event.stage] = round(times.get(event.stage, 0.0) + spent, 4)
    return times


def first_motion_s(events: Sequence[Event]) -> float | None:
    """From the instruction to the first skill that may move; None if none began."""
    return next((round(e.elapsed_s, 4) for e in events if e.skill is not None), None)


def _result(event: Event) -> dict[str, Any]:
    return {
        "code": event.code.name,
        "succeeded": event.code in SUCCESS_CODES,
        "message": event.text,
        "hint": event.hint,
        "choices": list(event.choices),
        "elapsed_s": round(event.elapsed_s, 3),
    }


def _understanding(event: Event) -> dict[str, Any]:
    if event.understanding is None:
        return {}
    grounded = event.understanding.specification
    return {
        "formula": to_text(grounded.specification.formula),
        "grounded_formula": to_text(grounded.formula),
        "english": event.understanding.english,
        "source": grounded.specification.source,
        "version": grounded.specification.version,
        "grounding": {str(r): list(o) for r, o in grounded.grounding.items()},
    }


def _plan(event: Event) -> dict[str, Any]:
    if event.plan is None:
        return {}
    return {
        "elapsed_s": round(event.elapsed_s, 3),
        "planner": event.plan.planner,
        "cost": event.plan.cost,
        "time_s": round(event.plan.time_s, 5),
        "steps": [
            {"action": str(s.action), "does": s.action.english, "why": s.why}
            for s in event.plan.steps
        ],
    }


def _skill(skill: SkillReport) -> dict[str, Any]:
    return {
        "action": str(skill.action),
        "step": skill.step,
        "attempt": skill.attempt,
        "phase": "finished" if skill.finished else "started",
        "code": skill.code.name,
        "message": skill.message,
        "checks": [_check(c) for c in skill.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    return {"literal": str(check.literal), "observed": check.observed, "detail": check.detail}


def _progress(progress: Progress) -> dict[str, Any]:
    return {
        "automaton_state": progress.state,
        "verdict": progress.verdict.name,
        "true": sorted(map(to_text, progress.true)),
        "unknown": sorted(map(to_text, progress.unknown)),
        "remaining": list(progress.remaining),
    }


def as_markdown(data: Mapping[str, Any]) -> str:
    """The report's data as a page for people."""
    lines = ["# Run report", "", f"> {data['instruction']}", ""]
    lines += _markdown_result(data)
    lines += _markdown_specification(data["specification"])
    for number, plan in enumerate(data["plans"], 1):
        lines += _markdown_plan(number, plan)
    lines += _markdown_skills(data["skills"])
    lines += _markdown_trace(data["trace"])
    if data["messages"]:
        lines += ["## Messages", "", *(f"- {m}" for m in data["messages"]), ""]
    if data["pictures"]:
        lines += ["## Pictures", ""]
        for picture in data["pictures"]:
            lines += [f"![{picture['caption']}]({picture['file']})", f"*{picture['caption']}*", ""]
    lines += ["## Times", "", "| stage | seconds |", "|---|---|"]
    lines += [f"| {stage} | {seconds:.3f} |" for stage, seconds in data["stages_s"].items()]
    lines += ["", "## Settings", "", "```json", json.dumps(data["settings"], indent=2), "```", ""]
    return "\n".join(lines)


def _markdown_result(data: Mapping[str, Any]) -> list[str]:
    result = data["result"]
    if result is None:
        return ["**The task has not ended.**", ""]
    word = "Succeeded" if result["succeeded"] else "Not done"
    lines = [f"**{word}** (`{result['code']}`): {result['message']}", ""]
    lines += [f"Next: {result['hint']}", ""] if result["hint"] else []
    lines += [f"Verdict of the observed trace: `{data['verdict']}`.", ""]
    if data["first_motion_s"] is not None:
        lines += [f"First skill began {data['first_motion_s']:.2f} s after the instruction.", ""]
    return lines


def _markdown_specification(spec: Mapping[str, Any] | None) -> list[str]:
    if not spec:
        return []
    lines = ["## What was understood", "", f"`{spec['formula']}`", ""]
    lines += [*spec["english"].splitlines(), "", "| referent | objects |", "|---|---|"]
    lines += [f"| {r} | {', '.join(o)} |" for r, o in spec["grounding"].items()]
    return [*lines, ""]


def _markdown_plan(number: int, plan: Mapping[str, Any]) -> list[str]:
    lines = [f"## Plan {number}", "", f"By {plan['planner']} in {plan['time_s']:.3f} s.", ""]
    lines += [
        f"{i}. `{s['action']}`: {s['does']}" + (f" ({s['why']})" if s["why"] else "")
        for i, s in enumerate(plan["steps"], 1)
    ]
    return [*lines, ""]


def _markdown_skills(skills: Sequence[Mapping[str, Any]]) -> list[str]:
    if not skills:
        return []
    lines = [
        "## Skills",
        "",
        "| time [s] | skill | phase | outcome | observed |",
        "|--|--|--|--|--|",
    ]
    for skill in skills:
        observed = "; ".join(
            f"{c['literal']}: {c['observed']}" + (f" ({c['detail']})" if c["detail"] else "")
            for c in skill["checks"]
        )
        outcome = skill["code"] + (f": {skill['message']}" if skill["message"] else "")
        lines.append(
            f"| {skill['elapsed_s']:.1f} | `{skill['action']}` | {skill['phase']} "
            f"| {outcome} | {observed} |"
        )
    return [*lines, ""]


def _markdown_trace(trace: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["## Trace", "", "| time [s] | automaton state | verdict | true |", "|--|--|--|--|"]
    last = None
    for step in trace:
        key = (step["automaton_state"], step["true"])
        if key != last:
            lines.append(
                f"| {step['elapsed_s']:.1f} | {step['automaton_state']} | {step['verdict']} "
                f"| {', '.join(step['true'])} |"
            )
        last = key
    return [*lines, ""]
