"""The stages of an errand: somebody's words are the first plan, and the main flow mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from sayso.core.errors import Code
from sayso.core.library import Library, builtin_path, load
from sayso.core.ports import Embedder
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Atom, Check, Literal, Plan, PlanStep
from sayso.language.repertoire import Repertoire
from sayso.logic.english import read_back
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.text import parse
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.mission.understanding import structure_of
from sayso.planning.grounding import candidate_actions
from sayso.planning.problem import WHOLE_PLAN
from sayso.planning.words import imperative
from sayso.reporting.events import Understanding
from sayso.skills import contract
from sayso.worlds.errands.world import ErrandWorld


@lru_cache(maxsize=1)
def library() -> Library:
    """The fourteen skills of the robot, as operators."""
    return load(builtin_path("errands"))


class ErrandStages(InProcessStages):
    """The stages of one errand.

    Args:
        words: a plan, step by step; without one, plans are searched for.
        embedder: says which action is meant by a step.
    """

    def __init__(
        self,
        world: ErrandWorld,
        words: Sequence[str],
        embedder: Embedder,
        confirm: Confirm = say_yes,
    ) -> None:
        super().__init__(library(), confirm)
        self.world = world
        self._words = tuple(words)
        self._repertoire = Repertoire(embedder)

    @property
    def scene(self) -> Scene:
        return self.world.scene()

    def look(self) -> None:
        self.take(self.scene)

    def interpret(self, instruction: str) -> Understanding:
        """The errand, by its name; anything else is controlled English."""
        errand = self.world.errand
        if instruction.strip(" .!").lower() != errand.words.lower():
            self._words = ()
            return super().interpret(instruction)
        formula = parse(errand.goal, grounded=True)
        spec = Specification(instruction, formula, f"the goal of the errand '{errand.name}'")
        english = read_back(formula, self.library.predicates)
        structure = structure_of(formula, self.library)
        return Understanding(GroundedSpecification(spec, formula), english, structure)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        """Another task than the errand, of which the words are no plan."""
        corrected = super().correct(understanding, words)
        self._words = ()
        return corrected

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """The words first, which are checked step by step; then what is searched for."""
        if not self._words:
            return super().plan(understanding, request)
        words, self._words = self._words, ()
        steps = tuple(_Meanings(self, request).of(words))
        cost = sum(s.action.cost for s in steps)
        return Plan(steps, WHOLE_PLAN, cost, from_words=True, step_by_step=True)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Raises PRECONDITION, as the library's operators and then the world say."""
        predicates = self.library.predicates
        before = contract.check(self.scene, sorted(action.preconditions), predicates)
        started(before)
        contract.require(before, Code.PRECONDITION, f"{action} cannot start")
        self.world.act(action.skill, action.args)
        after = contract.check(self.scene, map(Literal, sorted(action.add)), predicates)
        contract.require(after, Code.POSTCONDITION, f"{action} did not have its effect")
        return after


class _Meanings:
    """Which actions words mean, from a state on."""

    def __init__(self, stages: ErrandStages, request: PlanRequest) -> None:
        problem = stages.problem(request)
        found = [
            c.operator.ground(*c.args, objects=problem.objects) for c in candidate_actions(problem)
        ]
        self._by_phrase: dict[str, list[Action]] = {}
        for action in found:
            self._by_phrase.setdefault(imperative(action, problem.domain), []).append(action)
        self._phrases = stages._repertoire.among(list(self._by_phrase))
        self._true = request.state.true_atoms()

    def of(self, words: Sequence[str]) -> Iterator[PlanStep]:
        """Of the actions that a step may mean, the one that lacks least in its turn."""
        true, names = self._true, list(self._by_phrase)
        for text, likeness in zip(
            words, self._phrases.likeness([w.lower() for w in words]), strict=True
        ):
            phrase = names[int(np.argmax(likeness))]
            action = min(self._by_phrase[phrase], key=lambda a: _lacking(a, true))
            true = action.apply(true)
            yield PlanStep(action, f"'{text}' was said")


def _lacking(action: Action, true: frozenset[Atom]) -> int:
    return sum((x.atom in true) != x.positive for x in action.preconditions)
