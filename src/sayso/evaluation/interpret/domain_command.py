"""`sayso domain new|check|teach`: domains of one's own."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_text
from sayso.evaluation.interpret.demonstration import demonstrate
from sayso.learning.spoken import english_of
from sayso.reporting.report import new_run_folder
from sayso.worlds.domains.checks import troubles
from sayso.worlds.domains.choosing import described, domain_named
from sayso.worlds.domains.description import Description
from sayso.worlds.domains.reading import FILE


def new(folder: Path, console: Console) -> int:
    """Writes a commented example. Raises CONFIG where a domain is already."""
    file = folder / FILE
    if file.exists():
        raise SaySoError(
            Code.CONFIG, f"{file} is there already.", hint="name another folder, or mend that one."
        )
    example = resources.files("sayso") / "worlds" / "domains" / "example" / FILE
    folder.mkdir(parents=True, exist_ok=True)
    replace_text(file, example.read_text(encoding="utf-8"))
    told = f"{file} is an example; change it, then: sayso domain check {folder}"
    console.print(told, markup=False)
    return 0


def check(name: str, console: Console) -> int:
    """Names what is wrong with a domain; 1 if anything is."""
    description = described(name)
    for line in _spoken(description):
        console.print(line, highlight=False, markup=False)
    with Progress(
        TextColumn("trying tasks"), BarColumn(), MofNCompleteColumn(), console=console,
        transient=True,
    ) as bar:  # fmt: skip
        row = bar.add_task("", total=None)
        found = troubles(
            description, tell=lambda done, total: bar.update(row, completed=done, total=total)
        )
    for trouble in found:
        console.print(f"{description.folder.name}/{trouble}", highlight=False, markup=False)
    if not found:
        console.print(
            f"{description.name}: {len(description.deeds)} actions do what "
            f"{len(description.library.operators)} rules say, and every task has a plan.",
            markup=False,
        )
    return int(bool(found))


def _spoken(description: Description) -> Iterator[str]:
    """How each action is spoken of, as its name has it."""
    for name, deed in description.deeds.items():
        said = english_of(name, len(deed.takes)).format(*(f"<{t}>" for t in deed.takes))
        yield f"{name} is spoken of as: {said}"


def teach(options: argparse.Namespace, console: Console) -> int:
    """Lessons with whoever types, then a harder task; 0 if that is reached."""
    domain_named(options.folder)
    options.world, options.style = options.folder, "plain"
    options.person, options.llm = "typed", "none"
    return demonstrate(options, new_run_folder(options.record), console)
