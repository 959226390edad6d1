"""`sayso demo --world kitchen2d`, or of another domain: a training, told and shown, and a test.

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
from rich.markup import escape

from sayso.adapters.llm import options as model_options
from sayso.adapters.llm.metered import Metered
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Action
from sayso.evaluation.interpret.episodes import Episode, run_episode
from sayso.evaluation.interpret.options import UNMET, Course
from sayso.evaluation.interpret.planning import Planned
from sayso.evaluation.interpret.practice import DomainPractice
from sayso.evaluation.interpret.timed_backends import TimedBackends, timed_backends
from sayso.evaluation.interpret.training import TellingPractice, Trained, TrainingStory, trained
from sayso.learning.spoken import spoken
from sayso.learning.teaching import Teacher
from sayso.planning.pddl import domain_text
from sayso.planning.search import SearchPlanner
from sayso.reporting.film import Caption, write_gif
from sayso.worlds.domains.choosing import domain_named
from sayso.worlds.domains.domain import Domain, World
from sayso.worlds.persons.typed import Asked, TypedPerson, sentences

_PHYSICS = "The kitchen is a 2D physics simulation"
_DATA = "The world is a file of rules, without physics"
_PERSON = (
    "and the person is simulated: it explains from the true rules, which the learner never sees."
)
_TYPED = "and you teach: what you leave empty agrees. The true rules only judge in the end."


def demonstrate(options: argparse.Namespace, folder: Path, console: Console) -> int:
    """Train, test, and write the story; 0 if the harder task's goal is truly reached."""
    kitchen = options.world == "kitchen2d"
    domain = domain_named(options.domain if kitchen else options.world)
    typed = options.person == "typed"
    note = f"{_PHYSICS if kitchen else _DATA}, {_TYPED if typed else _PERSON}"
    console.print(note, style="dim")
    with timed_backends(_model(options)) as backends:
        unmet = 0 if kitchen else UNMET
        lessons = Lessons(domain, options.style, options.seed, options.lessons, unmet)
        asked = _asked(options, console) if typed else None
        done = _demonstrate(lessons, asked, backends, FilmedStory(folder, console), note)
    console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
    console.print("  report.md with pictures, story.txt, domain.pddl, library, films")
    return 0 if done else 1


@dataclass(frozen=True)
class Lessons:
    """Which lessons there are.

    Attributes:
        style: of a simulated person's words.
        count: how many at most.
        unmet: see `Course`.
    """

    domain: Domain
    style: str
    seed: int
    count: int
    unmet: int = 0


def _asked(options: argparse.Namespace, console: Console) -> Asked:
    """Where a person's words come from: a file, or the terminal."""
    if options.sentences is None:
        return lambda prompt: console.input(f"[bold]{escape(prompt)}[/] ")
    try:
        text = options.sentences.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SaySoError(
            Code.CONFIG, f"{options.sentences} cannot be read: {error}.",
            hint="name a text with a sentence on each line.",
        ) from error  # fmt: skip
    return sentences(text.splitlines())


def _demonstrate(
    lessons: Lessons, asked: Asked | None, backends: TimedBackends, story: FilmedStory, note: str
) -> bool:
    """Training and one harder task; whether that is truly reached."""
    domain = lessons.domain
    course = Course(style=lessons.style, training=lessons.count, unmet=lessons.unmet)

    def typed(practice: DomainPractice) -> Teacher:
        return TypedPerson(practice.task.words, asked or input)

    teacher = typed if asked else None
    result = trained(
        domain, lessons.seed, course, backends, story.folder, story=story, teacher=teacher
    )
    story.end("training.gif", 0.7)
    story.chapter("What was learned")
    story.paragraph(_training_told(result))
    story.code(domain_text(result.library), "lisp")
    practice = _Pictured(domain, domain.tasks("combined", lessons.seed, 1)[0], story)
    story.task(practice)
    story.remark("A harder task, with things never met.")
    story.tell("task", practice.task.words)
    episode = _performed(practice, result.library, backends, story)
    verdict = "reached" if episode.reached else f"not reached: {episode.ended}"
    story.remark(f"The goal is {verdict} (judged by the simulation's true state).")
    story.end("harder_task.gif", 1.2)
    story.write(f"Learning by being told: {domain.about}", note)
    return episode.reached


def _model(options: argparse.Namespace) -> Metered | None:
    if options.llm == "none":
        return None
    return Metered(model_options.access(options).connect())


@dataclass
class FilmedStory(TrainingStory):
    """A story with pictures of each task before and after it, and a film of all of them."""

    _world: World | None = None
    _frames: list[bytes] = field(default_factory=list)
    _captions: list[Caption] = field(default_factory=list)

    def task(self, practice: DomainPractice) -> None:
        """The next task begins."""
        self._leave()
        super().task(practice)
        self._world = practice.world
        self.look(practice.task.words)

    def tell(self, who: str, what: str, more: Iterable[str] = ()) -> None:
        """One thing that was said or done, and how it looks then."""
        super().tell(who, what, more)
        if self._world is not None and who in ("robot", "person"):
            self._captions.append((len(self._frames), _short(f"{who}: {what}")))
            self._frames.append(_jpeg(self._world))

    def look(self, caption: str) -> None:
        """The world as it is now, on the page."""
        if self._world is not None:
            self.picture(_jpeg(self._world), caption)

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
        self._world = None


def _jpeg(world: World) -> bytes:
    jpeg = io.BytesIO()
    world.picture(480).save(jpeg, "JPEG", quality=90)
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


def _performed(
    practice: DomainPractice, library: Library, backends: TimedBackends, story: FilmedStory
) -> Episode:
    """How the task goes by what was learned; why a new plan is made is told, and what it does."""
    skills = practice.skills

    def told(why: str, plan: Sequence[Action]) -> None:
        steps = "; then ".join(spoken(a.skill, a.args[: skills[a.skill]]) for a in plan)
        story.tell(
            "repair", why, [f"        So I shall {steps}." if steps else "        All is done."]
        )

    planned = Planned(
        library, backends.goals, SearchPlanner(), skills, perf_counter, watching=True, told=told
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
