"""`sayso demo --world kitchen2d`: one training, told and shown as it goes on, and a harder task.

The run folder tells the story: `report.md` with pictures, `story.txt`, the films, and what was
learned, as a library with all its versions and as PDDL.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from rich.console import Console

from sayso.adapters.llm import options as model_options
from sayso.adapters.llm.metered import Metered
from sayso.core.library import Library
from sayso.evaluation.interpret.episodes import Episode, run_episode
from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.planning import Planned
from sayso.evaluation.interpret.practice import KitchenPractice, skills_of
from sayso.evaluation.interpret.timed_backends import TimedBackends, timed_backends
from sayso.evaluation.interpret.training import TellingPractice, Trained, TrainingStory, trained
from sayso.learning.spoken import spoken
from sayso.planning.pddl import domain_text
from sayso.planning.search import SearchPlanner
from sayso.reporting.film import Caption, write_gif
from sayso.worlds.kitchen2d.tasks import tasks
from sayso.worlds.kitchen2d.world import Kitchen2D

NOTE = (
    "The kitchen is a 2D physics simulation, and the person is simulated: it explains from the "
    "true rules of the kitchen, which the learner never sees."
)
_NAMES = {"store": "storing objects", "table": "setting the table", "cook": "cooking a meal"}


def demonstrate(options: argparse.Namespace, folder: Path, console: Console) -> int:
    """Train, test, and write the story; 0 if the harder task's goal is truly reached."""
    console.print(NOTE, style="dim")
    with timed_backends(_model(options)) as backends:
        return _demonstrate(options, backends, folder, console)


def _demonstrate(
    options: argparse.Namespace, backends: TimedBackends, folder: Path, console: Console
) -> int:
    story = FilmedStory(folder, console)
    course = Course(style=options.style)
    result = trained(options.domain, options.seed, course, backends, folder, story=story)
    story.end("training.gif", 0.7)
    story.chapter("What was learned")
    story.paragraph(_training_told(result))
    story.code(domain_text(result.library.domain()), "lisp")
    practice = _Pictured(tasks(options.domain, "combined", options.seed)[0], story)
    story.task(practice)
    story.remark("A harder task, with things never met.")
    story.tell("task", practice.task.words)
    episode = _performed(practice, result.library, backends)
    verdict = "reached" if episode.reached else f"not reached: {episode.ended}"
    story.remark(f"The goal is {verdict} (judged by the simulation's true state).")
    story.end("harder_task.gif", 1.2)
    story.write(f"Learning by being told: {_NAMES[options.domain]}", NOTE)
    console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
    console.print("  report.md with pictures, story.txt, domain.pddl, library, films")
    return 0 if episode.reached else 1


def _model(options: argparse.Namespace) -> Metered | None:
    if options.llm == "none":
        return None
    return Metered(model_options.access(options).connect())


@dataclass
class FilmedStory(TrainingStory):
    """A story with pictures of each task before and after it, and a film of all of them."""

    _kitchen: Kitchen2D | None = None
    _frames: list[bytes] = field(default_factory=list)
    _captions: list[Caption] = field(default_factory=list)

    def task(self, practice: KitchenPractice) -> None:
        """The next task begins."""
        self._leave()
        super().task(practice)
        self._kitchen = practice.kitchen
        self.look(practice.task.words)

    def tell(self, who: str, what: str, more: Iterable[str] = ()) -> None:
        """One thing that was said or done, and how it looks then."""
        super().tell(who, what, more)
        if self._kitchen is not None and who in ("robot", "person"):
            self._captions.append((len(self._frames), _short(f"{who}: {what}")))
            self._frames.append(_jpeg(self._kitchen))

    def look(self, caption: str) -> None:
        """The kitchen as it is now, on the page."""
        if self._kitchen is not None:
            self.picture(_jpeg(self._kitchen), caption)

    def end(self, name: str, a_frame_s: float) -> None:
        """The film up to now, so long for each picture; another begins."""
        self._leave()
        if self.folder is not None:
            frames = self._frames
            write_gif(frames, self.folder / name, self._captions, a_frame_s * len(frames))
            self.paragraph(f"![the film]({name})")
        self._frames, self._captions = [], []

    def _leave(self) -> None:
        self.look("in the end")
        self._kitchen = None


def _jpeg(kitchen: Kitchen2D) -> bytes:
    jpeg = io.BytesIO()
    kitchen.picture(480).save(jpeg, "JPEG", quality=90)
    return jpeg.getvalue()


def _short(caption: str, most: int = 64) -> str:
    return caption if len(caption) <= most else caption[: most - 3].rstrip() + "..."


class _Pictured(TellingPractice):
    """Practice of which a picture is taken after each action."""

    _story: FilmedStory

    def act(self, skill: str, args: Sequence[str]) -> bool:
        worked = super().act(skill, args)
        self._story.look(spoken(skill, args))
        return worked


def _performed(practice: KitchenPractice, library: Library, backends: TimedBackends) -> Episode:
    """How the task goes by what was learned."""
    skills = skills_of(practice.task.domain)
    planned = Planned(
        library, backends.reader, SearchPlanner(), skills, perf_counter, watching=True
    )
    return run_episode(practice, planned, go_on=True)


def _training_told(result: Trained) -> str:
    report = result.report
    said = ", ".join(f"{n} {kind.replace('_', ' ').lower()}" for kind, n in report.feedback.items())
    return (
        f"{report.reached} of {report.tasks} tasks reached their goals, in {report.steps} "
        f"proposals, {report.transitions} of which were carried out. The person said: {said}. "
        "Every word, in order, is in [story.txt](story.txt)."
    )
