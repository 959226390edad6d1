"""Operators learned from what was tried, at every step, for a planner and for people to see.

`OperatorLearner` is given one transition after the other. After each it has the operators that
explain all of them so far (`clusters`), what each skill needs according to the person, and how
often each operator came out as predicted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Atom, Domain, Literal, Operator, SymbolicState
from sayso.core.vocabulary import SpokenAction
from sayso.learning.clusters import Found, Settings, find_operators
from sayso.learning.spoken import english_of, spoken_action, wanted
from sayso.learning.transitions import (
    FALSE,
    TRUE,
    Bools,
    Bytes,
    Codec,
    Effect,
    Transition,
    variable,
)
from sayso.learning.trials import Trials, Ways


@dataclass(frozen=True)
class Outcome:
    """What came about instead of an operator's effect, and how often.

    Attributes:
        add, delete: over the skill's parameters, then other objects; both empty for no change.
    """

    add: frozenset[Atom]
    delete: frozenset[Atom]
    count: int


@dataclass(frozen=True)
class LearnedOperator:
    """An operator and what speaks for it.

    Attributes:
        arity: how many of its parameters, the first, are those of its skill.
        common: literals that held in all examples; the preconditions are the fewest of them
            that are needed.
        tries: transitions in which its preconditions held.
        successes: of these, how many came out as predicted. Not whole where the parameters
            beyond the skill's own were not settled by the preconditions.
        others: what came about instead, most frequent first.
    """

    operator: Operator
    arity: int
    common: frozenset[Literal]
    tries: int
    successes: float
    others: tuple[Outcome, ...]

    @property
    def probability(self) -> float:
        """Of the predicted outcome: the share of tries, with one success more than was seen."""
        return (self.successes + 1.0) / (self.tries + 1.0)

    @property
    def provenance(self) -> dict[str, Any]:
        """For the library's index: counts and probabilities, as JSON."""
        return {
            "origin": "learned",
            "tries": self.tries,
            "successes": round(self.successes, 3),
            "probability": round(self.probability, 3),
            "others": [
                {
                    "add": sorted(map(str, o.add)),
                    "delete": sorted(map(str, o.delete)),
                    "count": o.count,
                    "probability": round(o.count / self.tries, 3),
                }
                for o in self.others
            ],
        }


@dataclass(frozen=True)
class Requirement:
    """A literal that a skill is said to need, and whether tries agree.

    Attributes:
        literal: over the skill's parameters `?a`, `?b`, ...
        said: in how many explanations; 0 where it was summarised from elsewhere.
        against: how often what was observed spoke against it: tries that had an effect although
            it did not hold, and explanations that named it although it held.
        kept: whether it is a precondition of all of the skill's operators.
    """

    literal: Literal
    said: int
    against: int
    kept: bool


@dataclass(frozen=True)
class Learned:
    """What transitions teach.

    Attributes:
        operators: by skill, then in the order in which their effects were first seen.
        requirements: what each skill is said to need, by skill.
        explained: how many transitions with an effect some operator predicts.
        unexplained: how many it does not.
    """

    operators: tuple[LearnedOperator, ...] = ()
    requirements: Mapping[str, tuple[Requirement, ...]] = field(default_factory=dict)
    explained: int = 0
    unexplained: int = 0

    @property
    def contradictions(self) -> tuple[tuple[str, Requirement], ...]:
        """What a skill is said to need although it went without: matters to ask about."""
        return tuple((s, r) for s, rs in self.requirements.items() for r in rs if r.against)

    def needs(self, skill: str, sure: bool = False) -> frozenset[Literal]:
        """What the skill is taken to need, over its parameters.

        If `sure`, without what was said only once.
        """
        requirements = (r for r in self.requirements.get(skill, ()) if r.kept)
        return frozenset(r.literal for r in requirements if not sure or r.said != 1)

    def domain(self, arities: Mapping[str, int]) -> Domain:
        """For a planner; reliable operators are cheaper."""
        return Domain(tuple(o.operator for o in self.operators), dict(arities))

    def into(self, library: Library) -> Library:
        """The library with these operators, and the words for them, in place of those learned
        before.

        Operators of other origin stay, but for those of the skills learned here.
        """
        skills = {*self.requirements, *(o.operator.skill for o in self.operators)}
        skills |= {
            operator.skill or name
            for name, operator in library.operators.items()
            if library.operator_provenance.get(name, {}).get("origin") == "learned"
        }
        kept = {n: o for n, o in library.operators.items() if (o.skill or n) not in skills}
        learned = {o.operator.name: o for o in self.operators}
        return replace(
            library,
            operators={**kept, **{n: o.operator for n, o in learned.items()}},
            operator_provenance={
                **{n: library.operator_provenance.get(n, {}) for n in kept},
                **{n: o.provenance for n, o in learned.items()},
            },
            vocabulary=replace(
                library.vocabulary,
                actions=(
                    *(a for a in library.vocabulary.actions if a.name not in skills),
                    *self._spoken_actions(),
                ),
            ),
        )

    def _spoken_actions(self) -> Iterator[SpokenAction]:
        """For each skill, how what it mostly brings about is asked for."""
        for skill in dict.fromkeys(o.operator.skill for o in self.operators):
            mine = next(o for o in self.operators if o.operator.skill == skill)
            things = mine.operator.parameters[: mine.arity]
            usual = self._usual(skill)
            goal = wanted(things, (x.atom for x in usual if x.positive)) or tuple(
                replace(w, positive=False)
                for w in wanted(things, (x.atom for x in usual if not x.positive))
            )
            if goal:
                yield spoken_action(skill, mine.arity, goal)

    def brings_about(
        self, skill: str, args: tuple[str, ...], things: Collection[str]
    ) -> tuple[Literal, ...]:
        """What an action mostly makes so of some of its things, or else not so: of as many of
        them as it can."""
        binding = {variable(i): name for i, name in enumerate(args)}
        own = [x for x in self._usual(skill) if set(x.atom.args) <= set(binding)]
        bound = [x.substitute(binding) for x in own if x.atom.args]
        about = [x for x in bound if set(x.atom.args) <= set(things)]
        for sign in (True, False):
            most = max((len(x.atom.args) for x in about if x.positive is sign), default=0)
            if most:
                return tuple(
                    x for x in sorted(about) if x.positive is sign and len(x.atom.args) == most
                )
        return ()

    def _usual(self, skill: str) -> tuple[Literal, ...]:
        """What an action makes so, and not so, in more than half of the ways in which it works."""
        mine = [o for o in self.operators if o.operator.skill == skill]
        weights: defaultdict[Literal, float] = defaultdict(float)
        for learned in mine:
            for atoms, positive in ((learned.operator.add, True), (learned.operator.delete, False)):
                for atom in atoms:
                    weights[Literal(atom, positive)] += learned.successes + 1.0
        half = sum(o.successes + 1.0 for o in mine) / 2
        return tuple(x for x, weight in weights.items() if weight > half)


class OperatorLearner:
    """Learns operators from transitions, one at a time; the same from the same transitions.

    Args:
        arities: the predicates that preconditions and effects may use. When there are new ones,
            parse the states anew and make a new learner.
        settings: see `Settings`.
        summarised: what each skill needs, over `?a`, `?b`, ..., besides what explanations say.
    """

    def __init__(
        self,
        arities: Mapping[str, int],
        settings: Settings | None = None,
        summarised: Mapping[str, frozenset[Literal]] | None = None,
    ) -> None:
        self.arities = dict(arities)
        self.settings = settings or Settings()
        self.transitions: list[Transition] = []
        self._summarised = dict(summarised or {})
        self._codec = Codec(self.arities, 8)
        self._trials: dict[str, Trials] = {}
        self._results: dict[str, _SkillResult] = {}
        self._last: tuple[SymbolicState, tuple[str, ...], Bytes] | None = None

    def step(self, transition: Transition) -> Learned:
        """One more transition, and what is known now."""
        self.add(transition)
        return self.learned()

    def add(self, transition: Transition) -> None:
        """One more transition. Raises INVALID if the skill had another number of arguments."""
        known = self._trials.get(transition.skill)
        if known is not None and known.arity != len(transition.args):
            raise SaySoError(
                Code.INVALID,
                f"{transition.skill} was performed with {known.arity} arguments before, "
                f"now with {len(transition.args)}.",
            )
        self.transitions.append(transition)
        self._results.pop(transition.skill, None)
        if len(transition.before.objects) > self._codec.capacity:
            self._make_room(len(transition.before.objects))
        else:
            self._record(transition)

    def learned(self) -> Learned:
        """The operators that the transitions so far teach."""
        for skill, trials in self._trials.items():
            if skill not in self._results:
                self._results[skill] = self._learn(skill, trials)
        results = dict(sorted(self._results.items()))
        return Learned(
            tuple(o for r in results.values() for o in r.operators),
            {skill: r.requirements for skill, r in results.items()},
            sum(r.explained for r in results.values()),
            sum(r.unexplained for r in results.values()),
        )

    def _record(self, transition: Transition) -> None:
        trials = self._trials.get(transition.skill)
        if trials is None:
            trials = Trials(self._codec, len(transition.args), self.settings.max_context)
            self._trials[transition.skill] = trials
        after = None
        objects = transition.before.objects
        before = self._row(transition.before, objects)
        if transition.feasible and transition.after is not None:
            after = self._row(transition.after, objects)
        trials.append(transition, before, after)

    def _row(self, state: SymbolicState, objects: tuple[str, ...]) -> Bytes:
        # What one action leaves behind is where the next one starts.
        if self._last is None or self._last[0] is not state or self._last[1] != objects:
            self._last = (state, objects, self._codec.row(state, objects))
        return self._last[2]

    def _make_room(self, objects: int) -> None:
        self._codec = Codec(self.arities, 2 * objects)
        self._trials, self._last = {}, None
        for transition in self.transitions:
            self._record(transition)

    def _learn(self, skill: str, trials: Trials) -> _SkillResult:
        requirements = _requirements(
            trials, self._summarised.get(skill, frozenset()), self.settings.noise
        )
        dropped = {r.literal for r in requirements if not r.kept}
        required = frozenset(r.literal for r in requirements if r.kept)
        excused = np.array([bool(b - dropped) for b in trials.because]) & ~trials.feasible
        found = find_operators(trials, required, excused, self.settings)
        operators = tuple(
            _learned_operator(f, skill, i + 1, trials.arity) for i, f in enumerate(found)
        )
        explained = {i for f in found for i in f.right if trials.changed[i]}
        changed = int((trials.changed > 0).sum())
        return _SkillResult(operators, requirements, len(explained), changed - len(explained))


@dataclass(frozen=True)
class _SkillResult:
    operators: tuple[LearnedOperator, ...]
    requirements: tuple[Requirement, ...]
    explained: int
    unexplained: int


def learn_operators(
    transitions: Iterable[Transition],
    arities: Mapping[str, int],
    settings: Settings | None = None,
) -> Learned:
    """The operators that all of these transitions teach. See `OperatorLearner`."""
    learner = OperatorLearner(arities, settings)
    for transition in transitions:
        learner.add(transition)
    return learner.learned()


def _requirements(
    trials: Trials, summarised: frozenset[Literal], noise: float
) -> tuple[Requirement, ...]:
    """What the skill is said to need, of what its predicates can express.

    Where people may be wrong, an explanation is dropped if it was not given more often than
    observation spoke against it.
    """
    literals = sorted(summarised.union(*trials.because))
    usable = [x for x in literals if trials.codec.arities.get(x.atom.predicate) == len(x.atom.args)]
    found = []
    for literal in usable:
        without = _violating(trials, literal)
        named = np.array([literal in b for b in trials.because])
        held = _violating(trials, literal._replace(positive=not literal.positive))
        went = int((without & (trials.changed > 0)).sum())
        against = went + int((named & held).sum())
        said = int(named.sum())
        # Where nobody is wrong, what is named although it held is the fault of a predicate.
        disproved = literal not in summarised and (against if noise else went or -1) >= said
        found.append(Requirement(literal, said, against, not disproved))
    return tuple(found)


def _violating(trials: Trials, literal: Literal) -> Bools:
    """(transitions,) where the literal over the skill's parameters did not hold."""
    ways = Ways(np.arange(trials.size), trials.args)
    values = ways.values(trials.codec, trials.before, [literal.atom])[:, 0]
    return np.asarray(values == (FALSE if literal.positive else TRUE))


def _learned_operator(found: Found, skill: str, number: int, arity: int) -> LearnedOperator:
    add, delete = _atoms(found.effect)
    others = sorted(found.others.items(), key=lambda item: (-item[1], item[0]))
    learned = LearnedOperator(
        Operator(
            name=f"{skill}_{number}",
            parameters=tuple(map(variable, range(found.parameters))),
            preconditions=found.preconditions,
            add=add,
            delete=delete,
            skill=skill,
            english=english_of(skill, arity),
        ),
        arity,
        found.common,
        found.tries,
        found.successes,
        tuple(Outcome(*_atoms(effect), count) for effect, count in others),
    )
    # How often it has to be tried, on average, until it comes out as predicted.
    cost = round(1.0 / learned.probability, 3)
    return replace(learned, operator=replace(learned.operator, cost=cost))


def _atoms(effect: Effect) -> tuple[frozenset[Atom], frozenset[Atom]]:
    """What an effect makes true, and what it makes false."""
    atoms = [(Atom(p, tuple(map(variable, numbers))), up) for p, numbers, up in effect]
    return frozenset(a for a, up in atoms if up), frozenset(a for a, up in atoms if not up)
