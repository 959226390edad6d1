"""What `sayso eval limp` can be told, without loading a simulator."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.adapters import registry
from sayso.core.options import option

METHODS = ("limp", "saycan", "code")
"""SaySo's own way; a list of steps; a program."""

PERCEPTIONS = ("known", "camera")
"""The true map and things; what the frames of a tour tell."""


@dataclass(frozen=True)
class Settings:
    """What is carried out."""

    scenes: int = option(3, "flats an instruction", "N")
    sets: tuple[str, ...] = option((), "such as CT (default: all with gold)", "SET")
    given: bool = option(False, "give the gold formulas instead of the words")
    perception: str = option(
        "known",
        "known: true map and things; camera: from the frames of a tour",
        choices=PERCEPTIONS,
    )
    method: str = option(
        "limp",
        "limp, or a compared planner: saycan or code",
        choices=METHODS,
        flags=("--method", "--baseline"),
    )
    path_planner: str = option(
        "grid",
        "of the way of each leg of a tour (--method limp)",
        choices=registry.names("path_planner"),
    )
