"""What `sayso eval halp` offers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sayso.adapters import registry
from sayso.core.options import option
from sayso.evaluation.halp.decision_tasks import SETS
from sayso.evaluation.halp.execution_rows import ROWS
from sayso.worlds.persons.hand_plans import PLANS

TASKS = tuple(PLANS)
RELATIONS = ("told", "untold")
GRASPS = ("geometric", "contact_graspnet", "taught[geometric]", "taught[contact_graspnet]")
PARTS = ("skills", "execution", "decisions")


@dataclass(frozen=True)
class Settings:
    """What is taught, by what it is learned, and how it is tried."""

    part: str = option(
        "skills",
        "skills: taught and tried; execution: instructions done with shapes never seen; "
        "decisions: whether a skill is asked for when it is lacking",
        choices=PARTS,
    )
    sets: tuple[str, ...] = option(
        ("paper",),
        "decisions: tasks of the paper, two halves of 90 more, and those of its real robot",
        choices=tuple(SETS),
    )
    task_files: tuple[Path, ...] = option((), "decisions: further tasks, as JSON lines", "FILE")
    tasks: tuple[str, ...] = option(TASKS, "what is shown", choices=TASKS)
    learners: tuple[str, ...] = option(
        ("mixtures",),
        "mixtures, or what they are compared with",
        choices=registry.names("motion_learner"),
    )
    demonstrations: tuple[int, ...] = option((5,), "learned from each", "N")
    unseen: int = option(20, "shapes to try each on (at most 20)", "N")
    rows: tuple[str, ...] = option(tuple(ROWS), "execution: what is asked", choices=tuple(ROWS))
    tables: int = option(60, "execution: drawn for each row", "N")
    first: int = option(0, "execution: number of the first table", "N")
    grasps: str = option(
        "geometric",
        "execution: where things are taken: by their shape, or as a simulated person took such "
        "things in what they showed",
        choices=GRASPS,
    )
    relations: tuple[str, ...] = option(
        ("told",),
        "execution by a model's programs: whether the scene's text tells relations; rows whose "
        "words need none are left out of `untold`",
        choices=RELATIONS,
    )
    physics: bool = option(
        False, "done by the arm as its cameras see it, judged by the simulator; else by geometry"
    )
