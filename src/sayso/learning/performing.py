"""Doing a task with what was learned: plan, act, look, and plan anew where it went otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Literal, SymbolicState
from sayso.learning.learner import Learner
from sayso.learning.teaching import Practice

_TRIES = 2
"""How often a step may fail before it is planned around."""

Step = tuple[str, tuple[str, ...]]
Plan = Callable[[tuple[Literal, ...], SymbolicState, frozenset[Step]], Sequence[Action]]
"""A way to a goal from a state without some ground operators (name, arguments). Raises `SaySoError`
where there is none.
"""


@dataclass(frozen=True)
class Performed:
    """What came of it.

    Attributes:
        reached: whether all of the goal was seen to hold in the end.
        failed: the first action that failed, as the robot felt or saw; '' if none did.
        plans: how many were made.
        trouble: why there was no plan any more, if that ended it.
    """

    reached: bool
    actions: tuple[Step, ...]
    failed: str
    plans: int
    trouble: SaySoError | None = None


def perform(
    words: str, practice: Practice, learner: Learner, plan: Plan, most_actions: int
) -> Performed:
    """Work for a goal until it is seen to be reached, or there is no way.

    Raises:
        SaySoError: of the reader or the practice; NOT_UNDERSTOOD for words that need a predicate
            which was never learned.
    """
    scene = practice.observe()
    goal = learner.read_goal(words, scene)
    for literal in goal:
        if literal.atom.predicate not in learner.library.predicates:
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"'{literal.atom.predicate}' was never learned.",
                choices=learner.library.predicates,
                hint="practise something that needs it first.",
            )
    return _Performing(goal, practice, learner, plan, most_actions).run(scene)


class _Performing:
    """One task under way."""

    def __init__(
        self,
        goal: tuple[Literal, ...],
        practice: Practice,
        learner: Learner,
        plan: Plan,
        most_actions: int,
    ) -> None:
        self.goal = goal
        self.practice = practice
        self.learner = learner
        self.plan = plan
        self.most_actions = most_actions
        self.done: list[Step] = []
        self.failures: list[Action] = []
        self.plans = 0
        self.trouble: SaySoError | None = None

    def run(self, scene: Scene) -> Performed:
        steps: list[Action] = []
        while not self._reached(scene) and len(self.done) < self.most_actions:
            state = self.learner.state(scene)
            if not steps or any(state.holds(x) is False for x in steps[0].preconditions):
                steps = self._planned(state)
            if not steps:
                break  # also an empty plan for a goal of which a part is unknown
            scene, steps = self._acted(steps)
        failed = self.failures[0] if self.failures else None
        text = f"{failed.skill}({', '.join(self._args(failed))})" if failed else ""
        reached = self._reached(scene)
        return Performed(reached, tuple(self.done), text, self.plans, self.trouble)

    def _planned(self, state: SymbolicState) -> list[Action]:
        """A new plan; none where there is trouble."""
        self.plans += 1
        try:
            return list(self.plan(self.goal, state, self._hopeless()))
        except SaySoError as error:
            self.trouble = error
            return []

    def _acted(self, steps: list[Action]) -> tuple[Scene, list[Action]]:
        """The scene after the first step, and what is left of the plan."""
        action = steps[0]
        args = self._args(action)
        felt = self.practice.act(action.skill, args)
        self.done.append((action.skill, args))
        scene = self.practice.observe()
        state = self.learner.state(scene)
        lacking = any(state.holds(Literal(a)) is False for a in action.add)
        if felt and not lacking:
            return scene, steps[1:]
        self.failures.append(action)
        return scene, []

    def _args(self, action: Action) -> tuple[str, ...]:
        """A skill takes an operator's first parameters; those after them are only context."""
        return tuple(action.args[: self.practice.skills[action.skill]])

    def _hopeless(self) -> frozenset[Step]:
        steps = [(a.name, tuple(a.args)) for a in self.failures]
        return frozenset(s for s in steps if steps.count(s) >= _TRIES)

    def _reached(self, scene: Scene) -> bool:
        state = self.learner.state(scene)
        return bool(self.goal) and all(state.holds(x) for x in self.goal)
