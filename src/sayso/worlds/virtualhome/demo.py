"""`sayso demo --world virtualhome`: one task in one process, as text and pictures of the graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from sayso import pipeline
from sayso.core.ports import Embedder
from sayso.core.symbols import Action
from sayso.mission.recovery import TaskLimits
from sayso.mission.stages import Answer
from sayso.reporting.events import Understanding
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
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
    task = _chosen(instruction, seed)
    world = VirtualHome(task)
    stages = VirtualHomeStages(world, _program(instruction, world, embedder), confirm)
    console.print(f"VirtualHome, simulated: the house of task {task.key}, '{task.title}'.")
    started = {"options": ["--world", "virtualhome", "--seed", str(seed)]}
    report = RunReport({"started": started, "task": task.key}, library().predicates)

    def drawn(action: Action, said: str) -> bytes:
        return picture(stages.world.observe().true_atoms(), action.args, said)

    run = IllustratedRun(folder, console, report, drawn)
    limits = TaskLimits(failures=FAILURES)
    outcome = pipeline.perform(instruction, stages, run.listen, limits)
    run.close()
    return outcome.succeeded


def _chosen(instruction: str, seed: int) -> Task:
    """Of the tasks of a title, or of all for other words, the one that a seed says."""
    known = tuple(tasks().values())
    named = [t for t in known if _is_title(instruction, t)] or known
    return named[seed % len(named)]


def _program(instruction: str, world: VirtualHome, embedder: Embedder) -> tuple[Step, ...]:
    """The most alike other task's program; none for what is no title."""
    if not _is_title(instruction, world.task):
        return ()
    other = Programs(embedder, tasks()).fitting(world, same_title=True)
    return adapted(other.program, world.observe().objects)


def _is_title(instruction: str, task: Task) -> bool:
    return instruction.strip().partition(".")[0].strip(" !").lower() == task.title.lower()
