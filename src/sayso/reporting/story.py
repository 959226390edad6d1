"""A training's story, as lines and as a page with pictures: what was said, done and learned."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax

from sayso.learning.events import (
    GoalSet,
    LabelContradicted,
    LearningEvent,
    NotUnderstood,
    OperatorsChanged,
    PredicateLearned,
)

LINES, PAGE = "story.txt", "report.md"
_STYLES = {"task": "bold", "goal": "bold", "person": "green", "learner": "cyan", "end": "bold"}


@dataclass
class Story:
    """Tells what happens as it goes on: to a console, and into a folder.

    In the folder `story.txt` grows with each line, and pictures are kept for `report.md`.

    Args:
        folder, console: where it is told; each may be left out.
    """

    folder: Path | None = None
    console: Console | None = None
    _page: list[str] = field(default_factory=list)
    _open: bool = False
    _pictures: int = 0

    def chapter(self, title: str) -> None:
        """A new task begins."""
        if self.console is not None:
            self.console.rule(escape(title))
        self._keep("", f"== {title}")
        self._block(f"## {title}")

    def tell(self, who: str, what: str, more: Iterable[str] = ()) -> None:
        """One thing that was said or done, and further lines about it."""
        lines = [_line(who, what), *more]
        if self.console is not None:
            self.console.print(
                "\n".join(lines), style=_STYLES.get(who, ""), markup=False, highlight=False
            )
        self._keep(*lines)
        if not self._open:
            self._page.append("```text")
        self._page += lines
        self._open = True

    def learned(self, told: str, before: str, after: str, why: str) -> None:
        """A predicate's text, or how it changed, with the words that brought it about."""
        self._keep(_line("learner", told), *_each("|", after.strip().splitlines()))
        if self.console is not None:
            self.console.print(_line("learner", told), style=_STYLES["learner"], markup=False)
            self.console.print(Syntax(after.strip(), "python", background_color="default"))
        self._block(f"**{told}**{f', for: *{why}*' if why else ''}")
        if not before:
            self.code(after, "python")
            return
        old, new = before.splitlines(), after.splitlines()
        change = difflib.unified_diff(old, new, "before", "after", lineterm="")
        self.code("\n".join(change), "diff")

    def operators(self, told: str, removed: Iterable[str], added: Iterable[str]) -> None:
        """Operators that went, and those that came."""
        self.tell("learner", told, [*_each("-", removed), *_each("+", added)])

    def event(self, event: LearningEvent) -> None:
        """What a learner made of what it was told."""
        match event:
            case GoalSet(goal=goal):
                self.tell("goal", "; ".join(map(str, goal)))
            case PredicateLearned():
                self.learned(event.text, event.before, event.after, event.why)
            case OperatorsChanged():
                self.operators(event.text, event.removed, event.added)
            case LabelContradicted():
                self.tell("learner", event.question)
            case NotUnderstood():
                self.tell("learner", event.text)

    def picture(self, jpeg: bytes | None, caption: str) -> None:
        """What it looks like now, if a camera shows it."""
        if jpeg is None or self.folder is None:
            return
        self._pictures += 1
        name = f"{self._pictures:03d}.jpg"
        (self.folder / name).write_bytes(jpeg)
        self._block(f"![{caption}]({name})")

    def remark(self, words: str) -> None:
        """A paragraph, told too."""
        if self.console is not None:
            self.console.print(words, markup=False, highlight=False)
        self.paragraph(words)

    def paragraph(self, words: str) -> None:
        """Of the page alone."""
        self._block(words)

    def code(self, text: str, language: str) -> None:
        """A block of the page, as it is."""
        self._block(f"```{language}", text.strip("\n"), "```")

    def write(self, title: str, opening: str) -> None:
        """The page as it is by now."""
        self._close()
        if self.folder is not None:
            text = "\n".join([f"# {title}", "", opening, "", *self._page])
            (self.folder / PAGE).write_text(text, encoding="utf-8")

    def _keep(self, *lines: str) -> None:
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LINES).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _block(self, *lines: str) -> None:
        self._close()
        self._page += [*lines, ""]

    def _close(self) -> None:
        if self._open:
            self._page += ["```", ""]
        self._open = False


def _line(who: str, what: str) -> str:
    return f"{who:>8}: {what}"


def _each(mark: str, lines: Iterable[str]) -> list[str]:
    return [f"{mark:>8}  {line}" for line in lines]
