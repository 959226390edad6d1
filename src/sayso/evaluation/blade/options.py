"""What `sayso eval blade` offers."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.options import option

PARTS = ("tasks", "behaviours")
PLANNED, SAYCAN, TEXT2MOTION, VILA = "blade", "saycan", "text2motion", "vila"
GOAL_CONDITIONED = "goal-conditioned"
METHODS = (PLANNED, SAYCAN, TEXT2MOTION, VILA, GOAL_CONDITIONED)
"""Who tells what is done next: plans over what was learned, or see `choosing`."""
LABELS = ("propagated", "ends")
"""Predicates are learned from what words tell along plays, or just before and after alone."""


@dataclass(frozen=True)
class Part:
    """Which part."""

    part: str = option(
        PARTS[0],
        "tasks: the paper's; behaviours: each behaviour by itself, where a person led up to it "
        "(with --physics)",
        choices=PARTS,
    )
    shown: tuple[int, ...] = option(
        (0,), "--part behaviours: demonstrations that a motion is learned from; 0: all", "N"
    )


@dataclass(frozen=True)
class Settings:
    """What is learned from, and what is tried."""

    plays: int = option(40, "learned from; without physics of 14 behaviours each", "N")
    wrong: float = option(
        0.0,
        "of annotations that are wrong; with --physics so many are reckoned with, and "
        "'sayso demos generate --wrong SHARE' records them",
        "SHARE",
    )
    labels: str = option(
        LABELS[0],
        "propagated: of what words tell along plays; ends: just before and after alone",
        choices=LABELS,
    )
    physics: str = option(
        "",
        "by the arm in physics, learned from the plays in this folder, that 'sayso demos generate "
        "play_table FOLDER' makes; by default without physics",
        "FOLDER",
    )
    world: str = option(
        "play_table",
        "whose tasks are done: play_table, or with --physics a kitchen, boil_water or make_tea",
        choices=("play_table", "boil_water", "make_tea"),
    )
    misread: float = option(0.0, "that a thing is seen grossly wrong in a scene", "CHANCE")
    starts: int = option(60, "of each task", "N")
    first_start: int = option(0, "number of the first start", "N")
    learnings: int = option(3, "from other plays each time", "N")
    geometric: bool = option(
        True, "without looking at what is in the way", flags=("--no-geometric",)
    )
    finding: bool = option(True, "without looking for what is hidden", flags=("--no-finding",))
    replanning: bool = option(
        True, "the first plan is all: none is made anew or repaired", flags=("--no-replanning",)
    )
    method: str = option(
        PLANNED,
        "that chooses what is done next: blade plans; compared ones are saycan, text2motion, vila "
        "(by --llm), and goal-conditioned",
        choices=METHODS,
    )
