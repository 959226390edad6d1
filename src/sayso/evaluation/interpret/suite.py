"""`sayso eval interpret`: the whole pipeline of training and testing, for each domain and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.adapters.llm.access import ModelAccess
from sayso.adapters.llm.metered import Metered
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.evaluation.backends import connect
from sayso.evaluation.cases import Case, Outcome, Row
from sayso.evaluation.interpret.baselines import Monologue, WrittenPolicy
from sayso.evaluation.interpret.curves import curves_svg, curves_text
from sayso.evaluation.interpret.episodes import Episode, Policy, run_episode
from sayso.evaluation.interpret.given import Writers, given_and_learned
from sayso.evaluation.interpret.options import BASELINES, DOMAINS, TRAINED_BASELINES, Course
from sayso.evaluation.interpret.planning import Measured, Planned
from sayso.evaluation.interpret.practice import DomainPractice
from sayso.evaluation.interpret.record import Record, Tested, changes, result_of, rounded
from sayso.evaluation.interpret.tables import runs_of, tables
from sayso.evaluation.interpret.timed_backends import TimedBackends, timed_backends
from sayso.evaluation.interpret.training import Trained, trained
from sayso.learning.priors import NONE, Priors, priors_named
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.teaching import FeedbackReader
from sayso.planning.search import SearchPlanner
from sayso.worlds.domains.choosing import domain_named
from sayso.worlds.domains.domain import TEST_SETS

TARGET = 0.95
"""A run succeeds that does this share of each test set."""


class Interpret:
    """Ten training tasks with a simulated person, then the four test sets, per domain and seed.

    Args:
        domains: some of `options.DOMAINS`.
        seeds: how many runs of each.
        first: the first seed.
        course: see `options.Course`.
        baseline: a planner to test instead, see `options.BASELINES`; '' for what was learned.
        access: of the language model.
        folder: of the run, where each training leaves its library and story; '' for none.
    """

    def __init__(
        self,
        domains: Sequence[str] = DOMAINS,
        seeds: int = 3,
        first: int = 0,
        course: Mapping[str, Any] | None = None,
        baseline: str = "",
        access: Mapping[str, Any] | None = None,
        folder: str = "",
    ) -> None:
        self._domains, self._seeds, self._first = domains, seeds, first
        self._course = Course(**(course or {}))
        self._baseline = baseline
        self._folder = Path(folder) if folder else None
        _check(domains, seeds, baseline, self._course)
        # Made here, so that what is missing is told before any case is run.
        self.model: Metered | None = None
        given = ModelAccess(**(access or {}))
        if given.llm != "none":
            self.model = connect(given)
        elif baseline:
            raise SaySoError(
                Code.CONFIG, f"--baseline {baseline} needs a language model.",
                hint="add --llm openai.",
            )  # fmt: skip

    def cases(self) -> Sequence[Case]:
        """A case for each domain and seed."""
        return [
            Case(f"{domain} {seed}", domain, {"domain": domain, "seed": seed})
            for domain in self._domains
            for seed in range(self._first, self._first + self._seeds)
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Training and testing; success is `TARGET` on every test set."""
        course = self._course
        with timed_backends(
            self.model, course.priors, course.corrections, course.doubtful
        ) as backends:
            return self._run(case, backends)

    def _run(self, case: Case, backends: TimedBackends) -> Outcome:
        domain, number = case.data["domain"], case.data["seed"]
        folder = self._folder / f"{domain_named(domain).name}_{number}" if self._folder else None
        learned = None
        if not self._baseline or self._baseline in TRAINED_BASELINES:
            learned = self._trained(domain, number, backends, folder)
        seconds: Measured = {}

        def policy(watching: bool) -> Policy:
            return self._policy(domain, learned, backends.goals, seconds, watching)

        sets = {name: self._tested(domain, name, number, policy) for name in TEST_SETS}
        agreements = _agreements(domain, learned, backends) if learned else {}
        record = replace(_record(sets, learned, seconds), agreements=agreements)
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "record.json").write_text(record.to_json() + "\n", encoding="utf-8")
        measures = {name.replace("_", " "): t.blind for name, t in sets.items()}
        worst = min(t.blind for t in sets.values())
        return Outcome(worst >= TARGET, measures={**measures, "record": record.to_json()})

    def summary(self, rows: Sequence[Row]) -> str:
        """The paper's tables and the curves; writes the latter's picture besides."""
        runs = runs_of(rows)
        if not runs:
            return ""
        method = self._baseline or "this run"
        text = tables(runs, method, self._course.style == "varied", self._course.transfer)
        if not any(r.curve for records in runs.values() for r in records.values()):
            return text
        if self._folder:
            (self._folder / "curves.svg").write_text(curves_svg(runs), encoding="utf-8")
        return f"{text}\n\n## Symbols learned over steps (paper: Fig. 4)\n\n{curves_text(runs)}"

    def _trained(
        self, domain: str, seed: int, backends: TimedBackends, folder: Path | None
    ) -> Trained:
        """What training led to; after that in the domain to start from, if there is one."""
        before: Trained | None = None
        source = self._course.transfer
        if source:
            first = replace(self._course, transfer="")
            place = folder / f"from_{domain_named(source).name}" if folder else None
            before = trained(domain_named(source), seed, first, backends, place)
        return trained(domain_named(domain), seed, self._course, backends, folder, before)

    def _tested(
        self, domain: str, name: str, seed: int, policy: Callable[[bool], Policy]
    ) -> Tested:
        def episodes(watching: bool) -> dict[str, Episode]:
            place = domain_named(domain)
            return {
                task.name: run_episode(DomainPractice(place, task), policy(watching), watching)
                for task in place.tasks(name, seed, self._course.testing)
            }

        return result_of(episodes(False), None if self._baseline else episodes(True))

    def _policy(
        self,
        domain: str,
        learned: Trained | None,
        reader: FeedbackReader,
        seconds: Measured,
        watching: bool,
    ) -> Policy:
        skills = domain_named(domain).skills
        if self._baseline:
            return _baseline(self._baseline, self._connected(), skills, learned)
        if learned is None:
            raise SaySoError(Code.INVALID, "nothing was learned.")
        return Planned(
            learned.library, reader, SearchPlanner(), skills, perf_counter, watching, seconds
        )

    def _connected(self) -> LanguageModel:
        if self.model is None:
            raise SaySoError(Code.CONFIG, "there is no language model.")
        return self.model


def _baseline(
    name: str, model: LanguageModel, skills: Mapping[str, int], learned: Trained | None
) -> Policy:
    if name == "code":
        return WrittenPolicy(model, skills)
    library = learned.library if learned else None
    return Monologue(model, skills, library, name == "im-preconditions")


def _agreements(
    domain: str, learned: Trained, backends: TimedBackends
) -> Mapping[str, Mapping[str, float]]:
    """What was given of each true predicate, and what was learned, in the scenes of training."""
    embedder = registry.create("embedder", EMBEDDER)
    writers = Writers(
        backends.priors,
        Synthesizer(embedder, priors=backends.priors),
        Synthesizer(embedder, priors=Priors(NONE)),
    )
    true, found = domain_named(domain).library.predicates, learned.library.predicates
    return given_and_learned(true, found, learned.experience.scenes, writers)


def _record(sets: Mapping[str, Tested], learned: Trained | None, seconds: Measured) -> Record:
    if learned is None:
        return Record(sets)
    report = learned.report
    stages = {s: [*report.times.get(s, ()), *seconds.get(s, ())]
              for s in (*report.times, *seconds)}  # fmt: skip
    stages["write"] = list(learned.written_s)
    return Record(
        sets,
        feedback=report.feedback,
        steps=report.steps,
        transitions=report.transitions,
        reached=report.reached,
        calls=learned.calls,
        seconds=rounded(stages),
        curve=changes([(p.step, p.predicates, p.operators) for p in report.curve]),
        predicates=sorted(learned.library.predicates),
        operators=sorted(learned.library.operators),
        mistakes=dict(learned.mistakes),
        mishaps=dict(learned.mishaps),
    )


def _check(domains: Sequence[str], seeds: int, baseline: str, course: Course) -> None:
    for domain in (*domains, *([course.transfer] if course.transfer else [])):
        domain_named(domain)
    if baseline and baseline not in BASELINES:
        raise SaySoError(Code.CONFIG, f"there is no baseline '{baseline}'.", choices=BASELINES)
    if course.transfer in domains:
        raise SaySoError(
            Code.CONFIG, f"'{course.transfer}' cannot start from itself.",
            hint="name other domains with --domains.",
        )  # fmt: skip
    priors_named(course.priors)
    if seeds < 1 or min(course.training, course.testing) < 1:
        raise SaySoError(Code.CONFIG, "at least one seed and one task of each kind are needed.")
    if not 0 <= course.noise < 0.5:
        raise SaySoError(
            Code.CONFIG, f"--noise is a share from 0 to below 0.5, not {course.noise}."
        )
    if not 0 <= course.wrong <= 1:
        raise SaySoError(Code.CONFIG, f"--wrong is a share from 0 to 1, not {course.wrong}.")
