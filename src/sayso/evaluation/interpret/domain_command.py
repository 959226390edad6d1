"""`sayso domain new|check|teach`: domains of one's own."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_text
from sayso.evaluation.interpret.demonstration import demonstrate
from sayso.reporting.report import new_run_folder
from sayso.worlds.domains.checks import troubles
from sayso.worlds.domains.choosing import described, domain_named
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
    found = troubles(description)
    for trouble in found:
        console.print(str(trouble), highlight=False, markup=False)
    if not found:
        console.print(
            f"{description.name}: {len(description.deeds)} actions do what "
            f"{len(description.library.operators)} rules say, and every task has a plan.",
            markup=False,
        )
    return int(bool(found))


def teach(options: argparse.Namespace, console: Console) -> int:
    """Lessons with whoever types, then a harder task; 0 if that is reached."""
    domain_named(options.folder)
    options.world, options.style = options.folder, "plain"
    options.person, options.llm = "typed", "none"
    return demonstrate(options, new_run_folder(options.record), console)
