"""One skill's operators: transitions that changed the same, and what tells them from the others.

Transitions are clustered by their lifted effects, and for each cluster the fewest preconditions
are searched that keep the operator from where its outcome does not come about
(cluster-then-search: Silver et al., "Learning symbolic operators for task and motion planning",
IROS 2021; Han et al., "InterPreT", RSS 2024). Held to:

- a transition is explained by one operator at most: effects differ, and what one predicts rightly
  is no example for the next;
- no two operators have the same preconditions;
- what an action is said to need stays among the preconditions;
- so does what it ends, unless it was seen to do the rest where that was not so before: a change
  that cannot happen is no prediction (Yang et al., "Learning action models from plan examples
  using weighted MAX-SAT", AIJ 2007);
- every other precondition keeps out a failure that no other keeps out.

Beyond the sources, an operator also explains transitions in which a part of its effect was there
before, and what cannot be told apart stays with the operator as its failures, counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log2

import numpy as np
from scipy.special import pdtrc

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal
from sayso.learning.preconditions import Evidence, minimal
from sayso.learning.transitions import FALSE, TRUE, Bools, Effect, atoms_over, variable
from sayso.learning.trials import Trials, Ways, all_ways, outcomes

_CLUMPING = 3.0
"""Wrong observations fall on some atoms so much more often than on others."""

_UNLIKELY = 0.001
"""Chance is no explanation for what it brings about less often than this."""


@dataclass(frozen=True)
class Settings:
    """How transitions are read.

    Attributes:
        noise: share of transitions that may have failed or been observed wrongly by chance;
            0 trusts every one.
        max_context: how many objects besides its arguments an action may change.
    """

    noise: float = 0.0
    max_context: int = 3

    def __post_init__(self) -> None:
        if not 0.0 <= self.noise < 0.5:
            raise SaySoError(
                Code.INVALID,
                f"with a share of {self.noise:g} wrong transitions nothing can be learned.",
                hint="give a noise from 0 to below 0.5.",
            )


@dataclass(frozen=True)
class Found:
    """An operator of a skill and the transitions behind it.

    Attributes:
        effect: over the parameters' numbers: the skill's own, then other objects'; what ends of
            a number that is no parameter's ends of all things.
        parameters: how many there are.
        preconditions: literals over `?a`, `?b`, ...
        common: all literals that held in all examples.
        examples: numbers of the transitions that showed exactly this effect.
        right: numbers of the transitions in which it could be applied and came about.
        tries: in how many transitions it could be applied.
        successes: of these, how many came out as predicted; where the parameters' objects were
            not settled, the share of choices that did.
        others: what came about instead, by effect; the empty effect is no change.
    """

    effect: Effect
    parameters: int
    preconditions: frozenset[Literal]
    common: frozenset[Literal]
    examples: tuple[int, ...]
    right: tuple[int, ...]
    tries: int
    successes: float
    others: Mapping[Effect, int]


def find_operators(
    trials: Trials, required: frozenset[Literal], excused: Bools, settings: Settings
) -> tuple[Found, ...]:
    """The operators of a skill, in the order of their first examples.

    Args:
        required: literals over the skill's parameters that every operator must have.
        excused: (transitions,) those that were refused for a reason that is known.
    """
    found: list[Found] = []
    unexplained = np.ones(trials.size, np.bool_)
    for effect in sorted(trials.clusters, key=lambda e: (-len(e), -len(trials.clusters[e]), e)):
        # Large effects first, since small ones may be what was left to do of them.
        examples = [i for i in trials.clusters[effect] if unexplained[i]]
        if len(examples) < (2 if settings.noise else 1):
            continue
        # Where people or eyes may be wrong, what is rarer than another outcome is a mistake.
        rivals = np.ones(trials.size, np.bool_) if settings.noise else unexplained
        search = _Search(trials, effect, examples, required, excused, settings.noise, rivals)
        operator = search.found()
        if operator is not None and not (
            settings.noise and _by_chance(operator, trials, required, settings.noise)
        ):
            found.append(operator)
            unexplained[list(operator.right)] = False
    return _distinct(_of_all(found, trials, excused))


def _of_all(found: Sequence[Found], trials: Trials, excused: Bools) -> list[Found]:
    """The operators, those joined that differ in a relation which only one finds and ends.

    A cup is taken from a tray or from the table, and nothing need tell these apart: what is taken
    is on nothing any more. The variable of the relation's other thing then stands for all things.
    """
    joined = list(found)
    for effect, examples in trials.clusters.items():
        needs: dict[frozenset[Literal], list[Found]] = {}
        for one in joined:
            kept = _needed_alike(one, effect, trials.arity)
            if kept is not None:
                needs.setdefault(kept, []).append(one)
        for kept, alike in needs.items():
            whole = _ending_all(alike, kept, examples, trials, excused)
            plain = [f for f in joined if f.effect == effect]
            if whole is not None and all(f.preconditions == kept for f in plain):
                joined = [*(f for f in joined if f not in (*alike, *plain)), whole]
    return joined


def _needed_alike(one: Found, effect: Effect, arity: int) -> frozenset[Literal] | None:
    """What an operator needs beside the relations that it ends and this effect does not.

    None where these do not make all of the difference.
    """
    own = {variable(i) for i in range(arity)}
    ended = set(one.effect) - set(effect)
    relations = {_atom(p, numbers) for p, numbers, up in ended if not up}
    if not ended or not set(effect) < set(one.effect) or len(relations) < len(ended):
        return None
    finding = {x for x in one.preconditions if not own.issuperset(x.atom.args)}
    if any(own.issuperset(a.args) for a in relations) or finding - set(map(Literal, relations)):
        return None
    return one.preconditions - finding


def _ending_all(
    alike: Sequence[Found],
    kept: frozenset[Literal],
    examples: Sequence[int],
    trials: Trials,
    excused: Bools,
) -> Found | None:
    """An operator that ends what any of these does, of all things; None where others are more
    frequent in its place.
    """
    own = {variable(i) for i in range(trials.arity)}
    literals = sorted(kept)
    ways = Ways(np.arange(trials.size), trials.args)
    values = ways.values(trials.codec, trials.before, [x.atom for x in literals])
    against = np.array([FALSE if x.positive else TRUE for x in literals], np.uint8)
    inside = ~(values == against).any(axis=1) & ~excused
    right = sorted({*examples, *(i for f in alike for i in f.right)})
    wrong = [int(i) for i in np.nonzero(inside)[0] if i not in right]
    others = Counter(c.effect if (c := trials.changes[i]) else () for i in wrong)
    most = max((n for outcome, n in others.items() if outcome), default=0)
    if not inside[right].all() or len(right) < most:
        return None
    common = frozenset.intersection(*(f.common for f in alike))
    return Found(
        effect=tuple(sorted({change for f in alike for change in f.effect})),
        parameters=trials.arity,
        preconditions=kept,
        common=frozenset(x for x in common if own.issuperset(x.atom.args)),
        examples=tuple(sorted({*examples, *(i for f in alike for i in f.examples)})),
        right=tuple(right),
        tries=int(inside.sum()),
        successes=float(len(right)),
        others=others,
    )


def _by_chance(operator: Found, trials: Trials, required: frozenset[Literal], noise: float) -> bool:
    """Whether an effect is rather a more frequent one, or none, that was observed wrongly.

    It is its own where that many observations, each wrong at random in the things that set the
    effect apart, are too unlikely; or where its preconditions are told in fewer bits than its
    examples as exceptions (minimum description length), which also tells small worlds.
    """
    count = len(operator.examples)
    frequent = (e for e, members in trials.clusters.items() if len(members) > count)
    apart = [set(operator.effect) ^ set(rival) for rival in ((), *frequent)]
    atoms = len(atoms_over(trials.codec.arities, operator.parameters))
    things = min(map(_things, apart))
    expected = _CLUMPING * noise * int(trials.feasible.sum()) / atoms**things
    if pdtrc(count - 1, expected) < _UNLIKELY:
        return False
    literals = min(map(len, apart)) + len(operator.preconditions - required)
    explained = len({*operator.examples} & {*operator.right})
    return explained * log2(1 / noise) < literals * log2(2 * atoms)


def _things(changed: Collection[tuple[str, tuple[int, ...], bool]]) -> int:
    """The fewest things that explain a change where they are seen wrongly.

    Whoever sees a thing where it is not errs in all atoms about it at once. What is about no
    thing is a thing of its own.
    """
    bare = {predicate for predicate, numbers, _ in changed if not numbers}
    about = [set(numbers) for _, numbers, _ in changed if numbers]
    every = sorted(set().union(*about))
    count = next(
        k for k in range(len(every) + 1)
        if any(all(a & set(some) for a in about) for some in combinations(every, k))
    )  # fmt: skip
    return count + len(bare)


def _distinct(found: Sequence[Found]) -> tuple[Found, ...]:
    """Of operators with the same preconditions, the one that was right most often."""
    best: dict[tuple[int, frozenset[Literal]], Found] = {}
    for operator in sorted(found, key=lambda f: (-len(f.right), f.effect)):
        best.setdefault((operator.parameters, operator.preconditions), operator)
    return tuple(sorted(best.values(), key=lambda f: f.examples[0]))


class _Search:
    """The search for one effect's preconditions.

    Args:
        rivals: (transitions,) whose other outcomes may make this one a mistake: not those that
            another operator explains.
    """

    def __init__(
        self,
        trials: Trials,
        effect: Effect,
        examples: Sequence[int],
        required: frozenset[Literal],
        excused: Bools,
        noise: float,
        rivals: Bools,
    ) -> None:
        self.trials = trials
        self.effect = effect
        self.examples = examples
        self.required = required
        self.excused = excused
        self.noise = noise
        self.rivals = rivals
        bindings = [change.binding for i in examples if (change := trials.changes[i])]
        self.core = Ways(np.array(examples), np.array(bindings))
        self.parameters = self.core.binding.shape[1]

    def found(self) -> Found | None:
        """The operator, or None where another outcome is more frequent in its place."""
        common = self._common()
        anchors = self._anchors([x.atom for x in common if x.positive])
        ways = all_ways(self.trials, self.parameters, anchors)
        counted = ~self.excused[ways.index]
        ways = Ways(ways.index[counted], ways.binding[counted])
        kept = self.required | {Literal(a) for atoms in anchors.values() for a in atoms}
        literals = [*sorted(kept), *(x for x in self._ranked(common) if x not in kept)]
        violated = self._violated(ways, literals)
        right = outcomes(self.trials, ways, self.effect)
        given = np.arange(len(literals)) < len(kept)
        given |= self._presumed(literals, violated, right)
        chosen = minimal(Evidence.of(violated, right), given, self.noise)
        inside = ~violated[:, chosen].any(axis=1)
        preconditions = frozenset(x for x, c in zip(literals, chosen, strict=True) if c)
        return self._counted(preconditions, frozenset(common), ways.index[inside], right[inside])

    def _presumed(self, literals: Sequence[Literal], violated: Bools, right: Bools) -> Bools:
        """(literals,) what the effect ends, but for what it was seen to do without."""
        deleted = self._deleted()
        ended = np.array([x.positive and x.atom in deleted for x in literals], np.bool_)
        without = violated[right].sum(axis=0)
        return np.asarray(ended & (without <= self.noise * len(self.examples)))

    def _common(self) -> list[Literal]:
        """The literals that held in all examples, but for a share that noise explains."""
        atoms = atoms_over(self.trials.codec.arities, self.parameters)
        values = self.core.values(self.trials.codec, self.trials.before, atoms)
        most = self.noise * len(self.examples)
        true, false = (values == TRUE).sum(axis=0), (values == FALSE).sum(axis=0)
        return [
            *(Literal(a) for a, t, f in zip(atoms, true, false, strict=True) if t and f <= most),
            *(
                Literal(a, False)
                for a, t, f in zip(atoms, true, false, strict=True)
                if f and t <= most
            ),
        ]

    def _deleted(self) -> set[Atom]:
        return {_atom(p, numbers) for p, numbers, up in self.effect if not up}

    def _anchors(self, held: Sequence[Atom]) -> dict[int, list[Atom]]:
        """Atoms that find the other objects: those made false, or one that leaves least choice."""
        bound = {variable(i) for i in range(self.trials.arity)}
        anchors: dict[int, list[Atom]] = {}
        waiting = list(range(self.trials.arity, self.parameters))
        while waiting:
            usable = {
                i: [a for a in held if variable(i) in a.args and {*a.args} <= {*bound, variable(i)}]
                for i in waiting
            }
            chosen = max(waiting, key=lambda i: (len(self._deleted() & {*usable[i]}), -i))
            anchors[chosen] = self._anchor(chosen, usable[chosen])
            bound.add(variable(chosen))
            waiting.remove(chosen)
        return anchors

    def _anchor(self, parameter: int, usable: Sequence[Atom]) -> list[Atom]:
        """A relation that the effect ends finds the object best; else what leaves least choice."""

        def order(atom: Atom) -> tuple[bool, int, bool, bool, Atom]:
            deleted, relation = atom in self._deleted(), len(atom.args) > 1
            choice = self._candidates(atom, parameter)
            return not (deleted and relation), choice, not deleted, not relation, atom

        return sorted(usable, key=order)[:1]

    def _candidates(self, atom: Atom, parameter: int) -> int:
        """How many objects the atom leaves for a parameter, over all examples."""
        total = 0
        for number in range(self.trials.codec.capacity):
            binding = self.core.binding.copy()
            binding[:, parameter] = number
            way = Ways(self.core.index, binding)
            values = way.values(self.trials.codec, self.trials.before, [atom])
            total += int((values == TRUE).sum())
        return total

    def _ranked(self, literals: Sequence[Literal]) -> list[Literal]:
        """Those that the effect ends first, those that it only brings about last."""
        deleted = self._deleted()
        added = {_atom(p, numbers) for p, numbers, up in self.effect if up}
        return sorted(
            literals,
            key=lambda x: (
                not (x.positive and x.atom in deleted),
                not x.positive and x.atom in added,
                not x.positive,
                len(x.atom.args),
                x,
            ),
        )

    def _violated(self, ways: Ways, literals: Sequence[Literal]) -> Bools:
        atoms = [x.atom for x in literals]
        values = ways.values(self.trials.codec, self.trials.before, atoms)
        against = np.array([FALSE if x.positive else TRUE for x in literals], np.uint8)
        return np.asarray(values == against)

    def _counted(
        self,
        preconditions: frozenset[Literal],
        common: frozenset[Literal],
        index: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
        right: Bools,
    ) -> Found | None:
        size = self.trials.size
        ways = np.bincount(index, minlength=size)
        good = np.bincount(index, weights=right, minlength=size)
        rights = np.nonzero(good)[0]
        missed = (ways > 0) & (good == 0)
        others = Counter(self._what_happened(int(i)) for i in np.nonzero(missed)[0])
        rivals = Counter(self._what_happened(int(i)) for i in np.nonzero(missed & self.rivals)[0])
        most = max((n for effect, n in rivals.items() if effect), default=0)
        if len(rights) == 0 or len(rights) < most:
            return None
        return Found(
            effect=self.effect,
            parameters=self.parameters,
            preconditions=preconditions,
            common=common,
            examples=tuple(self.examples),
            right=tuple(map(int, rights)),
            tries=int((ways > 0).sum()),
            successes=float((good[rights] / ways[rights]).sum()),
            others=others,
        )

    def _what_happened(self, i: int) -> Effect:
        change = self.trials.changes[i]
        return () if change is None else change.effect


def _atom(predicate: str, numbers: Sequence[int]) -> Atom:
    return Atom(predicate, tuple(map(variable, numbers)))
