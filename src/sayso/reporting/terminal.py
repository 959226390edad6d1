"""Task events as lines for a terminal; readable without colour."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from sayso.core.errors import SUCCESS_CODES
from sayso.core.symbols import Action, Check
from sayso.language.judgements import Judgement, judged
from sayso.logic.english import describe
from sayso.logic.formula import referents_of
from sayso.logic.monitor import Progress
from sayso.logic.progression import Verdict
from sayso.logic.text import to_text
from sayso.mission.stages import Answer, Decision
from sayso.reporting.events import Event, EventKind, SkillReport
from sayso.skills.stop_words import asks_to_halt

_MARK = {True: "[green]ok[/]", False: "[red]NO[/]", None: "[yellow]??[/]"}
_VERDICT = {
    Verdict.POSSIBLE: "[blue]progress: under way[/]",
    Verdict.SATISFIED: "[green]progress: satisfied[/]",
    Verdict.VIOLATED: "[red]progress: VIOLATED[/]",
}


def ask(
    console: Console, prompt: str = "[bold]yes[/], [bold]no[/], or say what you meant"
) -> Answer:
    """A person's answer to what was shown: Enter is a yes, and the end of the input a no.

    All that is neither yes nor no is a correction in their words.
    """
    try:
        words = console.input(f"  {prompt}: ").strip()
    except EOFError:
        return Answer(Decision.NO)
    judgement = judged(words)
    if not words or judgement is Judgement.YES:
        return Answer(Decision.YES, words)
    if judgement is Judgement.NO or asks_to_halt(words):
        return Answer(Decision.NO, words)
    return Answer(Decision.CORRECTION, words)


class TerminalView:
    """Prints each event as it comes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last_progress: tuple[object, ...] | None = None
        self._plan_length = 0

    def show(self, event: Event) -> None:
        match event.kind:
            case EventKind.INSTRUCTION:
                self._title("Instruction", event)
                self._line(f'"{event.text}"')
            case EventKind.SPECIFICATION:
                self._specification(event)
            case EventKind.QUESTION:
                self._title("Question", event)
                self._line(event.text)
            case EventKind.PLAN:
                self._repair(event) if event.is_repair else self._plan(event)
            case EventKind.SKILL if event.skill is not None:
                self._skill(event.skill, event.elapsed_s)
            case EventKind.PROGRESS if event.progress is not None:
                self._progress(event.progress)
            case EventKind.RESULT:
                self._result(event)
            case _:
                # What a skill does now is no news to act on; corrections and recovery are.
                self._line(event.text, style="dim" if event.stage == "execute" else "yellow")

    def _title(self, title: str, event: Event) -> None:
        self._console.print(
            f"\n[bold]{title}[/] [dim]({event.elapsed_s:.2f} s)[/]", highlight=False
        )

    def _line(self, text: str, style: str = "") -> None:
        for line in text.splitlines():
            self._console.print(f"  {escape(line)}", style=style, highlight=False)

    def _specification(self, event: Event) -> None:
        if event.understanding is None:
            return
        grounded = event.understanding.specification
        spec = grounded.specification
        self._title("Formula", event)
        self._line(to_text(spec.formula), style="cyan")
        self._console.print(f"\n[bold]Understood as[/] [dim]({escape(spec.source)})[/]")
        self._line(event.understanding.english)
        if event.understanding.structure:
            self._console.print("\n[bold]Step by step[/]")
        for number, sentence in enumerate(event.understanding.structure, 1):
            self._line(f"{number}. {sentence}")
        referents = referents_of(spec.formula, landmarks=True)
        if referents:
            self._console.print("\n[bold]Referents[/]")
        for referent in referents:
            objects = ", ".join(grounded.grounding.get(referent, ())) or "?"
            self._line(f"{describe(referent)}  ->  {objects}  [{referent}]")

    def _plan(self, event: Event) -> None:
        plan = event.plan
        if plan is None:
            return
        self._plan_length = len(plan.steps)
        self._title("Plan", event)
        steps = "1 step" if len(plan.steps) == 1 else f"{len(plan.steps)} steps"
        found = f"{steps} by {plan.planner} in {plan.time_s * 1e3:.0f} ms"
        checked = "each checked when its turn comes" if plan.step_by_step else "validated"
        self._line(f"{found}, {checked}")
        for index, step in enumerate(plan.steps, 1):
            action = step.action
            self._console.print(
                f"  {index}. {escape(_does(action))}  [dim]{escape(str(action))}[/]",
                highlight=False,
            )
            if step.why:
                self._line(f"     because {step.why}", style="dim")

    def _repair(self, event: Event) -> None:
        if event.plan is not None:
            taken = "repair" if event.code in SUCCESS_CODES else "no repair"
            self._line(f"{taken} ({event.plan.planner}): {event.text}", style="yellow")

    def _skill(self, skill: SkillReport, elapsed_s: float) -> None:
        head = f"step {skill.step + 1}/{self._plan_length}: {_does(skill.action)}"
        if not skill.finished:
            again = f", attempt {skill.attempt}" if skill.attempt > 1 else ""
            self._console.print(
                f"\n[bold]>> {escape(head)}[/]{again} [dim]({elapsed_s:.2f} s)[/]", highlight=False
            )
            self._checks("before", skill.checks)
        elif skill.code in SUCCESS_CODES:
            self._checks("after", skill.checks)
        else:
            self._line(f"FAILED {skill.code.name}: {skill.message}", style="red")

    def _checks(self, when: str, checks: tuple[Check, ...]) -> None:
        for check in checks:
            detail = f"  [dim]{escape(check.detail)}[/]" if check.detail else ""
            self._console.print(
                f"   {when:6} {_MARK[check.observed]} {escape(str(check.literal))}{detail}",
                highlight=False,
            )

    def _progress(self, progress: Progress) -> None:
        key = (progress.states, progress.rounds, progress.verdict)
        if key == self._last_progress:
            return
        self._last_progress = key
        rounds = f" (round {progress.rounds + 1})" if progress.rounds else ""
        left = "; ".join(progress.remaining) or "nothing"
        states = " ".join(map(str, progress.states))
        self._console.print(
            f"   {_VERDICT[progress.verdict]}{rounds}, state {states}; still to do: {escape(left)}",
            highlight=False,
        )

    def _result(self, event: Event) -> None:
        good = event.code in SUCCESS_CODES
        colour, word = ("green", "SUCCEEDED") if good else ("red", "NOT DONE")
        self._title("Result", event)
        self._line(f"{word} [{event.code.name}]", style=f"bold {colour}")
        self._line(event.text)
        if event.choices:
            self._line(f"Valid: {', '.join(event.choices)}")
        if event.hint:
            self._line(f"Next: {event.hint}")


def _does(action: Action) -> str:
    """What an action does, in words if its operator has such."""
    return action.english or str(action)
