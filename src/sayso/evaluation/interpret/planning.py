"""Testing a library: the goal is translated, a plan is made and followed, blindly or watching."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Literal, SymbolicState
from sayso.evaluation.interpret.episodes import Deed
from sayso.language.lexicon import Lexicon
from sayso.learning.teaching import FeedbackReader
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, TaskPlanner, observed_problem

T = TypeVar("T")

PLAN_S = 10.0
_REPLANS = 10
_TRIES = 2
"""How often a step may fail before it is planned around."""

Measured = dict[str, list[float]]
"""Stage -> seconds of each time it ran."""


@dataclass
class Planned:
    """Follows plans made with a library; a `Policy`.

    Args:
        arities: how many objects each skill takes; an operator's first parameters.
        clock: seconds since any moment.
        watching: whether what is observed decides about the next step, and a new plan is made
            where it is not what was expected. Else the first plan is followed blindly.

    Attributes:
        seconds: of each stage, filled in as it goes.
    """

    library: Library
    reader: FeedbackReader
    planner: TaskPlanner
    arities: Mapping[str, int]
    clock: Callable[[], float]
    watching: bool = False
    seconds: Measured = field(default_factory=dict)
    _goal: tuple[Literal, ...] = ()
    _plan: list[Action] = field(default_factory=list)
    _expected: tuple[Literal, ...] = ()
    _replans: int = 0

    def start(self, words: str, scene: Scene) -> None:
        """Reads the goal and plans.

        Raises:
            SaySoError: of the reader and the planner; NOT_UNDERSTOOD where the words need a
                predicate that was never learned.
        """
        self._goal = self._timed("translate goal", lambda: self._read(words, scene))
        self._plan, self._expected, self._replans = [], (), 0
        self._make_plan(self._state(scene), frozenset())

    def next(self, scene: Scene, done: Sequence[Deed]) -> tuple[str, tuple[str, ...]] | None:
        if self.watching:
            self._watch(self._state(scene), done)
        if not self._plan:
            return None
        action = self._plan.pop(0)
        self._expected = _effects(action)
        return self._call(action)

    def _watch(self, state: SymbolicState, done: Sequence[Deed]) -> None:
        """A new plan where the world is not as the old one takes it to be."""
        surprised = any(state.holds(x) is False for x in self._expected)
        finished = not self._plan and not all(state.holds(x) for x in self._goal)
        blocked = self._plan and any(state.holds(x) is False for x in self._plan[0].preconditions)
        if not (surprised or finished or blocked or (done and not done[-1].worked)):
            return
        self._replans += 1
        if self._replans > _REPLANS:
            raise SaySoError(Code.NO_PLAN, f"the goal is not reached after {_REPLANS} new plans.")
        self._make_plan(state, self._hopeless(done))

    def _hopeless(self, done: Sequence[Deed]) -> frozenset[tuple[str, tuple[str, ...]]]:
        """Ground skills that failed too often."""
        failed = [(d.skill, d.args) for d in done if not d.worked]
        return frozenset(f for f in failed if failed.count(f) >= _TRIES)

    def _make_plan(
        self, state: SymbolicState, hopeless: frozenset[tuple[str, tuple[str, ...]]]
    ) -> None:
        goal = Eventually(conjunction(*map(of_literal, self._goal)))
        avoid = frozenset(
            (o.name, args)
            for o in self.library.operators.values()
            for skill, args in hopeless
            if o.skill == skill and len(o.parameters) == len(args)
        )
        problem = observed_problem(self._usable(), state, Progression.of(goal), None, avoid)
        plan = self._timed("plan", lambda: self.planner.solve(problem, PlanLimits(PLAN_S)))
        self._plan, self._expected = list(plan.actions), ()

    def _usable(self) -> Library:
        """The library without the operators of skills that the robot does not have here."""
        operators = {n: o for n, o in self.library.operators.items() if o.skill in self.arities}
        return replace(self.library, operators=operators)

    def _read(self, words: str, scene: Scene) -> tuple[Literal, ...]:
        kinds = {o.name: o.category for o in scene.objects}
        goal = self.reader.read(words, kinds, known=Lexicon.of(self.library)).literals
        for literal in goal:
            if literal.atom.predicate not in self.library.predicates:
                raise SaySoError(
                    Code.NOT_UNDERSTOOD,
                    f"'{literal.atom.predicate}' was never learned.",
                    choices=self.library.predicates,
                )
        return goal

    def _state(self, scene: Scene) -> SymbolicState:
        return self._timed("parse state", lambda: symbolic_state(scene, self.library.predicates))

    def _call(self, action: Action) -> tuple[str, tuple[str, ...]]:
        return action.skill, action.args[: self.arities[action.skill]]

    def _timed(self, stage: str, run: Callable[[], T]) -> T:
        started = self.clock()
        try:
            return run()
        finally:
            self.seconds.setdefault(stage, []).append(self.clock() - started)


def _effects(action: Action) -> tuple[Literal, ...]:
    return (
        *(Literal(a) for a in action.add),
        *(Literal(a, False) for a in action.delete - action.add),
    )
