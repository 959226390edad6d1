"""The story of a training: a console, a text that grows, and a page."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from sayso.learning.events import NotUnderstood, OperatorsChanged, PredicateLearned
from sayso.reporting.story import LINES, PAGE, Story

ON = "def on(scene, a, b):\n    return scene.bottom(a) > scene.top(b)\n"
OFF = ON.replace(">", "<")


def told(folder: Path | None) -> tuple[Story, str]:
    """A story of one task, and what a console shows of it."""
    shown = io.StringIO()
    story = Story(folder, Console(file=shown, width=200))
    story.chapter("Put [red] on it")
    story.tell("person", "The cup is not on [it].")
    story.event(PredicateLearned("on", 1, "", ON, "it is on it", disagreeing=2))
    story.event(PredicateLearned("on", 2, ON, OFF, "no"))
    story.event(OperatorsChanged(("(put ?a)", "(pick ?a)"), ("(go)",)))
    story.event(NotUnderstood("hm", "these are no words."))
    story.picture(b"jpeg", "in the end")
    story.remark("The goal is reached.")
    return story, shown.getvalue()


def test_the_page_tells_all_in_order_with_code_changes_and_pictures(tmp_path: Path) -> None:
    story, _ = told(tmp_path)
    story.write("Taught", "It began without symbols.")
    page = (tmp_path / PAGE).read_text()
    assert page.startswith("# Taught\n\nIt began without symbols.\n\n## Put [red] on it\n")
    parts = [
        "  person: The cup is not on [it].\n```\n",
        "**on learned, version 1, against 2 labels**, for: *it is on it*",
        f"```python\n{ON}```",
        "**on corrected, version 2**, for: *no*",
        "```diff\n--- before\n+++ after\n",
        "-    return scene.bottom(a) > scene.top(b)\n+    return scene.bottom(a) < scene.top(b)",
        "```text\n learner: 2 operators came, 1 went\n       -  (go)\n       +  (put ?a)\n",
        " learner: not understood: hm (these are no words.)\n```\n",
        "![in the end](001.jpg)",
        "The goal is reached.",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places) and page.count("```") % 2 == 0
    assert (tmp_path / "001.jpg").read_bytes() == b"jpeg"


def test_the_text_is_there_while_it_goes_on(tmp_path: Path) -> None:
    story, shown = told(tmp_path / "run")
    lines = (tmp_path / "run" / LINES).read_text()
    assert "== Put [red] on it\n  person: The cup is not on [it].\n" in lines
    assert " learner: on learned, version 1, against 2 labels\n       |  def on(" in lines
    assert "The cup is not on [it]." in shown and "The goal is reached." in shown
    story.tell("end", "reached")
    assert (tmp_path / "run" / LINES).read_text().endswith("     end: reached\n")


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    story, _ = told(None)
    story.write("Taught", "")
    assert not list(tmp_path.iterdir())
