"""What is wrong with a domain although its form is right: rules against what actions do.

Tasks are drawn, and in each every action is tried on things: where the rules say that it works it
has to, with the effects that they tell, and nowhere else. Every task must have a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeAlias

import numpy as np

from sayso.core.errors import SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Action, Operator, SymbolicState
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.worlds.domains.choosing import worlds_of
from sayso.worlds.domains.description import Description
from sayso.worlds.domains.domain import SETS
from sayso.worlds.domains.drawing import DrawnTask, drawn_tasks
from sayso.worlds.domains.reading import FILE
from sayso.worlds.domains.world import DomainWorld

_TRIES = 6
"""Of an action in a state, at most, of those that the rules allow and of the others."""
_PLAN_S = 10.0


@dataclass(frozen=True)
class Trouble:
    """Something wrong with a domain: where, what, and what to do about it."""

    line: int
    what: str
    cure: str

    def __str__(self) -> str:
        return f"{FILE}, line {self.line}: {self.what}. {self.cure}"


Tell: TypeAlias = Callable[[int, int], None]
"""Called with how many tasks are tried, and how many there are."""


def _silent(done: int, total: int) -> None:
    pass


def troubles(description: Description, count: int = 4, tell: Tell = _silent) -> tuple[Trouble, ...]:
    """All that is found, at most one for each action and each template.

    Args:
        count: how many tasks of each set are drawn.
        tell: called after each task.
    """
    wrong = [*_unruled(description), *_shown_although_new(description)]
    return tuple(wrong) or tuple(_Trial(description, count).found(tell))


def _unruled(description: Description) -> Iterator[Trouble]:
    """Actions without rules, and rules that contradict each other."""
    operators = description.library.operators
    for name, deed in description.deeds.items():
        if all(o.skill != name for o in operators.values()):
            cure = f"Add an entry with `action: {name}` to `operators`."
            yield Trouble(deed.line, f"no rule says when '{name}' works", cure)
    seen: dict[tuple[object, ...], str] = {}
    for operator in operators.values():
        key = (operator.skill, operator.parameters, operator.preconditions)
        if key in seen:
            yield Trouble(
                description.lines[operator.name],
                f"'{operator.skill}' has two rules with the same needs",
                f"Join it with that in line {description.lines[seen[key]]}, or tell them apart.",
            )
        seen.setdefault(key, operator.name)


def _shown_although_new(description: Description) -> Iterator[Trouble]:
    """Kinds that training shall never show, and shows in another simple task."""
    shown = {k for t in description.simple for w in t.things if not w.more for k in w.kinds}
    for template in (*description.simple, *description.complex):
        if both := sorted({k for w in template.things for k in w.new} & shown):
            yield Trouble(
                template.line, f"'{both[0]}' is called new here, and training shows it elsewhere",
                "Take another kind for it, or leave it out of the simple tasks' `kind`.",
            )  # fmt: skip


@dataclass
class _Trial:
    """Tries a domain out."""

    description: Description
    count: int
    _wrong: dict[str, Trouble] = field(default_factory=dict)
    _worked: set[str] = field(default_factory=set)
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def __post_init__(self) -> None:
        self._world = worlds_of(self.description)

    def found(self, tell: Tell) -> Iterator[Trouble]:
        templates: dict[int, Trouble] = {}
        tasks = [*self._tasks()]
        for number, (task, line) in enumerate(tasks):
            tell(number, len(tasks))
            if trouble := self._planned(task, line):
                templates.setdefault(line, trouble)
            self._tried(self._world(task))
        yield from self._wrong.values()
        yield from templates.values()
        for name, deed in self.description.deeds.items():
            if name not in self._worked and name not in self._wrong:
                yield Trouble(
                    deed.line, f"'{name}' never succeeded in {self.count * len(SETS)} tasks",
                    "Let a task start where it works, or mend its code.",
                )  # fmt: skip

    def _tasks(self) -> Iterator[tuple[DrawnTask, int]]:
        for name in SETS:
            harder = name in ("novel_goals", "combined")
            templates = self.description.complex if harder else self.description.simple
            drawn = drawn_tasks(self.description, name, 0, max(self.count, len(templates)))
            for number, task in enumerate(drawn):
                yield task, templates[number % len(templates)].line

    def _planned(self, task: DrawnTask, line: int) -> Trouble | None:
        """Follows a plan by the rules to the goal, trying all actions on the way."""
        world = self._world(task)
        wanted = conjunction(*(of_literal(parse_literal(x)) for x in task.goal))
        problem = observed_problem(
            self.description.library, self._state(world), Progression.of(Eventually(wanted)), None
        )
        try:
            plan = SearchPlanner().solve(problem, PlanLimits(_PLAN_S))
        except SaySoError as error:
            return Trouble(
                line, f"by the rules '{task.words}' cannot be done ({error.message})",
                "Change its things or its goal, or add what the rules lack.",
            )  # fmt: skip
        for action in plan.actions:
            if action.skill in self._wrong or not self._compared(world, action):
                break
            self._tried(world)
        return None

    def _tried(self, world: DomainWorld) -> None:
        """Tries every action that is not known to be wrong, from the state as it is."""
        state = self._state(world)
        for name, deed in self.description.deeds.items():
            if name in self._wrong:
                continue
            chosen = [*permutations(state.objects, len(deed.takes))]
            allowed: dict[tuple[str, ...], list[Action]] = {}
            for action in self._applicable(state, name):
                allowed.setdefault(action.args[: len(deed.takes)], []).append(action)
            others = [c for c in chosen if c not in allowed]
            for args in self._some(others):
                self._refused(world.copy(), name, args)
            for args in self._some([*allowed]):
                for action in allowed[args]:  # each rule that applies has to tell it all
                    self._compared(world.copy(), action)

    def _some(self, choices: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
        drawn = self._random.permutation(len(choices))[:_TRIES]
        return [choices[i] for i in drawn]

    def _refused(self, world: DomainWorld, name: str, args: tuple[str, ...]) -> None:
        """What no rule allows must not work."""
        if name not in self._wrong and self._acts(world, name, args):
            self._note(
                name, f"{name}({', '.join(args)}) worked, and by the rules it should not",
                "Add the rule that allows it, or let its code `fail`; where it is a skill, give "
                "the action another name and code of its own.",
            )  # fmt: skip

    def _compared(self, world: DomainWorld, action: Action) -> bool:
        """What a rule allows must work, and come to what the rule says."""
        before = self._state(world)
        name, arity = action.skill, len(self.description.deeds[action.skill].takes)
        told = f"{name}({', '.join(action.args[:arity])})"
        if name in self._wrong:
            return False
        if not self._acts(world, name, action.args[:arity]):
            self._note(
                name, f"by the rules {told} works, and it did not: {world.cause}",
                "Let the rule `need` what is missing, or mend the code.",
            )  # fmt: skip
            return False
        expected = (before.true_atoms() - action.delete) | action.add
        differing = sorted(expected ^ self._state(world).true_atoms())
        self._worked.add(name)
        if differing:
            listed = ", ".join(f"{a} is {'not ' if a in expected else ''}so" for a in differing[:3])
            self._note(
                name, f"after {told} it is not as its rule says: {listed}",
                "Put it under `adds` or `ends`, or mend the code.",
            )  # fmt: skip
        return not differing

    def _acts(self, world: DomainWorld, name: str, args: tuple[str, ...]) -> bool:
        try:
            return world.act(name, *args).reached
        except SaySoError as error:
            self._note(name, error.message.rstrip("."), error.hint)
            return False

    def _note(self, name: str, what: str, cure: str) -> None:
        self._wrong.setdefault(name, Trouble(self.description.deeds[name].line, what, cure))

    def _applicable(self, state: SymbolicState, skill: str) -> Iterator[Action]:
        for operator in self.description.library.operators.values():
            if operator.skill == skill:
                yield from _grounded(operator, state)

    def _state(self, world: DomainWorld) -> SymbolicState:
        return symbolic_state(world.observe(), self.description.library.predicates)


def _grounded(operator: Operator, state: SymbolicState) -> Iterator[Action]:
    for args in permutations(state.objects, len(operator.parameters)):
        action = operator.ground(*args)
        if all(state.holds(x) for x in action.preconditions):
            yield action
