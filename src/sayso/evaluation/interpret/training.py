"""Training in a domain with a simulated person, and the folder that tells about it.

library/        what was learned: predicates as Python files, all versions
domain.pddl     the operators
story.txt       what was said, done and learned, in order
record.json     figures
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.practice import (
    DomainPractice,
    Mishaps,
    person_for,
)
from sayso.evaluation.interpret.timed_backends import TimedBackends
from sayso.learning.experience import Experience
from sayso.learning.feedback import Action
from sayso.learning.learner import Learner, LearnerSettings
from sayso.learning.spoken import spoken
from sayso.learning.teaching import Teacher
from sayso.learning.training import Limits, TrainingReport, joined, train
from sayso.learning.versions import Versions
from sayso.planning.pddl import domain_text
from sayso.reporting.story import LINES, Story
from sayso.worlds.domains.domain import Domain, Task
from sayso.worlds.persons.teacher import Manner, SimulatedPerson


@dataclass(frozen=True)
class Trained:
    """What came of training in one domain.

    Attributes:
        mistakes: of the person, by kind.
        mishaps: that were made to happen, by kind.
        calls: of the language model.
        written_s: how long each writing of a predicate took.
    """

    library: Library
    report: TrainingReport
    experience: Experience
    mistakes: Counter[str]
    mishaps: Counter[str]
    calls: int
    written_s: tuple[float, ...]


def trained(
    domain: Domain,
    seed: int,
    course: Course,
    backends: TimedBackends,
    folder: Path | None = None,
    before: Trained | None = None,
    story: TrainingStory | None = None,
    teacher: Callable[[DomainPractice], Teacher] | None = None,
) -> Trained:
    """Practise a domain's training tasks one after another.

    Args:
        folder: is given the library, its versions and the story; nothing is kept without one.
        before: training in another domain, whose predicates and experience are there from the
            start.
        story: what is told while it goes on.
        teacher: who teaches a task; none given: a simulated person. Lessons end where one says
            no more (CANCELLED).
    """
    rng = random.Random(f"{domain.name}/{seed}")
    story = story or TrainingStory(folder)
    if folder:
        (folder / LINES).unlink(missing_ok=True)
    learner = _beginner(domain, course, backends, before, story, folder, rng)
    manner, mistakes = Manner(course.style, course.wrong), Counter[str]()
    mishaps = Mishaps(course.noise, random.Random(f"{domain.name}/{seed}/mishaps"))
    calls, written = backends.calls(), len(backends.writer.seconds)
    reports: list[TrainingReport] = []
    telling: TellingPerson | None = None
    for task in domain.tasks("training", seed, course.training):
        practice = TellingPractice(domain, task, story, mishaps)
        story.task(practice)
        person = teacher(practice) if teacher else person_for(practice, manner, rng)
        telling = TellingPerson(person, story)
        report = _lesson(practice, telling, learner, Limits(unmet=course.unmet))
        if report is None:
            break
        reports.append(report)
        mistakes.update(person.mistakes if isinstance(person, SimulatedPerson) else {})
        story.close(report)
    else:
        if telling is not None:
            reports.append(compare(learner, telling))
    if folder:
        (folder / "domain.pddl").write_text(domain_text(learner.library), encoding="utf-8")
    return Trained(
        learner.library, joined(reports), learner.experience, mistakes, mishaps.counts,
        backends.calls() - calls, tuple(backends.writer.seconds[written:]),
    )  # fmt: skip


def _beginner(
    domain: Domain,
    course: Course,
    backends: TimedBackends,
    before: Trained | None,
    story: TrainingStory,
    folder: Path | None,
    rng: random.Random,
) -> Learner:
    """Who knows nothing but what was learned in another domain, if any was."""
    versions = Versions(folder / "library") if folder else None
    return Learner(
        Library(domain.name, dict(before.library.predicates) if before else {}, {}),
        domain.skills,
        backends.reader,
        backends.writer,
        settings=LearnerSettings(noise=course.doubtful, strategy=course.strategy),
        watcher=story.event,
        publish=versions.save if versions else lambda *_: None,
        experience=Experience(before.experience.entries) if before else None,
        priors=backends.priors,
        rng=random.Random(rng.random()),
    )


def _lesson(
    practice: DomainPractice, person: TellingPerson, learner: Learner, limits: Limits
) -> TrainingReport | None:
    """One task; None where nobody says more."""
    try:
        return train(practice, person, learner, limits)
    except SaySoError as error:
        if error.code is not Code.CANCELLED:
            raise
        return None


def compare(learner: Learner, person: TellingPerson) -> TrainingReport:
    """Ask whether predicates that were always true together are one; they are, with consent."""
    answers = 0
    while asks := learner.synonyms():
        answers += 1
        if not learner.answered(asks[0], person.answer(asks[0].text)):
            break
    return TrainingReport(feedback={"ANSWER": answers} if answers else {})


class TrainingStory(Story):
    """The story of practice."""

    def task(self, practice: DomainPractice) -> None:
        """The next task begins."""
        self.chapter(practice.task.name)

    def close(self, report: TrainingReport) -> None:
        """It ends."""
        end = "reached" if report.reached else "not reached"
        self.tell("end", f"{end}, {report.steps} steps, {report.transitions} actions")


class TellingPractice(DomainPractice):
    """Practice whose actions are told."""

    def __init__(
        self, domain: Domain, task: Task, story: TrainingStory, mishaps: Mishaps | None = None
    ) -> None:
        super().__init__(domain, task, mishaps)
        self._story = story

    def act(self, skill: str, args: Sequence[str]) -> bool:
        worked = super().act(skill, args)
        end = "done" if worked else "failed"
        self._story.tell("robot", f"{spoken(skill, args).capitalize()}: {end}.")
        if self.mishap:
            self._story.tell("chance", self.mishap)
        return worked


@dataclass(frozen=True)
class TellingPerson:
    """A person whose words are told, beside what they are about."""

    person: Teacher
    story: Story

    def goal(self) -> str:
        return self._shown(self.person.goal())

    def about(self, action: Action) -> str:
        self.story.tell("robot", f"May I {spoken(action.name, action.args)}?")
        return self._shown(self.person.about(action))

    def after(self, action: Action | None) -> str:
        if action is None:
            self.story.tell("robot", "I am done.")
        return self._shown(self.person.after(action))

    def answer(self, question: str) -> str:
        self.story.tell("robot", question)
        return self._shown(self.person.answer(question))

    def _shown(self, words: str) -> str:
        if words:
            self.story.tell("person", words)
        return words
