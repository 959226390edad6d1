"""Which action to try next while learning: half of the time the plan's, else one worth seeing.

Worth seeing is a random action that nothing known forbids (Han et al., "InterPreT", RSS 2024), or
better, one whose outcome the operators learned so far disagree about, or have least to say about.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Literal, SymbolicState
from sayso.learning.operators import Learned, LearnedOperator
from sayso.learning.transitions import variable

STRATEGIES = ("random", "doubt")
_RECHECK_WHEN_LOST = 0.5
_WORTH_SEEING = 0.4
"""Below this doubt all is known that an action would show, and there are better things to do."""

Step = tuple[str, tuple[str, ...]]
"""A skill and its arguments."""

Planner = Callable[[], Sequence[Action] | None]
"""A plan from here to the goal with what is known; None where there is none."""

Trust = Callable[[Literal], "tuple[bool, int] | None"]
"""How sure it is that a literal does not hold: whether the like was ever seen to hold, and how many
labels there are for it; None for what a person said outright."""


@dataclass(frozen=True)
class Choice:
    """A skill with its arguments, and why it is tried.

    Attributes:
        why: `plan`, `hope`, `random`, `doubt` or `unmet`.
    """

    skill: str
    args: tuple[str, ...]
    why: str


class Explorer:
    """Chooses the next action of a training task.

    Args:
        skills: how many arguments each takes.
        strategy: what to do where no plan is followed, see `STRATEGIES`.
        plan_share: how often the plan is followed, if there is one.
        recheck: how often, where no plan is followed, something is tried that only explanations
            given once forbid: for people who may be wrong. If above 0, such is also tried where
            nothing else is left, then anything at all, and half of the time where there is no plan.

    Raises:
        SaySoError: INVALID for an unknown strategy.
    """

    def __init__(
        self,
        skills: Mapping[str, int],
        rng: random.Random,
        strategy: str = "doubt",
        plan_share: float = 0.5,
        recheck: float = 0.0,
    ) -> None:
        if strategy not in STRATEGIES:
            raise SaySoError(
                Code.INVALID, f"there is no strategy '{strategy}'.", choices=STRATEGIES
            )
        self._skills = dict(skills)
        self._rng = rng
        self._strategy = strategy
        self._plan_share = plan_share
        self._recheck = recheck

    def choose(
        self,
        state: SymbolicState,
        learned: Learned,
        plan: Planner,
        avoid: Collection[Step] = (),
        trust: Trust | None = None,
        hope: Planner = lambda: None,
    ) -> Choice | None:
        """The next action; None if nothing is left to try.

        Args:
            plan: asked only when its answer is to be followed.
            avoid: skills and arguments that are known to lead nowhere in this state.
            trust: of what an action is said to need and is not so; see `Trust`.
            hope: a plan with what was never done, for where there is no other; see `supposed`.
        """
        recheck, planned = self._recheck, False
        followed = self._rng.random() < self._plan_share
        if followed:
            first, planned = self._first_step(plan, avoid)
            if first:
                return first
            if recheck and not planned:
                # Where no plan is found, something believed may well be wrong.
                recheck = max(recheck, _RECHECK_WHEN_LOST)
        if not planned and self._strategy == "doubt":
            first, _ = self._first_step(hope, avoid)
            if first:
                return replace(first, why="hope")
        options = self._options(state, learned, avoid, recheck)
        if not options:
            return None
        if self._strategy == "doubt":
            doubts = [doubt(state, learned, skill, args) for skill, args in options]
            if max(doubts) < _WORTH_SEEING:
                doubts = [self._doubt_after(state, learned, *option) for option in options]
            if max(doubts) < _WORTH_SEEING and not followed:
                first, planned = self._first_step(plan, avoid)
                if first:
                    return first
            if max(doubts) >= _WORTH_SEEING:
                options = [o for o, d in zip(options, doubts, strict=True) if d == max(doubts)]
            elif not planned and trust:
                options = self._least_trusted(state, learned, avoid, trust) or options
        skill, args = self._rng.choice(options)
        return Choice(skill, args, self._strategy)

    def _doubt_after(
        self, state: SymbolicState, learned: Learned, skill: str, args: tuple[str, ...]
    ) -> float:
        """The greatest doubt about what could be tried next, if it comes out as predicted."""
        operators = [o for o in learned.operators if o.operator.skill == skill]
        predicted = next((a for o in operators for a in applications(state, o, args)), None)
        if predicted is None:
            return 0.0
        changed = {**dict.fromkeys(predicted.delete, False), **dict.fromkeys(predicted.add, True)}
        after = state.changed(changed)
        options = self._feasible(after, learned, False)
        return max((doubt(after, learned, *option) for option in options), default=0.0)

    def _first_step(self, plan: Planner, avoid: Collection[Step]) -> tuple[Choice | None, bool]:
        """The plan's first step, unless it leads nowhere; and whether there is a plan."""
        steps = plan()
        if not steps:
            return None, False
        skill, args = steps[0].skill, steps[0].args[: self._skills[steps[0].skill]]
        return (None if (skill, args) in avoid else Choice(skill, args, "plan")), True

    def _options(
        self,
        state: SymbolicState,
        learned: Learned,
        avoid: Collection[Step],
        recheck: float,
    ) -> list[Step]:
        options = [o for o in self._feasible(state, learned, False) if o not in avoid]
        if recheck and (not options or self._rng.random() < recheck):
            bold = [o for o in self._feasible(state, learned, True) if o not in avoid]
            options = [o for o in bold if o not in options] or options
        if recheck and not options:
            # Nothing is left to try: something that was said more than once must be wrong.
            return [o for o in self._every(state) if o not in avoid]
        return options

    def _least_trusted(
        self,
        state: SymbolicState,
        learned: Learned,
        avoid: Collection[Step],
        trust: Trust,
    ) -> list[Step]:
        """Where nothing allowed leads on: what only one thing forbids that may well be wrong."""
        found: dict[tuple[bool, int], list[Step]] = {}
        for skill, args in self._every(state):
            against = _violated(state, learned.needs(skill), args)
            if (skill, args) in avoid or len(against) != 1:
                continue
            binding = {variable(i): name for i, name in enumerate(args)}
            trusted = trust(against[0].substitute(binding))
            if trusted is not None:
                found.setdefault(trusted, []).append((skill, args))
        return found[min(found)] if found else []

    def _every(self, state: SymbolicState) -> Iterator[Step]:
        for skill, arity in sorted(self._skills.items()):
            for args in permutations(sorted(state.objects), arity):
                yield skill, args

    def _feasible(self, state: SymbolicState, learned: Learned, bold: bool) -> Iterator[Step]:
        """All that the person's explanations do not forbid, or, if bold, those given again."""
        needs = {skill: learned.needs(skill, sure=bold) for skill in self._skills}
        for skill, args in self._every(state):
            if not _violated(state, needs[skill], args):
                yield skill, args


def doubt(state: SymbolicState, learned: Learned, skill: str, args: tuple[str, ...]) -> float:
    """How little the operators agree on what an action does here, from 0 to 2.

    2: they predict different outcomes. 1: none can be applied. Below: one can; the more so, the
    more of what held in all of its examples does not hold here, and the less reliable it is.
    """
    operators = [o for o in learned.operators if o.operator.skill == skill]
    applicable = [(o, a) for o in operators for a in applications(state, o, args)]
    if not applicable:
        return 1.0
    true = state.true_atoms()
    if len({a.apply(true) for _, a in applicable}) > 1:
        return 2.0
    return min(_novelty(state, o, a) for o, a in applicable)


def applications(
    state: SymbolicState, learned: LearnedOperator, args: tuple[str, ...]
) -> Iterator[Action]:
    """The ways to apply an operator that nothing observed speaks against."""
    others = sorted(set(state.objects) - set(args))
    operator = learned.operator
    for more in permutations(others, len(operator.parameters) - len(args)):
        if not _violated(state, operator.preconditions, (*args, *more)):
            yield operator.ground(*args, *more, objects=state.objects)


def _novelty(state: SymbolicState, learned: LearnedOperator, action: Action) -> float:
    """From 0, where all that its examples had in common holds, to below 1."""
    new = len(_violated(state, learned.common, action.args))
    unlike = new / (new + 1.0)
    return 1.0 - (1.0 - unlike) * learned.probability


def _violated(
    state: SymbolicState, literals: Collection[Literal], args: tuple[str, ...]
) -> list[Literal]:
    """The literals over `?a`, `?b`, ... that are known not to hold for these objects."""
    binding = {variable(i): name for i, name in enumerate(args)}
    return [x for x in literals if state.holds(x.substitute(binding)) is False]
