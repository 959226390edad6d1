"""The story of a training, as lines and as a page with pictures: what was said and learned."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sayso_ros.msg import LearningEvent

_WHO = {
    LearningEvent.GOAL: "task",
    LearningEvent.PROPOSAL: "robot",
    LearningEvent.DONE: "robot",
    LearningEvent.BELIEF: "robot",
    LearningEvent.QUESTION: "robot",
    LearningEvent.HEARD: "person",
    LearningEvent.ACTION: "acts",
    LearningEvent.ENDED: "end",
}


def story_line(event: LearningEvent) -> str:
    """An event for a person, with what changed."""
    who = _WHO.get(event.kind, "learner")
    why = f" ({event.why})" if event.kind == LearningEvent.NOT_UNDERSTOOD else ""
    lines = [f"{who:>8}: {event.text}{why}"]
    if event.kind == LearningEvent.OPERATORS:
        lines += [f"{'-':>8}  {x}" for x in event.before.splitlines()]
        lines += [f"{'+':>8}  {x}" for x in event.after.splitlines()]
    if event.kind == LearningEvent.PREDICATE:
        lines += [f"{'|':>8}  {x}" for x in event.after.strip().splitlines()]
    return "\n".join(lines)


def lines_into(path: Path) -> Callable[[LearningEvent], None]:
    """What appends each event that happens to a file."""

    def tell(event: LearningEvent) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(story_line(event) + "\n")

    return tell


@dataclass
class TeachStory:
    """Collects what happens and writes `report.md` and pictures into a folder.

    Args:
        person: who teaches, as the page calls them.
    """

    folder: Path
    person: str
    _lines: list[str] = field(default_factory=list)
    _open: bool = False
    _pictures: int = 0

    def chapter(self, title: str) -> None:
        """A new task begins."""
        self._close()
        self._lines += ["", f"## {title}", ""]

    def add(self, event: LearningEvent) -> None:
        """One more event."""
        if event.kind == LearningEvent.PREDICATE:
            self._code(event)
            return
        if not self._open:
            self._lines.append("```text")
            self._open = True
        self._lines.append(story_line(event))

    def picture(self, jpeg: bytes | None, caption: str) -> None:
        """What it looks like now, if a camera shows it."""
        if jpeg is None:
            return
        self._close()
        self._pictures += 1
        name = f"{self._pictures:03d}.jpg"
        (self.folder / name).write_bytes(jpeg)
        self._lines += ["", f"![{caption}]({name})", ""]

    def text(self, words: str) -> None:
        """A paragraph."""
        self._close()
        self._lines += ["", words, ""]

    def code(self, text: str, language: str) -> None:
        """A block of text as it is."""
        self._close()
        self._lines += ["", f"```{language}", text.strip("\n"), "```", ""]

    def write(self) -> Path:
        """The page as it is by now."""
        self._close()
        head = [
            "# What the robot was taught",
            "",
            f"It began without symbols. {self.person} explained what was wrong, in words; from "
            "that it wrote predicates, and from what its actions did, operators.",
        ]
        path = self.folder / "report.md"
        path.write_text("\n".join([*head, *self._lines]) + "\n", encoding="utf-8")
        return path

    def _code(self, event: LearningEvent) -> None:
        self._close()
        said = f", for: *{event.why}*" if event.why else ""
        self._lines += ["", f"**{event.text}**{said}", ""]
        if not event.before:
            self.code(event.after, "python")
            return
        change = difflib.unified_diff(
            event.before.splitlines(), event.after.splitlines(), "before", "after", lineterm=""
        )
        self.code("\n".join(change), "diff")

    def _close(self) -> None:
        if self._open:
            self._lines += ["```", ""]
        self._open = False
