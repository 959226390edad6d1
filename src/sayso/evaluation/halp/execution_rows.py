"""The rows of `rows.yaml`: what an arm is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import yaml


@dataclass(frozen=True)
class TaskRow:
    """A row of `rows.yaml`, where the fields are explained."""

    name: str
    say: str
    things: Mapping[str, Sequence[str]]
    ends: Sequence[str]
    start: Sequence[str] = ()
    relations: bool = False


def _read() -> dict[str, TaskRow]:
    file = resources.files("sayso.evaluation.halp") / "rows.yaml"
    rows = yaml.safe_load(file.read_text(encoding="utf-8"))["rows"]
    return {name: TaskRow(name, **entry) for name, entry in rows.items()}


ROWS: Mapping[str, TaskRow] = _read()
