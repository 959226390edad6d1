"""Testing a library: the goal is translated, a plan is made and followed, blindly or watching."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.library import Library
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal, SymbolicState
from sayso.evaluation.interpret.episodes import Deed
from sayso.language.lexicon import Lexicon
from sayso.learning.spoken import spoken
from sayso.learning.supposed import presumed
from sayso.learning.synonyms import by_present_names
from sayso.learning.teaching import FeedbackReader
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, TaskPlanner, observed_problem
from sayso.planning.words import Cause, fact, failure_text, joined

T = TypeVar("T")
Told = Callable[[str, Sequence[Action]], None]
"""Is given why a new plan was made, in words, and what it does."""

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
        told: is told of each new plan.

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
    told: Told = lambda _why, _plan: None
    _goal: tuple[Literal, ...] = ()
    _plan: list[Action] = field(default_factory=list)
    _last: Action | None = None
    _replans: int = 0

    def start(self, words: str, scene: Scene) -> None:
        """Reads the goal and plans.

        Raises:
            SaySoError: of the reader and the planner; NOT_UNDERSTOOD where the words need a
                predicate that was never learned.
        """
        self._goal = self._timed("translate goal", lambda: self._read(words, scene))
        self._plan, self._last, self._replans = [], None, 0
        self._make_plan(self._state(scene), frozenset())

    def next(self, scene: Scene, done: Sequence[Deed]) -> tuple[str, tuple[str, ...]] | None:
        if self.watching:
            self._watch(self._state(scene), done)
        if not self._plan:
            return None
        self._last = action = self._plan.pop(0)
        return self._call(action)

    def _watch(self, state: SymbolicState, done: Sequence[Deed]) -> None:
        """A new plan where the world is not as the old one takes it to be."""
        why = self._trouble(state, done)
        if not why:
            return
        self._replans += 1
        if self._replans > _REPLANS:
            raise SaySoError(Code.NO_PLAN, f"the goal is not reached after {_REPLANS} new plans.")
        self._make_plan(state, self._hopeless(done))
        self.told(why, self._plan)

    def _trouble(self, state: SymbolicState, done: Sequence[Deed]) -> str:
        """Why the plan cannot go on, in words; "" where it can."""
        last = self._last
        if last is not None:
            wrong = _unmet(_effects(last), state)
            if wrong or (done and not done[-1].worked):
                return self._cause(last, Code.POSTCONDITION, wrong)
        if self._plan:
            lacking = _unmet(sorted(self._plan[0].preconditions), state)
            return self._cause(self._plan[0], Code.PRECONDITION, lacking) if lacking else ""
        missing = [x for x in self._goal if not state.holds(x)]
        facts = joined(fact(x, self.library.predicates) for x in missing)
        return f"I did all of the plan, but that {facts} was not reached." if missing else ""

    def _cause(self, action: Action, code: Code, checks: tuple[Check, ...]) -> str:
        said = replace(action, english=spoken(*self._call(action)))
        return failure_text(Failure(said, code, checks), self.library.predicates, Cause.EXPLICIT)

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
        usable = self._usable()
        state = presumed(state, usable.predicates, usable.operators.values())
        problem = observed_problem(usable, state, Progression.of(goal), None, avoid)
        plan = self._timed("plan", lambda: self.planner.solve(problem, PlanLimits(PLAN_S)))
        self._plan, self._last = list(plan.actions), None

    def _usable(self) -> Library:
        """The library without the operators of skills that the robot does not have here."""
        operators = {n: o for n, o in self.library.operators.items() if o.skill in self.arities}
        return replace(self.library, operators=operators)

    def _read(self, words: str, scene: Scene) -> tuple[Literal, ...]:
        kinds = {o.name: o.category for o in scene.objects}
        said = self.reader.read(words, kinds, known=Lexicon.of(self.library)).literals
        goal = by_present_names(said, self.library.predicates)
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


def _unmet(literals: Iterable[Literal], state: SymbolicState) -> tuple[Check, ...]:
    """Those that are observed not to hold."""
    return tuple(Check(x, False) for x in literals if state.holds(x) is False)
