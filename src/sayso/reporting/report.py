"""The run folder: `report.json` for programs, `report.md` for people, pictures beside them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.files import replace_text
from sayso.core.predicates import Predicate
from sayso.core.symbols import Check
from sayso.logic.analysis import to_mermaid
from sayso.logic.drawing import picture_of
from sayso.logic.english import clause, describe
from sayso.logic.formula import Formula, Prop, referents_of
from sayso.logic.joint import States
from sayso.logic.monitor import Progress
from sayso.logic.progression import Progression, progression_of
from sayso.logic.shown import shown, words_of
from sayso.logic.text import to_text
from sayso.planning.words import violation
from sayso.reporting.events import Event, EventKind, SkillReport, Understanding
from sayso.reporting.report_page import as_markdown

FORMAT = 1
REPORT = "report.json"
VERSIONS = "versions.jsonl"
AUTOMATON = "automaton.svg"
MOST_STATES_DRAWN = 12
MOST_SENTENCES = 40


@dataclass(frozen=True)
class Picture:
    """A picture of the run.

    Attributes:
        file: its name in the run folder.
        skill: index of the skill event it belongs to; None for the whole run.
    """

    caption: str
    file: str
    skill: int | None = None


def new_run_folder(wanted: Path | None = None) -> Path:
    """A new, empty folder: the wanted one, else one in `runs`, named by date and time.

    Raises:
        SaySoError: CONFIG, if the wanted one holds something.
    """
    folder = wanted or _folder_of_now(Path("runs"))
    if folder.exists() and any(folder.iterdir()):
        raise SaySoError(
            Code.CONFIG,
            f"the folder {folder} is not empty; no run is ever overwritten.",
            hint="name another with --record, or move it away.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _folder_of_now(parent: Path) -> Path:
    """Made at once, so that two runs that begin in the same second get one each."""
    parent.mkdir(parents=True, exist_ok=True)
    name = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    for number in count(1):
        folder = parent / (name if number == 1 else f"{name}_{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError("numbers do not end")  # for the type checker


@dataclass
class RunReport:
    """Collects a task's events; `write` puts the report into a folder.

    Attributes:
        settings: whatever is needed to repeat the run. Of `settings["started"]`, `options` is
            what ./demo was given.
        predicates: for their English; without them, atoms are shown as they are.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    predicates: Mapping[str, Predicate] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    @property
    def skill_events(self) -> int:
        return sum(e.skill is not None for e in self.events)

    def add(self, event: Event) -> None:
        self.events.append(event)

    def write(self, folder: Path) -> None:
        """Write the report, the versions of the task's meaning and the automaton's picture.

        May be called again as more happens: each file is replaced whole. Raises OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        data = self.as_data()
        replace_text(folder / REPORT, json.dumps(data, indent=2) + "\n")
        replace_text(
            folder / VERSIONS,
            "".join(json.dumps(v) + "\n" for v in data["specification_versions"]),
        )
        replace_text(folder / "report.md", as_markdown(data))
        if picture := self._drawing():
            replace_text(folder / AUTOMATON, picture)

    def as_data(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        result = self._last(EventKind.RESULT)
        spec = self._last(EventKind.SPECIFICATION)
        progress = self._last(EventKind.PROGRESS)
        task = _task_of(spec.understanding) if spec else None
        return {
            "format": FORMAT,
            "instruction": self._instruction(),
            "repeat": self._repeat(),
            "result": _result(result) if result else None,
            "verdict": progress.progress.verdict.name
            if progress and progress.progress
            else "POSSIBLE",
            "specification": _understanding(spec) if spec else None,
            "automaton": self._automaton(task),
            "specification_versions": [
                _understanding(e) for e in self.events if e.kind is EventKind.SPECIFICATION
            ],
            "plans": [
                _plan(e) for e in self.events if e.kind is EventKind.PLAN and not e.is_repair
            ],
            "repairs": list(_repairs(self.events, self.predicates)),
            "skills": [
                {"elapsed_s": round(e.elapsed_s, 3), **_skill(e.skill, self.predicates)}
                for e in self.events
                if e.skill is not None
            ],
            "trace": [
                {"elapsed_s": round(e.elapsed_s, 3), **_progress(e.progress, task)}
                for e in self.events
                if e.progress is not None
            ],
            "messages": [
                e.text for e in self.events if e.kind in (EventKind.MESSAGE, EventKind.QUESTION)
            ],
            "stages_s": stage_times(self.events),
            "first_motion_s": first_motion_s(self.events),
            "pictures": [asdict(p) for p in self.pictures],
            "settings": dict(self.settings),
        }

    def _instruction(self) -> str:
        return next((e.text for e in self.events if e.kind is EventKind.INSTRUCTION), "")

    def _repeat(self) -> str:
        """The command that does it again; '' if the nodes were not started by ./demo."""
        options = self.settings.get("started", {}).get("options")
        if options is None:
            return ""
        return shlex.join(["./demo", self._instruction(), *options])

    def _automaton(self, task: Progression | None) -> dict[str, Any] | None:
        """What the trace's state numbers mean; a picture too if it is small enough for one."""
        if task is None:
            return None
        automata = [a.automaton for a in shown(task)]
        small = len(automata) == 1 and automata[0].states <= MOST_STATES_DRAWN
        return {
            "states": sum(a.states for a in automata),
            "transitions": words_of(task, self.predicates, MOST_SENTENCES),
            "mermaid": to_mermaid(automata[0]) if small else "",
            "picture": AUTOMATON,
        }

    def _drawing(self) -> str:
        """The automaton with the way taken so far; '' if there is none."""
        spec = self._last(EventKind.SPECIFICATION)
        task = _task_of(spec.understanding) if spec else None
        return "" if task is None else picture_of(task, self._taken(task), self.predicates)

    def _taken(self, task: Progression) -> list[States]:
        """Where the task's parts stood along the observed trace."""
        seen = [e.progress.states for e in self.events if e.progress is not None]
        return [states for states in seen if len(states) == len(task.parts)]

    def _last(self, kind: EventKind) -> Event | None:
        return next((e for e in reversed(self.events) if e.kind is kind), None)


@lru_cache(maxsize=4)
def _compiled(formula: Formula) -> Progression | None:
    try:
        return progression_of(formula)
    except SaySoError:
        return None  # a contradiction, for example: the result says so


def _task_of(understanding: Understanding | None) -> Progression | None:
    """The task that the trace's state numbers are of."""
    return None if understanding is None else _compiled(understanding.specification.formula)


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
        "grounded_formula": "" if event.understanding.trouble else to_text(grounded.formula),
        "english": event.understanding.english,
        "source": grounded.specification.source,
        "version": grounded.specification.version,
        "said": (grounded.specification.instruction, *grounded.specification.corrections)[-1],
        "grounding": {describe(r): list(o) for r, o in grounded.grounding.items()},
        "referents": {
            describe(r): str(r)
            for r in referents_of(grounded.specification.formula, landmarks=True)
        },
        "structure": list(event.understanding.structure),
        "question": _question(event.understanding.trouble),
        "elapsed_s": round(event.elapsed_s, 3),
    }


def _question(trouble: SaySoError | None) -> dict[str, Any] | None:
    """Why the person had to be asked which things are meant."""
    if trouble is None:
        return None
    return {"message": trouble.message, "hint": trouble.hint, "choices": list(trouble.choices)}


def _plan(event: Event) -> dict[str, Any]:
    if event.plan is None:
        return {}
    return {
        "elapsed_s": round(event.elapsed_s, 3),
        "planner": event.plan.planner,
        "cost": event.plan.cost,
        "time_s": round(event.plan.time_s, 5),
        "step_by_step": event.plan.step_by_step,
        "steps": [
            {"action": str(s.action), "does": s.action.english, "why": s.why}
            for s in event.plan.steps
        ],
    }


def _repairs(
    events: Sequence[Event], predicates: Mapping[str, Predicate]
) -> Iterator[dict[str, Any]]:
    """What each repairer proposed, with the failure that it was asked about."""
    failed: dict[str, Any] = {}
    for event in events:
        if event.skill is not None and event.skill.code not in SUCCESS_CODES:
            failed = _failed(event.skill, predicates)
        if event.is_trouble:
            failed = {"action": "", "does": "plan", "failure": event.code.name, "cause": event.text}
        if not event.is_repair or event.plan is None or not failed:
            continue
        yield {
            "elapsed_s": round(event.elapsed_s, 3),
            **failed,
            "repairer": event.plan.planner,
            "reason": event.text,
            "taken": event.code is Code.OK,
            "steps": [str(a) for a in event.plan.actions],
        }


def _failed(skill: SkillReport, predicates: Mapping[str, Predicate]) -> dict[str, Any]:
    failure = Failure(skill.action, skill.code, skill.checks, skill.message)
    return {
        "action": str(skill.action),
        "does": skill.action.english,
        "failure": skill.code.name,
        "cause": violation(failure, predicates),
    }


def _skill(skill: SkillReport, predicates: Mapping[str, Predicate]) -> dict[str, Any]:
    return {
        "action": str(skill.action),
        "does": skill.action.english,
        "step": skill.step,
        "attempt": skill.attempt,
        "phase": "finished" if skill.finished else "started",
        "code": skill.code.name,
        "message": skill.message,
        "checks": [_check(c, predicates) for c in skill.checks],
    }


def _check(check: Check, predicates: Mapping[str, Predicate]) -> dict[str, Any]:
    atom, positive = check.literal.atom, check.literal.positive
    return {
        "literal": str(check.literal),
        "english": clause(Prop(atom.predicate, atom.args), predicates, positive),
        "observed": check.observed,
        "detail": check.detail,
    }


def _progress(progress: Progress, task: Progression | None) -> dict[str, Any]:
    return {
        "automaton_state": _state(progress.states, task),
        "verdict": progress.verdict.name,
        "true": sorted(map(to_text, progress.true)),
        "unknown": sorted(map(to_text, progress.unknown)),
        "remaining": list(progress.remaining),
        "rounds": progress.rounds,
    }


def _state(states: States, task: Progression | None) -> str:
    """In the automata that are shown; of several one after the other."""
    if task is None or len(states) != len(task.parts):
        return " ".join(map(str, states))
    return " ".join(str(a.state(states)) for a in shown(task))
