"""`sayso eval cape`: plans for VirtualHome's tasks, carried out in its simulator."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from sayso.adapters import registry
from sayso.adapters.llm.access import ModelAccess
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder
from sayso.evaluation.backends import connect
from sayso.evaluation.cape.asking import Given
from sayso.evaluation.cape.carrying import carry_out
from sayso.evaluation.cape.errands import errand_cases, run_errand
from sayso.evaluation.cape.flat_errands import flat_errand_cases, run_flat_errand
from sayso.evaluation.cape.options import GOALS, PARTS, PLANS, TITLES
from sayso.evaluation.cape.outcomes import carried_out, judged
from sayso.evaluation.cape.perturbing import KINDS, perturbed
from sayso.evaluation.cape.scoring import read_votes
from sayso.evaluation.cape.speaking import Speaker, require_model
from sayso.evaluation.cape.steps import compare
from sayso.evaluation.cape.strategies import STRATEGIES, strategy
from sayso.evaluation.cape.tables import strategies_table
from sayso.evaluation.cape.trial import MOST_EXPANSIONS, Trial
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.report import table
from sayso.language.repertoire import Repertoire
from sayso.planning.problem import observed_problem
from sayso.robots.loading import MOBILE, load_robot
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.planning import RelevantPlanner, about
from sayso.worlds.virtualhome.programs import Programs
from sayso.worlds.virtualhome.tasks import ACTOR, Task, task, tasks
from sayso.worlds.virtualhome.world import action_of


class Cape:
    """A part of the study over the tasks that have goals.

    Args:
        part: one of `options.PARTS`.
        every: of the tasks, only each so many-th.
        goal: one of `options.GOALS`, for the parts `perturbed` and `words`.
        copies: of each kind of error in each program.
        steps: random steps from the beginning of each task.
        titles: one of `options.TITLES`, for the part `words`.
        embedder: says which tasks, and which actions, are alike.
        strategies: names of `strategies.STRATEGIES`, for the part `words`.
        plan: one of `options.PLANS`, for the part `words`.
        votes: a CSV file of what people say of plans; "" for none.
        limit: at most so many cases; 0 for all.
        robot: the profile of the one that does errands in the flat.
        access: of the model.
    """

    def __init__(
        self,
        part: str = "gold",
        every: int = 1,
        goal: str = GOALS[0],
        copies: int = 2,
        steps: int = 60,
        titles: str = TITLES[0],
        embedder: str = "character_ngrams",
        strategies: Sequence[str] = ("rules",),
        plan: str = PLANS[0],
        votes: str = "",
        limit: int = 0,
        robot: str = MOBILE,
        access: Mapping[str, Any] | None = None,
    ) -> None:
        for given, known in ((part, PARTS), (goal, GOALS), (titles, TITLES), (plan, PLANS)):
            if given not in known:
                raise SaySoError(Code.CONFIG, f"there is no '{given}' here.", choices=known)
        if part == "errands_flat":
            load_robot(robot).require_base()
        elif robot != MOBILE:
            text = f"no robot takes part in '{part}': a robot can be named for errands_flat alone."
            raise SaySoError(
                Code.CONFIG, text, hint="leave out --robot, or add --part errands_flat."
            )
        self._part, self._every, self._goal_known = part, max(1, every), goal == "known"
        self._copies, self._steps, self._limit = copies, steps, limit
        self._strategies, self._robot = tuple(strategies), robot
        self._votes = read_votes(Path(votes)) if votes else {}
        self.model = connect(ModelAccess(**(access or {})))
        alike: Embedder = registry.create("embedder", embedder)
        self._embedder = alike
        if part == "words":
            self._speaker = Speaker(
                Programs(alike, tasks()), Repertoire(alike), self.model,
                same_title=titles == "shared", whole=plan == "whole", goal_told=self._goal_known,
            )  # fmt: skip
            require_model(map(strategy, strategies), bool(self.model))

    def cases(self) -> Sequence[Case]:
        """One for each task, under its title; of errors, under the kind of error; of several
        strategies, under the strategy."""
        if self._part == "errands":
            cases = list(errand_cases(self._copies))[:: self._every]
        elif self._part == "errands_flat":
            cases = list(flat_errand_cases(self._copies))[:: self._every]
        else:
            cases = list(self._cases(list(tasks().values())[:: self._every]))
        return cases[: self._limit] if self._limit else cases

    def _cases(self, chosen: Sequence[Task]) -> Iterable[Case]:
        for t in chosen:
            told = {"task": t.key, "title": t.title}
            if self._part == "perturbed":
                for kind in KINDS:
                    for n in range(self._copies):
                        yield Case(f"{t.key}/{kind}/{n}", kind, {**told, "kind": kind})
            elif self._part == "words":
                for name in self._strategies:
                    group = t.title if len(self._strategies) == 1 else STRATEGIES[name].title
                    yield Case(f"{t.key}/{name}", group, {**told, "strategy": name})
            else:
                yield Case(t.key, t.title, told)

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is that every step could be taken and the goal is reached; of random steps, that
        operators and simulator allowed the same."""
        started_s = perf_counter()
        rng = random.Random(seed)
        if self._part == "errands":
            return run_errand(case, self._embedder, rng)
        if self._part == "errands_flat":
            return run_flat_errand(case, self._embedder, seed, self._robot)
        given = task(case.data["task"])
        parts: Mapping[str, Callable[[], Outcome]] = {
            "gold": lambda: gold(given),
            "scratch": lambda: scratch(given),
            "perturbed": lambda: mended(given, case.data["kind"], self._goal_known, rng),
            "words": lambda: self._speaker.run(given, case.data["strategy"], rng),
            "steps": lambda: random_steps(given, self._steps, rng),
        }
        outcome = parts[self._part]()
        measures = {**outcome.measures, "task s": perf_counter() - started_s}
        return Outcome(outcome.success, outcome.code, measures, outcome.detail)

    def summary(self, rows: Sequence[Row]) -> str:
        """What the common tables do not say."""
        if self._part == "steps":
            return _differences(rows)
        if self._part == "words":
            return strategies_table(rows, self._votes)
        if self._part == "errands":
            return "Robot and world are a model without physics; correct is judged by both."
        if self._part == "errands_flat":
            return (
                "Driving, grasping, doors and lids are physical, seen by cameras; all else is a "
                "change of state. Correct is judged by what truly stands where, too."
            )
        return (
            "Correct is judged by the automaton of the goal and, apart from it, on the simulator's "
            "graph; a case where the two differ has the code POSTCONDITION."
        )


def gold(given: Task) -> Outcome:
    """The data set's program as it is."""
    trial = Trial(given)
    measures: dict[str, Measure] = {"executable": True, "steps": len(given.program)}
    code, detail = Code.OK, ""
    for step in given.program:
        try:
            trial.take(action_of(step, trial.world.observe()))
        except SaySoError as error:
            measures["executable"], code, detail = False, error.code, str(error)
            break
    measures["correct"] = trial.correct
    return judged(measures, code, detail)


def scratch(given: Task) -> Outcome:
    """A plan for the goal, made without the program, and carried out as it is."""
    trial = Trial(given)
    problem = observed_problem(library(), trial.world.observe(), trial.goal, trial.states)
    started_s = process_time()
    plan = RelevantPlanner(MOST_EXPANSIONS).solve(about(problem, ()))
    measures: dict[str, Measure] = {
        "executable": True, "steps": len(plan.steps), "plan CPU s": process_time() - started_s,
        "gold steps": len(given.program),
    }  # fmt: skip
    code, detail = Code.OK, "; ".join(map(str, plan.actions))
    try:
        for action in plan.actions:
            trial.take(action)
    except SaySoError as error:
        measures["executable"], code, detail = False, error.code, str(error)
    measures["correct"] = trial.correct
    return judged(measures, code, detail)


def mended(given: Task, kind: str, goal_known: bool, rng: random.Random) -> Outcome:
    """The program with an error of a kind, repaired without a model where it fails."""
    trial = Trial(given)
    things = sorted(set(trial.world.nodes.names.values()) - {ACTOR})
    words = Given(perturbed(kind, given.program, things, rng))
    course = carry_out(trial, words, STRATEGIES["replanning"], goal_known=goal_known)
    return carried_out(trial, course)


def random_steps(given: Task, steps: int, rng: random.Random) -> Outcome:
    """Random steps from the beginning of a task, in the simulator and in the operators."""
    found = compare(given, steps, rng)
    differ = found.only_simulator.total() + found.only_model.total()
    measures: dict[str, Measure] = {
        "tried": found.steps, "executed": found.executed, "same state after": found.exact,
        "only the simulator": found.only_simulator.total(),
        "only the operators": found.only_model.total(),
    }  # fmt: skip
    effects = {" ".join(key): count for key, count in sorted(found.effects.items())}
    refused = {
        "only the simulator": +found.only_simulator,
        "only the operators": +found.only_model,
    }
    return Outcome(not differ, measures=measures, detail=json.dumps({**refused, "after": effects}))


def _differences(rows: Iterable[Row]) -> str:
    """Steps that one of the two allows, and atoms in which the states after a step differ."""
    refused: Counter[tuple[str, str]] = Counter()
    effects: Counter[str] = Counter()
    for row in rows:
        told = json.loads(row.detail) if row.detail.startswith("{") else {}
        effects.update(told.pop("after", {}))
        for who, verbs in told.items():
            refused.update({(who, verb): count for verb, count in verbs.items()})
    parts = [
        "## Differences", "Steps that only one of the two allows:",
        table(("who", "verb", "steps"), [(*k, str(n)) for k, n in refused.most_common()]),
        "Atoms after a step that both allow, missing in the operators' state or claimed by it:",
        table(("verb, predicate, which", "atoms"), [(k, str(n)) for k, n in effects.most_common()]),
    ]  # fmt: skip
    return "\n\n".join(parts)
