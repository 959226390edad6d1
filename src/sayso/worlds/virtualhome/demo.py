"""`sayso demo --world virtualhome`: one task in one process, as text and pictures of the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from sayso import pipeline
from sayso.core.errors import Code
from sayso.core.ports import Embedder
from sayso.mission.recovery import TaskLimits
from sayso.mission.stages import Answer
from sayso.reporting.events import Event, Understanding
from sayso.reporting.film import write_gif
from sayso.reporting.report import Picture, RunReport
from sayso.reporting.terminal import TerminalView
from sayso.worlds.virtualhome.drawing import picture
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.programs import Programs, adapted
from sayso.worlds.virtualhome.stages import VirtualHomeStages
from sayso.worlds.virtualhome.tasks import Step, Task, tasks
from sayso.worlds.virtualhome.world import VirtualHome

FAILURES = 20
"""Steps that may fail: another task's program fits in few places."""


def demonstrate(
    instruction: str,
    seed: int,
    embedder: Embedder,
    confirm: Callable[[Understanding], Answer],
    folder: Path,
    console: Console,
) -> bool:
    """Performs an instruction and writes its run folder; whether it succeeded.

    Args:
        seed: which of the tasks of a title, or of all for other words, says what is where.
        embedder: finds the most alike task of the title, whose program is the first plan.

    Raises:
        SaySoError: MISSING_DEPENDENCY where VirtualHome is not laid; what `Stages` raise.
    """
    task, program = _chosen(instruction, seed, embedder)
    stages = VirtualHomeStages(task, program, confirm)
    console.print(f"VirtualHome, simulated: the house of task {task.key}, '{task.title}'.")
    started = {"options": ["--world", "virtualhome", "--seed", str(seed)]}
    report = RunReport({"started": started, "task": task.key}, library().predicates)
    run = _Run(stages, folder, console, report)
    limits = TaskLimits(failures=FAILURES)
    outcome = pipeline.perform(instruction, stages, run.listen, limits)
    run.close()
    return outcome.succeeded


def _chosen(instruction: str, seed: int, embedder: Embedder) -> tuple[Task, tuple[Step, ...]]:
    """A task, and the most alike other one's program; none for what is no title."""
    title = instruction.strip().partition(".")[0].strip(" !").lower()
    known = tasks()
    named = [t for t in known.values() if t.title.lower() == title]
    if not named:
        return tuple(known.values())[seed % len(known)], ()
    task = named[seed % len(named)]
    other = Programs(embedder, known).nearest(task, same_title=True)
    return task, adapted(other.program, _things(task))


def _things(task: Task) -> tuple[str, ...]:
    return VirtualHome(task).observe().objects


@dataclass
class _Run:
    stages: VirtualHomeStages
    folder: Path
    console: Console
    report: RunReport
    frames: list[bytes] = field(default_factory=list)
    captions: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._view = TerminalView(self.console)

    def listen(self, event: Event) -> None:
        self._view.show(event)
        self.report.add(event)
        skill = event.skill
        if skill is None or not skill.finished:
            return
        said = str(skill.action) + ("" if skill.code is Code.OK else f": {skill.code.name}")
        true = self.stages.world.observe().true_atoms()
        jpeg = picture(true, skill.action.args, said)
        name = f"step_{len(self.frames) + 1:02}.jpg"
        (self.folder / name).write_bytes(jpeg)
        self.captions.append((len(self.frames), said))
        self.frames.append(jpeg)
        index = self.report.skill_events - 1
        self.report.pictures.append(Picture(said, name, index))

    def close(self) -> None:
        """Writes the film and the report."""
        write_gif(self.frames, self.folder / "film.gif", self.captions, len(self.frames) * 1.5)
        self.report.write(self.folder)
        self.console.print(f"Run folder: [bold]{self.folder}[/]", highlight=False)
        self.console.print("  report.md, report.json, pictures, film.gif")
