"""Abstract verification of behaviours on plays, and the least change that makes them agree.

Algorithm 1 of BLADE (Liu et al., CoRL 2024): going through a demonstration, each precondition must
agree with what the effects before it left, or with what an earlier precondition took to be so. The
paper asks its language model anew where that fails too often. Here the fewest conditions are
changed - a precondition dropped, an effect dropped, an effect added - so that all demonstrations
agree: the first disagreement can only be mended in a few ways, and all are tried, the cheapest
first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal as Choice

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal

MOST_TRIED = 20_000
"""Sets of changes that are looked at before the search is given up."""


@dataclass(frozen=True)
class Description:
    """A behaviour over its parameters: what it needs, and what it brings about."""

    name: str
    parameters: tuple[str, ...]
    needs: frozenset[Literal]
    effects: frozenset[Literal]


Descriptions = Mapping[str, Description]
Call = tuple[str, tuple[str, ...]]
"""A behaviour and the things that it is done with."""


ChangeKind = Choice["drop need", "drop effect", "add effect"]


@dataclass(frozen=True, order=True)
class Change:
    """A condition of a behaviour to be changed."""

    behaviour: str
    kind: ChangeKind
    literal: Literal

    def __str__(self) -> str:
        return f"{self.behaviour}: {self.kind} {self.literal}"


@dataclass(frozen=True)
class Disagreement:
    """A precondition that the behaviours before it deny.

    Attributes:
        demonstration, step: where.
        needed: of the step's behaviour, lifted.
        ground: the same about the things.
        since: the step whose effect denies it; -1 where an earlier precondition does.
        told: that step's condition, lifted, and the step that has it.
    """

    demonstration: int
    step: int
    needed: Literal
    ground: Literal
    since: int
    told: tuple[int, Literal]


def disagreements(
    descriptions: Descriptions, demonstrations: Sequence[Sequence[Call]]
) -> tuple[Disagreement, ...]:
    """Every precondition that fails, in order."""
    return tuple(
        found
        for number, calls in enumerate(demonstrations)
        for found in _of_one(descriptions, number, calls)
    )


def _of_one(
    descriptions: Descriptions, number: int, calls: Sequence[Call]
) -> Iterator[Disagreement]:
    truths: dict[Atom, tuple[bool, bool, tuple[int, Literal]]] = {}
    for step, (name, args) in enumerate(calls):
        one = descriptions[name]
        binding = dict(zip(one.parameters, args, strict=True))
        for needed in sorted(one.needs):
            ground = needed.substitute(binding)
            known = truths.get(ground.atom)
            if known is None:
                truths[ground.atom] = ground.positive, False, (step, needed)
            elif known[0] != ground.positive:
                since = known[2][0] if known[1] else -1
                yield Disagreement(number, step, needed, ground, since, known[2])
        for effect in sorted(one.effects):
            ground = effect.substitute(binding)
            truths[ground.atom] = ground.positive, True, (step, effect)


@dataclass(frozen=True)
class Verified:
    """What verification found.

    Attributes:
        descriptions: after the changes.
        changes: the fewest that were needed.
        errors: by behaviour, the share of its steps in which a precondition failed at first.
        left: disagreements that are taken to be wrong annotations.
    """

    descriptions: Descriptions
    changes: tuple[Change, ...]
    errors: Mapping[str, float]
    left: tuple[Disagreement, ...] = ()


def verify(
    descriptions: Descriptions,
    demonstrations: Sequence[Sequence[Call]],
    tolerance: float = 0.0,
    costs: Mapping[Change, float] | None = None,
) -> Verified:
    """Descriptions with which all demonstrations agree, changed as little as possible.

    Args:
        tolerance: share of a behaviour's steps that may disagree, where annotations may be wrong.
        costs: of changes; 1 for those that are not named.

    Raises:
        SaySoError: UNKNOWN_OBJECT for a behaviour that has no description; LIMIT where too many
            sets of changes would have to be tried.
    """
    for name, _ in (call for calls in demonstrations for call in calls):
        if name not in descriptions:
            text = f"there is no description of '{name}'."
            raise SaySoError(Code.INVALID, text, choices=descriptions)
    search = _Repair(descriptions, demonstrations, tolerance, costs or {})
    changes = search.cheapest()
    repaired = changed(descriptions, changes)
    errors = search.errors(disagreements(descriptions, demonstrations))
    left = disagreements(repaired, demonstrations)
    return Verified(repaired, tuple(sorted(changes)), errors, left)


def changed(descriptions: Descriptions, changes: frozenset[Change]) -> Descriptions:
    """The descriptions after some changes."""
    found = dict(descriptions)
    for change in sorted(changes):
        one = found[change.behaviour]
        literal = frozenset({change.literal})
        if change.kind == "drop need":
            found[change.behaviour] = replace(one, needs=one.needs - literal)
        elif change.kind == "drop effect":
            found[change.behaviour] = replace(one, effects=one.effects - literal)
        else:
            found[change.behaviour] = replace(one, effects=one.effects | literal)
    return found


class _Repair:
    """The cheapest set of changes, by conflict-driven search.

    A set that is not enough leaves a disagreement, and every larger set that is enough has one of
    the few changes that bear on it, so that extending by those alone misses none.
    """

    def __init__(
        self,
        descriptions: Descriptions,
        demonstrations: Sequence[Sequence[Call]],
        tolerance: float,
        costs: Mapping[Change, float],
    ) -> None:
        self._descriptions = descriptions
        self._demonstrations = demonstrations
        self._tolerance = tolerance
        self._costs = costs
        self._counts = Counter(name for calls in demonstrations for name, _ in calls)

    def errors(self, found: Sequence[Disagreement]) -> dict[str, float]:
        """By behaviour, the share of steps with a disagreement."""
        steps = {(d.demonstration, d.step) for d in found}
        wrong = Counter(self._demonstrations[i][t][0] for i, t in steps)
        return {name: n / self._counts[name] for name, n in sorted(wrong.items())}

    def cheapest(self) -> frozenset[Change]:
        order = count()
        queue: list[tuple[float, int, frozenset[Change]]] = [(0.0, next(order), frozenset())]
        seen: set[frozenset[Change]] = {frozenset()}
        for _ in range(MOST_TRIED):
            if not queue:
                break
            _, _, changes = heapq.heappop(queue)
            open_ = self._open(changes)
            if not open_:
                return changes
            for change in self._bearing_on(open_, changes):
                more = changes | {change}
                if more not in seen:
                    seen.add(more)
                    cost = sum(self._costs.get(c, 1.0) for c in more)
                    heapq.heappush(queue, (cost, next(order), more))
        raise SaySoError(
            Code.LIMIT,
            f"no agreement was found among {MOST_TRIED} sets of changes.",
            hint="tolerate more wrong annotations, or show the behaviours again.",
        )

    def _open(self, changes: frozenset[Change]) -> list[Disagreement]:
        """All disagreements of the first behaviour that has too many, if there is one."""
        found = disagreements(changed(self._descriptions, changes), self._demonstrations)
        over = {n for n, share in self.errors(found).items() if share > self._tolerance}
        if not over:
            return []
        mine = [d for d in found if self._name(d) in over]
        if self._tolerance == 0.0:
            return mine[:1]
        return [d for d in mine if self._name(d) == self._name(mine[0])]

    def _name(self, d: Disagreement) -> str:
        return self._demonstrations[d.demonstration][d.step][0]

    def _bearing_on(
        self, open_: Sequence[Disagreement], changes: frozenset[Change]
    ) -> Iterator[Change]:
        for d in open_:
            calls = self._demonstrations[d.demonstration]
            yield Change(calls[d.step][0], "drop need", d.needed)
            told_step, told = d.told
            teller = calls[told_step][0]
            if d.since < 0:
                yield Change(teller, "drop need", told)
            elif told in self._descriptions[teller].effects:
                yield Change(teller, "drop effect", told)
            for step in range(told_step if d.since < 0 else d.since + 1, d.step):
                yield from self._adding(calls[step], d.ground, changes)

    def _adding(self, call: Call, ground: Literal, changes: frozenset[Change]) -> Iterator[Change]:
        """The effect that this call would have to have."""
        one = changed(self._descriptions, changes)[call[0]]
        lifted = {arg: p for p, arg in zip(one.parameters, call[1], strict=True)}
        if not set(ground.atom.args) <= set(lifted):
            return
        effect = ground.substitute(lifted)
        if not {effect, Literal(effect.atom, not effect.positive)} & one.effects:
            yield Change(call[0], "add effect", effect)
