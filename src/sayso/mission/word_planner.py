"""Plans that a language model says: the next action again and again, or all of them at once.

After Huang et al., "Language Models as Zero-Shot Planners" (2022), and Raman et al., "CAPE" (2024):
what is said freely becomes the action of the scene that is most like it, and a step that cannot be
taken is said anew, with the cause. Here that happens before anything moves: the operators say what
each step would lead to, and a bridge sees to what the words forgot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.ports import Cancelled, Embedder, LanguageModel, Message, Reply
from sayso.core.symbols import Action, Check, Operator, Plan, PlanStep
from sayso.language.model import Prompt, ask, fenced
from sayso.language.repertoire import Repertoire, mean_log_probability, weighted
from sayso.logic.english import read_back
from sayso.planning.achieving import Situation
from sayso.planning.bridging import Bridge
from sayso.planning.grounding import candidate_actions
from sayso.planning.plan_library import KeptPlan, PlanLibrary
from sayso.planning.problem import (
    NEXT_ACTION,
    WHOLE_PLAN,
    PlanLimits,
    PlanningProblem,
    TaskPlanner,
)
from sayso.planning.repair import NO_PROPOSAL, BrokenPlan
from sayso.planning.validate import validate
from sayso.planning.words import Cause, failure_text, imperative

PROMPTS: Mapping[str, tuple[str, int]] = {"steps": ("next_step", 5), "whole": ("whole_plan", 5)}
"""What a model is asked with, for the next step and for a whole plan: name and version."""
CANDIDATES = 3
"""Ways of saying a step that a model is asked for."""
LEAST_LIKENESS = 0.45
"""Words that are less like every action say none."""
MOST_SAID, MOST_REFUSED = 50, 5
"""Steps of a plan, and steps in a row that cannot be taken, after which no more are asked for."""
MOST_ACTIONS = 50_000
"""Actions of a scene that words are compared with."""
_DONE = ("done", "finished", "")
_NO_MATTER = re.compile(r"\b(the|an?)\b", re.IGNORECASE)


def ask_for_steps(
    model: LanguageModel, system: Mapping[str, str], situation: Mapping[str, str], *, whole: bool
) -> tuple[tuple[str, ...], Reply]:
    """What a model says is to be done next, or up to the end; nothing where all is done.

    Args:
        system: what the prompt asks for: `actions`, `count`, `example`, `corrections`.
        situation: what is told as data, by its label; what is empty is not told.

    Raises:
        SaySoError: MODEL_REPLY, MODEL_UNAVAILABLE, MODEL_TIMEOUT.
    """
    prompt = Prompt.load(*PROMPTS["whole" if whole else "steps"])
    data = "\n".join(fenced(label, text) for label, text in situation.items() if text)
    return ask(model, [prompt.system(**system), Message("user", data)], prompt.schema, _steps)


def _steps(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What a reply says, up to its end."""
    texts = (" ".join(str(text).split()) for text in data["steps"])
    return tuple(takewhile(lambda text: text.lower().rstrip(".") not in _DONE, texts))


class NextAction:
    """A task planner that asks a model for one step after the other.

    Args:
        inner: plans what the words leave to be done, and all where nothing comes of them.
        model: is asked.
        embedder: says which words are alike.
        plans: folder of kept plans, of which the most alike is shown as an example; "" for none.
    """

    whole = False
    name = NEXT_ACTION

    def __init__(
        self,
        inner: TaskPlanner,
        model: LanguageModel,
        embedder: Embedder,
        plans: Path | str = "",
    ) -> None:
        self._inner, self._model, self._embedder = inner, model, embedder
        self._repertoire = Repertoire(embedder)
        self._plans = PlanLibrary(plans) if plans else None

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`; MODEL_REPLY, MODEL_UNAVAILABLE, MODEL_TIMEOUT."""

        def solve(what: PlanningProblem) -> Plan:
            return self._inner.solve(what, limits)

        if not problem.words:
            return solve(problem)
        steps = self._said(problem, limits.cancelled)
        try:
            return _whole_task(steps, problem, Bridge(solve), self.name)
        except SaySoError as error:
            if error.code not in NO_PROPOSAL:
                raise
        return solve(problem)

    def _said(self, problem: PlanningProblem, cancelled: Cancelled) -> tuple[Action, ...]:
        """The steps as actions; of those said one by one, each can be taken after those before."""
        scene = _Scene(problem, self._repertoire)
        kept = self._plans.alike(problem.words, self._embedder)[:1] if self._plans else ()
        found: list[Action] = []
        refused: list[str] = []
        at = Situation.of(problem)
        while len(found) < MOST_SAID and len(refused) < MOST_REFUSED and not cancelled():
            situation = scene.prompt_fields(kept, found, refused)
            texts, reply = ask_for_steps(self._model, scene.system, situation, whole=self.whole)
            if self.whole:
                return tuple(a for t in texts if (a := scene.meant([t], reply)) is not None)
            if not texts:
                break
            action = scene.meant(texts[:CANDIDATES], reply)
            if action is None:
                refused.append(f"I cannot {texts[0]} because there is no such action.")
            elif lacking := at.lacks(action.preconditions):
                checks = tuple(Check(x, None if x.atom in at.unknown else False) for x in lacking)
                failure = Failure(action, Code.PRECONDITION, checks)
                refused.append(failure_text(failure, problem.predicates, Cause.EXPLICIT))
            else:
                found.append(action)
                at, refused = at.after(action, problem.task), []
        return tuple(found)


class WholePlan(NextAction):
    """A task planner that asks a model for all steps at once."""

    whole = True
    name = WHOLE_PLAN


class _Scene:
    """The actions and things of a problem in words."""

    def __init__(self, problem: PlanningProblem, repertoire: Repertoire) -> None:
        self._problem = problem
        every = (
            (c.operator, c.args)
            for c in candidate_actions(problem)
            if (c.operator.name, c.args) not in problem.avoid
        )
        self._actions: Sequence[tuple[Operator, tuple[str, ...]]] = list(
            islice(every, MOST_ACTIONS)
        )
        if not self._actions:
            raise SaySoError(Code.NO_PLAN, "there is nothing that could be done.")
        self._names = [self._english(op.ground(*args)) for op, args in self._actions]
        self._phrases = repertoire.among([_plain(name) for name in self._names])

    @property
    def system(self) -> Mapping[str, str]:
        operators = self._problem.domain.operators
        actions = (
            f"- {(o.english or o.name).format(*('THING' for _ in o.parameters))}" for o in operators
        )
        count = str(CANDIDATES)
        text = "\n".join(actions)
        return {"actions": text, "count": count, "example": self._names[0], "corrections": ""}

    def prompt_fields(
        self, kept: Sequence[KeptPlan], steps: Sequence[Action], refused: Sequence[str]
    ) -> Mapping[str, str]:
        problem = self._problem
        return {
            "another task": "\n".join(map(self._example, kept)),
            "things": ", ".join(o.replace("_", " ") for o in problem.objects),
            "task": problem.words,
            "goal": read_back(problem.task.formula, problem.predicates),
            "steps so far": "\n".join(map(self._english, steps)) or "none",
            "could not be done": "\n".join(refused),
        }

    def meant(self, texts: Sequence[str], reply: Reply) -> Action | None:
        """The action most like what was said (by S_w); None where it is like none."""
        likeness = self._phrases.likeness([_plain(text) for text in texts])
        if likeness.max() < LEAST_LIKENESS:
            return None
        known = np.asarray([mean_log_probability(reply, text) or 0.0 for text in texts])
        operator, args = self._actions[int(weighted(likeness, known).argmax())]
        return operator.ground(*args, objects=self._problem.objects)

    def _example(self, kept: KeptPlan) -> str:
        operators = {o.name: o for o in self._problem.domain.operators}
        steps = (
            self._english(operators[s.predicate].ground(*s.args))
            for s in kept.steps
            if s.predicate in operators and len(operators[s.predicate].parameters) == len(s.args)
        )
        return "\n".join((kept.words, *steps))

    def _english(self, action: Action) -> str:
        return imperative(action, self._problem.domain)


def _plain(text: str) -> str:
    return " ".join(_NO_MATTER.sub(" ", text.lower()).split())


def _whole_task(
    actions: Sequence[Action], problem: PlanningProblem, bridge: Bridge, name: str
) -> Plan:
    """The steps that were said, with what they lack and what they leave to be done.

    Raises:
        SaySoError: NO_PLAN or another of `repair.NO_PROPOSAL` where nothing comes of them.
    """
    if not actions:
        raise SaySoError(Code.NO_PLAN, "nothing was said.")
    first = Failure(actions[0], Code.PRECONDITION)
    said = BrokenPlan(first, tuple(PlanStep(a, "it was said") for a in actions), problem)
    steps = bridge.propose(said).steps
    plan = Plan(steps, name, sum(s.action.cost for s in steps), from_words=True)
    validate(plan, problem)
    return plan
