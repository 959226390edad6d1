"""`sayso demo --world kitchen2d`: one training, told and shown as it goes on, and a harder task.

The run folder tells the story: `report.md` with pictures, `story.txt`, the films, and what was
learned, as a library with all its versions and as PDDL.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.syntax import Syntax

from sayso.adapters.llm import options as model_options
from sayso.adapters.llm.metered import Metered
from sayso.core.library import Library
from sayso.evaluation.interpret.episodes import Deed, Episode, run_episode
from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.planning import Planned
from sayso.evaluation.interpret.practice import KitchenPractice, skills_of
from sayso.evaluation.interpret.timed_backends import TimedBackends, timed_backends
from sayso.evaluation.interpret.training import Story, Trained, trained
from sayso.learning.events import LearningEvent, PredicateLearned
from sayso.learning.spoken import spoken
from sayso.planning.pddl import domain_text
from sayso.planning.search import SearchPlanner
from sayso.reporting.film import Caption, write_gif
from sayso.worlds.kitchen2d.tasks import Task, tasks

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
    course = Course(style=options.style)
    story = ShownStory(console=console)
    result = trained(options.domain, options.seed, course, backends, folder, story=story)
    story.end()
    task = tasks(options.domain, "combined", options.seed)[0]
    console.rule("A harder task, with things never met")
    console.print(f"[bold]{task.words}[/]", highlight=False)
    test = _performed(task, result.library, backends)
    for number, deed in enumerate(test.episode.deeds, 1):
        console.print(f"  {number}. {_told(deed)}", highlight=False)
    verdict = "reached" if test.episode.reached else f"not reached: {test.episode.ended}"
    console.print(f"The goal is {verdict} (judged by the simulation's true state).")
    _write(folder, options.domain, story, result, task, test)
    console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
    console.print("  report.md, story.txt, domain.pddl, library, pictures, films")
    return 0 if test.episode.reached else 1


def _model(options: argparse.Namespace) -> Metered | None:
    if options.llm == "none":
        return None
    return Metered(model_options.access(options).connect())


@dataclass(frozen=True)
class Still:
    """A picture with what is written under it."""

    picture: Image.Image
    caption: str


@dataclass
class Film:
    """Pictures of a kitchen with what is written under each."""

    frames: list[bytes] = field(default_factory=list)
    captions: list[Caption] = field(default_factory=list)

    def take(self, practice: KitchenPractice, caption: str) -> None:
        """The kitchen as it is now."""
        jpeg = io.BytesIO()
        practice.kitchen.picture(480).save(jpeg, "JPEG", quality=90)
        self.captions.append((len(self.frames), _short(caption)))
        self.frames.append(jpeg.getvalue())

    def write(self, path: Path, a_frame_s: float) -> None:
        write_gif(self.frames, path, self.captions, a_frame_s * len(self.frames))


@dataclass
class ShownStory(Story):
    """A story that is printed as it goes on, with what was learned and pictures."""

    console: Console = field(default_factory=Console)
    written: list[PredicateLearned] = field(default_factory=list)
    film: Film = field(default_factory=Film)
    pictures: list[Still] = field(default_factory=list)
    _practice: KitchenPractice | None = None

    def task(self, practice: KitchenPractice) -> None:
        super().task(practice)
        self.end()
        self._practice = practice
        self.pictures.append(Still(practice.kitchen.picture(), practice.task.words))
        self.console.rule(practice.task.name)

    def end(self) -> None:
        """The kitchen as the last task left it."""
        if self._practice is not None:
            self.pictures.append(Still(self._practice.kitchen.picture(), "in the end"))
            self._practice = None

    def tell(self, who: str, what: str) -> None:
        super().tell(who, what)
        self.console.print(f"{who:>8}: {what}", markup=False, highlight=False)
        if self._practice is not None and who in ("robot", "person"):
            self.film.take(self._practice, f"{who}: {what}")

    def event(self, event: LearningEvent) -> None:
        super().event(event)
        if isinstance(event, PredicateLearned):
            self.written.append(event)
            self.console.print(Syntax(event.after.strip(), "python", background_color="default"))


def _short(caption: str, most: int = 64) -> str:
    return caption if len(caption) <= most else caption[: most - 3].rstrip() + "..."


class _Filmed(KitchenPractice):
    """A kitchen of which a picture is taken after each action."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.film = Film()
        self.pictures = [Still(self.kitchen.picture(), task.words)]
        self.film.take(self, task.words)

    def act(self, skill: str, args: Sequence[str]) -> bool:
        worked = super().act(skill, args)
        deed = spoken(skill, args)
        self.pictures.append(Still(self.kitchen.picture(), deed))
        self.film.take(self, deed)
        return worked


@dataclass(frozen=True)
class _Test:
    """How the harder task went."""

    episode: Episode
    practice: _Filmed


def _performed(task: Task, library: Library, backends: TimedBackends) -> _Test:
    practice = _Filmed(task)
    skills = skills_of(task.domain)
    planned = Planned(
        library, backends.reader, SearchPlanner(), skills, perf_counter, watching=True
    )
    return _Test(run_episode(practice, planned, go_on=True), practice)


# -- the run folder ----------------------------------------------------------------------------


def _write(
    folder: Path, domain: str, story: ShownStory, result: Trained, task: Task, test: _Test
) -> None:
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    _sheet(story.pictures, 2, 640).save(folder / "pictures" / "training.png")
    _sheet(test.practice.pictures, 2, 640).save(folder / "pictures" / "harder_task.png")
    story.film.write(folder / "training.gif", 0.7)
    test.practice.film.write(folder / "harder_task.gif", 1.2)
    text = "\n\n".join(
        (
            f"# Learning by being told: {_NAMES[domain]}",
            NOTE,
            _training_told(result),
            *_predicates_told(story.written),
            _operators_told(result.library),
            _test_told(task, test.episode),
        )
    )
    (folder / "report.md").write_text(text + "\n", encoding="utf-8")


def _sheet(stills: Sequence[Still], columns: int, width: int) -> Image.Image:
    """All pictures on one, row by row, each with its caption."""
    small = [s.picture.resize((width, round(s.picture.height * width / s.picture.width)))
             for s in stills]  # fmt: skip
    height, gap, line = small[0].height, 12, 24
    rows = -(-len(small) // columns)
    sheet = Image.new("RGB", (columns * (width + gap), rows * (height + line + gap)), "white")
    ink, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for place, (picture, still) in enumerate(zip(small, stills, strict=True)):
        row, column = divmod(place, columns)
        left, top = column * (width + gap), row * (height + line + gap)
        sheet.paste(picture, (left, top))
        ink.text((left + 4, top + height + 2), _short(still.caption, 80), "black", font)
    return sheet


def _training_told(result: Trained) -> str:
    report = result.report
    said = ", ".join(f"{n} {kind.replace('_', ' ').lower()}" for kind, n in report.feedback.items())
    return (
        f"## Training\n\n{report.reached} of {report.tasks} tasks reached their goals, in "
        f"{report.steps} proposals, {report.transitions} of which were carried out. The person "
        f"said: {said}. Every word, in order, is in [story.txt](story.txt).\n\n"
        "![before and after each task](pictures/training.png)\n\n![the film](training.gif)"
    )


def _predicates_told(written: Sequence[PredicateLearned]) -> list[str]:
    """Each predicate with the words that it was learned from, and its corrections."""
    parts = ["## What was learned from which words"]
    for event in written:
        what = "corrected" if event.before else "learned"
        parts.append(
            f"### {event.name}, {what} (version {event.version})\n\n> {event.why}\n\n"
            f"```python\n{event.after.strip()}\n```"
        )
    return parts


def _operators_told(library: Library) -> str:
    return f"## Operators\n\n```\n{domain_text(library.domain()).strip()}\n```"


def _told(deed: Deed) -> str:
    return f"{spoken(deed.skill, deed.args)}: {'done' if deed.worked else 'failed'}"


def _test_told(task: Task, episode: Episode) -> str:
    deeds = "\n".join(f"{n}. {_told(d)}" for n, d in enumerate(episode.deeds, 1))
    end = "reached" if episode.reached else f"not reached: {episode.ended}"
    return (
        f"## A harder task\n\n> {task.words}\n\n{deeds}\n\nThe goal is **{end}**, judged by the "
        "simulation's true state.\n\n![after each action](pictures/harder_task.png)\n\n"
        "![the film](harder_task.gif)"
    )
