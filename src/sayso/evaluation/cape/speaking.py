"""Plans in words for VirtualHome's tasks, from a model or from other tasks' programs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.core.symbols import SymbolicState
from sayso.evaluation.cape.asking import Asked, Given, Words
from sayso.evaluation.cape.carrying import carry_out
from sayso.evaluation.cape.outcomes import carried_out
from sayso.evaluation.cape.scoring import common_subsequence, graph_similarity
from sayso.evaluation.cape.strategies import Strategy, strategy
from sayso.evaluation.cape.tables import BEST
from sayso.evaluation.cape.trial import Trial
from sayso.evaluation.cape.wordings import Admissible, plan_in_english
from sayso.evaluation.cases import Measure, Outcome
from sayso.language.repertoire import Repertoire
from sayso.logic.english import read_back
from sayso.worlds.virtualhome.goals import read_goal
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.programs import Programs, adapted
from sayso.worlds.virtualhome.tasks import ACTOR, Task, tasks
from sayso.worlds.virtualhome.world import VirtualHome


class Speaker:
    """Says plans in words and has them carried out: a model's, or without one retrieved programs.

    Args:
        programs: of which one is an example for a task, or retrieved for it.
        repertoire: says which actions are alike.
        same_title: whether the example, or the retrieved program, may be of the task's own title.
        whole: whether a model is asked for all steps at once.
        goal_told: whether the goal is told, and known to repairs.
    """

    def __init__(
        self, programs: Programs, repertoire: Repertoire, model: LanguageModel, *,
        same_title: bool, whole: bool, goal_told: bool,
    ) -> None:  # fmt: skip
        self._programs, self._repertoire = programs, repertoire
        self._model, self._same_title = model, same_title
        self._whole, self._goal_told = whole, goal_told

    def run(self, given: Task, name: str, rng: random.Random) -> Outcome:
        """A plan for a task in words, carried out by a strategy."""
        trial, chosen = Trial(given), strategy(name)
        example = self._example(trial)
        words = self._words(trial, example, chosen)
        course = carry_out(
            trial, words, chosen, goal_known=self._goal_told, model=self._model, rng=rng
        )
        outcome = carried_out(trial, course)
        measures = {
            "strategy": name, "title": given.title, **outcome.measures, **_nearness(trial),
            "log probabilities": isinstance(words, Asked) and words.has_log_probabilities,
        }  # fmt: skip
        if self._same_title and not self._model:
            reached = bool(course.executable and course.correct)
            measures.update(self._best_other(given, chosen, reached))
        detail = f"as {example.key}, {example.title}: {outcome.detail}"
        return replace(outcome, measures=measures, detail=detail)

    def _example(self, trial: Trial) -> Task:
        """Of whose program a model is told; without one, whose program is adapted."""
        if self._model:
            return self._programs.nearest(trial.world.task, same_title=self._same_title)
        return self._programs.fitting(trial.world, same_title=self._same_title)

    def _best_other(self, given: Task, chosen: Strategy, reached: bool) -> dict[str, Measure]:
        """Whether any other plan of the title reaches the goal, carried out by the same strategy;
        nothing where there is no other. The retrieved one is such a plan."""
        others = self._programs.of_title(given)
        reached = reached or any(self._reaches(given, t, chosen) for t in others)
        return {BEST: reached} if others else {}

    def _reaches(self, given: Task, example: Task, chosen: Strategy) -> bool:
        trial = Trial(given)
        words = self._words(trial, example, chosen)
        course = carry_out(trial, words, chosen, goal_known=self._goal_told)
        return bool(course.executable and course.correct)

    def _words(self, trial: Trial, example: Task, chosen: Strategy) -> Words:
        given, things = trial.world.task, trial.world.observe().objects
        if not self._model:
            return Given(adapted(example.program, sorted(set(things) - {ACTOR})))
        graspable = [a.args[0] for a in trial.world.nodes.fixed if a.predicate == "graspable"]
        admissible = Admissible(self._repertoire, things, graspable)
        goal = read_back(read_goal(given.goal), library().predicates) if self._goal_told else ""
        return Asked(
            self._model, given, example, admissible, things, chosen, goal=goal, whole=self._whole,
            look=trial.world.observe,
        )  # fmt: skip


def require_model(chosen: Iterable[Strategy], there_is_one: bool) -> None:
    """Raises CONFIG for strategies that mean nothing without a model, where there is none."""
    lacking = [s.title for s in chosen if s.needs_model and not there_is_one]
    if lacking:
        raise SaySoError(
            Code.CONFIG, f"'{lacking[0]}' is about a language model, and none is named.",
            hint="add --llm openai --model NAME, or take --strategy rules or replanning.",
        )  # fmt: skip


def _nearness(trial: Trial) -> dict[str, Measure]:
    """To the data set's own programs: to the state that the task's leads to, to the title's."""
    given, done = trial.world.task, trial.world.done
    others = (t.program for t in tasks().values() if t.title == given.title)
    return {
        "graph similarity": graph_similarity(trial.world.observe(), _end_of(given)),
        "LCS": max(common_subsequence(done, program) for program in others),
        "plan": plan_in_english(done),
    }


def _end_of(given: Task) -> SymbolicState:
    """What the task's program leads to, as far as it can be done."""
    world = VirtualHome(given)
    for step in given.program:
        try:
            world.act(step)
        except SaySoError:
            break
    return world.observe()
