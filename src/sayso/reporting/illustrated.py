"""The run folder of a task in one process: told at the terminal, a picture after each skill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from sayso.core.errors import Code
from sayso.core.symbols import Action
from sayso.reporting.events import Event
from sayso.reporting.film import write_gif
from sayso.reporting.report import Picture, RunReport
from sayso.reporting.terminal import TerminalView


@dataclass
class IllustratedRun:
    """Listens to a task's events.

    Attributes:
        picture: makes a JPEG of how things are after an action, with what is said of it.
    """

    folder: Path
    console: Console
    report: RunReport
    picture: Callable[[Action, str], bytes]
    frames: list[bytes] = field(default_factory=list)
    captions: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._view = TerminalView(self.console)

    def listen(self, event: Event) -> None:
        """Something happened."""
        self._view.show(event)
        self.report.add(event)
        skill = event.skill
        if skill is None or not skill.finished:
            return
        said = str(skill.action) + ("" if skill.code is Code.OK else f": {skill.code.name}")
        jpeg = self.picture(skill.action, said)
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
